internal import Foundation

/// A JSON web token (RFC 7519): three parts, of which the first two are JSON in base64url.
///
/// The redacted token can still be decoded. `alg`, `typ` and `cty` stay, as do the claims `exp`,
/// `iat` and `nbf`. Every other text becomes `REDACTED-name`, and every other number 0. The
/// pseudonym with its ordinal is the signature.
struct WebToken {
  private let header: JSON
  private let payload: JSON

  init?(_ text: String) {
    let parts = text.read.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].hasPrefix("eyJ"), let header = Self.json(parts[0]),
      let payload = Self.json(parts[1]), header["alg"] != nil
    else { return nil }
    (self.header, self.payload) = (header, payload)
  }

  func redacted(as pseudonym: String) -> String {
    "\(Self.part(header, keeping: ["alg", "typ", "cty"]))."
      + "\(Self.part(payload, keeping: ["exp", "iat", "nbf"])).\(pseudonym)"
  }

  /// Whether the signature of a token is a pseudonym.
  static func isRedacted(_ text: String) -> Bool {
    let parts = Bytes(text.utf8).split(separator: 0x2E, omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0].starts(with: "eyJ".utf8)
      && PseudonymText.isWhole(Bytes(parts[2]))
      && parts[..<2].joined().allSatisfy(KnownKey.Letters.dashed.contains)
  }

  private static func json(_ part: Substring) -> JSON? {
    // If a part is not JSON, the text is not a token, so the error does not matter.
    guard let data = Base64Text.decoded(Bytes(part.utf8)),
      let json = try? JSONParser.parse(data), case .object = json
    else { return nil }
    return json
  }

  private static func part(_ json: JSON, keeping names: Set<String>) -> String {
    let kept = json.members.map { member in
      names.contains(member.name.value)
        ? member : JSON.Member(member.name, replaced(member.value, name: member.name.value))
    }
    return Base64Text.encoded(Bytes(JSON.object(kept).bytes()), like: Bytes("_".utf8))
  }

  private static func replaced(_ json: JSON, name: String) -> JSON {
    switch json {
    case .null, .bool: json
    case .number: .number(0)
    case .string: .text("REDACTED-\(SecretNames.slug(name))")
    case .array(let elements): .array(elements.map { replaced($0, name: name) })
    case .object(let members):
      .object(members.map { JSON.Member($0.name, replaced($0.value, name: $0.name.value)) })
    }
  }
}
