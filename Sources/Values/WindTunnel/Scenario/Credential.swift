/// The credential that the clients of a scenario bear, and where they get a new one.
///
/// A rule whose trigger asks for it (``Trigger/credential``) tells old credentials from new ones;
/// what asks the issuer never meets such a rule.
public struct Credential: Sendable, Hashable {
  /// The requests that ask for a new one, such as `POST /login`.
  public var issuer: RequestPattern
  /// The header field in which requests bear it.
  public var field: String
  /// Keys that begin with `_`: kept as they are.
  var notes: [JSON.Member] = []

  /// Makes a credential of its issuer and its field.
  public init(issuer: RequestPattern, field: String = Self.usualField) {
    (self.issuer, self.field) = (issuer, field)
  }

  /// The field that most interfaces take it in (RFC 9110 §11.6.2).
  public static let usualField = "Authorization"

  /// The credentials that a rule refuses.
  public enum Condition: String, Sendable, Hashable, CaseIterable {
    /// The ones that were borne before the calls of the rule's trigger began: they expire for all
    /// calls at once. A new one passes, and so does an old one that a refused call comes with again
    /// when the issuer was asked, since it may have been given once more.
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
      "it says which request asks for a new credential",
      fix: "Write for example \"issuer\": \"POST /login\"."
    )
    var other = field == Self.usualField ? nil : field
    try fields.fieldName("field", &other)
    (issuer, field) = (asks ?? issuer, other ?? Self.usualField)
    fields.notes(&notes)
  }
}

extension Scenario {
  /// The trigger of the rule that refuses credentials which have expired.
  var expiry: Trigger? {
    // Of many scenarios it is asked for each request.
    if credential == nil { return nil }
    return rules.first { $0.trigger.credential == .expired }?.trigger
  }

  /// Refuses rules about a credential of which the scenario says nothing, or about two that expire:
  /// which of them a client renews nobody could tell.
  func checkCredentials(_ object: ObjectReader) throws(FormatError) {
    if credential == nil, let rule = rules.firstIndex(where: { $0.trigger.credential != nil }) {
      throw object.error(
        "rules[\(rule)].when.credential",
        "nobody says here who issues it, so no client could get another",
        fix: "Name the issuer: \"credential\": {\"issuer\": \"POST /login\"}."
      )
    }
    let expiring = rules.indices.filter { rules[$0].trigger.credential == .expired }
    if let rule = expiring.first, rules[rule].trigger.firesByMoreThanCalls {
      throw object.error(
        "rules[\(rule)].when.credential",
        "a credential expires for all calls that a range has, and nothing else can be said beside that",
        fix: "Leave \"request\", \"fromCall\" and \"untilCall\" beside it."
      )
    }
    guard expiring.count > 1 else { return }
    throw object.error(
      "rules[\(expiring[1])].when.credential",
      "a credential expires once in a scenario, and rules[\(expiring[0])] is about that",
      fix: "Write one rule with all of its faults, or another scenario."
    )
  }
}

extension Trigger {
  /// Tells whether it fires by something besides which request and which call it is.
  fileprivate var firesByMoreThanCalls: Bool {
    var rest = self
    (rest.request, rest.calls, rest.credential) = (nil, nil, nil)
    return rest != .always
  }
}
