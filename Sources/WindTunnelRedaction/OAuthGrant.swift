/// Whether a `code` is what a client gets a token for (RFC 6749 §4.1): it stands beside what such a
/// message holds, and is no code of an error, a country or a status.
struct OAuthGrant {
  private let isGrant: Bool
  private let mayBe: Bool

  /// Looks at the names that stand beside each other; where a browser is led back with its code, a
  /// state may be missing.
  init(_ names: [String], isRedirect: Bool = false) {
    let names = Set(names.map { FieldName.normalised($0) })
    isGrant = !names.isDisjoint(with: ["granttype", "codeverifier", "redirecturi"])
    mayBe = isRedirect || names.contains("state") || names.contains("sessionstate")
  }

  /// Whether a value is a secret here that is none elsewhere.
  func sort(of name: String, _ value: String) -> SecretNames.Sort? {
    guard isGrant || mayBe, FieldName.normalised(name) == "code" else { return nil }
    return isGrant || value.utf8.count >= 8 && !value.allSatisfy(\.isNumber) ? .secret : nil
  }
}
