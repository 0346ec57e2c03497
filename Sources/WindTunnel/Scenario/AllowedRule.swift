/// A rule of findings that a client may break in a scenario, with the reason.
public struct AllowedRule: Sendable, Hashable {
  /// The name of the rule, as `windtunnel rules list` prints it.
  public var rule: String
  /// The reason, which every report shows.
  public var reason: String

  /// Makes an allowance of a rule and a reason.
  public init(_ rule: String, because reason: String) { (self.rule, self.reason) = (rule, reason) }

  /// `{ "gives-up-at-once": "the app asks again when it is opened" }`.
  ///
  /// Of several reasons for one rule the first stands, which is the scenario's own.
  package static func json(of rules: [AllowedRule]) -> JSON {
    var seen: Set<String> = []
    return .object(
      rules.filter { seen.insert($0.rule).inserted }.map {
        JSON.Member(JSON.Text($0.rule), .text($0.reason))
      }
    )
  }

  /// Reads `"allow"`; empty where it is not there.
  package static func read(_ object: inout ObjectReader) throws(FormatError) -> [AllowedRule] {
    guard let json = object.take("allow") else { return [] }
    guard case .object(let members) = json else {
      throw object.error("allow", "\(json) is no object of rules and reasons")
    }
    var rules: [AllowedRule] = []
    for member in members {
      let rule = member.name.value
      guard let reason = member.value.stringValue, reason.contains(where: { !$0.isWhitespace })
      else {
        throw object.error(
          "allow.\(rule)",
          "the reason is missing",
          remedy: "Say why it may be broken: \"allow\": {\"\(rule)\": \"…\"}."
        )
      }
      rules.append(AllowedRule(rule, because: reason))
    }
    return rules
  }
}
