/// A rule of findings that a client may break in a scenario, with the reason.
public struct AllowedRule: Sendable, Hashable {
  /// The name of the rule, as `windtunnel rules list` prints it.
  public var rule: String
  /// The requests for which the rule may be broken; `nil` for all requests.
  public var endpoint: RequestPattern?
  /// The reason, which every report shows.
  public var reason: String

  /// Creates an allowance of a rule, at one endpoint or at all, with a reason.
  public init(_ rule: String, at endpoint: RequestPattern? = nil, because reason: String) {
    (self.rule, self.endpoint, self.reason) = (rule, endpoint, reason)
  }

  /// Parses `RULE` or `RULE(ENDPOINT)`; returns `nil` if the endpoint is not a method and a path.
  package init?(key: String, because reason: String) {
    self.init(key, because: reason)
    guard let open = key.firstIndex(of: "(") else { return }
    let text = String(key[key.index(after: open)...].dropLast())
    guard key.last == ")", RequestPattern.problem(with: text) == nil, !text.contains("?"),
      text.split(separator: " ").last?.first == "/"
    else { return nil }
    (rule, endpoint) = (String(key[..<open]), RequestPattern(text))
  }

  /// The rule as text, such as `repeats-post(POST /search)`.
  package var key: String { endpoint.map { "\(rule)(\($0))" } ?? rule }

  /// Reads or writes `"allow": { "gives-up-at-once": "the app asks again when it is opened" }`.
  ///
  /// Writes nothing if there are no rules.
  package static func list(
    _ rules: inout [AllowedRule],
    _ fields: inout JSONFields
  ) throws(FormatError) {
    if fields.isReading { return rules = try read(&fields.object) }
    fields.write("allow", rules.isEmpty ? JSON?.none : json(of: rules))
  }

  /// Returns the rules as JSON. If a key has several reasons, the first one is written.
  package static func json(of rules: [AllowedRule]) -> JSON {
    var seen: Set<String> = []
    return .object(
      rules.filter { seen.insert($0.key).inserted }.map {
        JSON.Member(JSON.Text($0.key), .text($0.reason))
      }
    )
  }

  /// Reads `"allow"`; returns no rules if it is missing.
  package static func read(_ object: inout ObjectReader) throws(FormatError) -> [AllowedRule] {
    guard let json = object.take("allow") else { return [] }
    guard case .object(let members) = json else {
      throw object.error("allow", "\(json) is not an object of rules and reasons")
    }
    var rules: [AllowedRule] = []
    for member in members {
      let rule = member.name.value
      guard let reason = member.value.stringValue, reason.contains(where: { !$0.isWhitespace })
      else {
        throw object.error(
          "allow.\(rule)",
          "the reason is missing",
          fix: "Give the reason: \"allow\": {\"\(rule)\": \"…\"}."
        )
      }
      guard let allowed = AllowedRule(key: rule, because: reason) else {
        throw object.error(
          "allow.\(rule)",
          "the endpoint is missing",
          fix: "Write for example \"repeats-post(POST /search)\"."
        )
      }
      rules.append(allowed)
    }
    return rules
  }
}
