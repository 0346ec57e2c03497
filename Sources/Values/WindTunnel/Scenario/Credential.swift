/// The credential that clients send in a scenario, and the endpoint that issues a new one.
///
/// A rule with a condition on credentials (``Trigger/credential``) distinguishes old credentials
/// from new ones. Such a rule never applies to a request to the issuer.
public struct Credential: Sendable, Hashable {
  /// The requests for a new credential, such as `POST /login`.
  public var issuer: RequestPattern
  /// The header field that contains the credential.
  public var field: String
  /// The members whose names begin with `_`, kept as they are.
  var notes: [JSON.Member] = []

  /// Creates a credential from its issuer and its field.
  public init(issuer: RequestPattern, field: String = Self.usualField) {
    (self.issuer, self.field) = (issuer, field)
  }

  /// The field that most APIs use for credentials (RFC 9110 §11.6.2).
  public static let usualField = "Authorization"

  /// The credentials that a rule refuses.
  public enum Condition: String, Sendable, Hashable, CaseIterable {
    /// Credentials that were used before the calls of the rule's trigger began: they expire for all
    /// calls at once.
    ///
    /// A new credential passes. An old one passes, too, if a refused call sends it again after a
    /// request to the issuer, because the issuer may have returned the same credential.
    case expired
    /// Every credential, the newest one included.
    case any
  }

}

/// `{ "issuer": "POST /login", "field": "Authorization" }`.
extension Credential: JSONObject {
  package static let blank = Self(issuer: "")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    var asks = fields.isReading ? nil : issuer
    try fields.pattern("issuer", &asks)
    try fields.refuse(
      asks == nil,
      "issuer",
      "the request for a new credential is missing",
      fix: "Write for example \"issuer\": \"POST /login\"."
    )
    var other = field == Self.usualField ? nil : field
    try fields.fieldName("field", &other)
    (issuer, field) = (asks ?? issuer, other ?? Self.usualField)
    fields.notes(&notes)
  }
}

extension Scenario {
  /// The trigger of the rule that refuses expired credentials; `nil` if there is none.
  var expiry: Trigger? {
    // Called for each request, also in scenarios without a credential.
    if credential == nil { return nil }
    return rules.first { $0.trigger.credential == .expired }?.trigger
  }

  /// Throws if a rule tests a credential that the scenario does not describe, or if two rules test
  /// expired ones.
  ///
  /// With two such rules it would be unknown which credential a client renews.
  func checkCredentials(_ object: ObjectReader) throws(FormatError) {
    if credential == nil, let rule = rules.firstIndex(where: { $0.trigger.credential != nil }) {
      throw object.error(
        "rules[\(rule)].when.credential",
        "the issuer is missing, so no client could get another",
        fix: "Name the issuer: \"credential\": {\"issuer\": \"POST /login\"}."
      )
    }
    let expiring = rules.indices.filter { rules[$0].trigger.credential == .expired }
    if let rule = expiring.first, rules[rule].trigger.firesByMoreThanCalls {
      throw object.error(
        "rules[\(rule)].when.credential",
        "a credential expires for all calls of a range, so no other condition is allowed",
        fix: "Keep only \"request\", \"fromCall\" and \"untilCall\"."
      )
    }
    guard expiring.count > 1 else { return }
    throw object.error(
      "rules[\(expiring[1])].when.credential",
      "a credential expires once in a scenario, and rules[\(expiring[0])] already does this",
      fix: "Write one rule with all of its faults, or another scenario."
    )
  }
}

extension Trigger {
  /// Whether the trigger has conditions other than the request and the call.
  fileprivate var firesByMoreThanCalls: Bool {
    var rest = self
    (rest.request, rest.calls, rest.credential) = (nil, nil, nil)
    return rest != .always
  }
}
