enum RulesListCommand: Command {
  static let name = "rules list"
  static let summary = "List every rule that a drill checks a client against."
  static let synopsis = "[--json | --markdown]"
  static let example = "windtunnel rules list"
  static let flags = [
    Flag("--json", nil, "Print a list of objects with all details."),
    Flag("--markdown", nil, "Print a table with all details."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    if arguments.has("--json") { return Terminal.answer(JSON.array(FindingRule.all.map(\.json))) }
    if arguments.has("--markdown") { return Terminal.answer(FindingRule.table) }
    let rules = HelpText.columns(
      FindingRule.all.map { ($0.id, "\($0.severity.rawValue)  \($0.title)") }
    )
    return Terminal.answer(
      """
      \(rules)

      Details of a rule: windtunnel rules show \(FindingRule.all[0].id). After an error a drill exits with
      99, or 97 if the client crashed or hung; --findings and --allow change that.

      """
    )
  }
}

enum RulesShowCommand: Command {
  static let name = "rules show"
  static let summary = "Show a rule: its condition, its cost and its fix."
  static let synopsis = "RULE [--json]"
  static let example = "windtunnel rules show ignores-retry-after"
  static let operandsMax = 1
  static let operandChoices = FindingRule.all.map(\.id)
  static let flags = [Flag("--json", nil, "Print an object instead.")]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let id = try arguments.operand(0, "RULE", "the rule to show")
    guard let rule = FindingRule.named(id) else {
      throw CommandError.choice("rules show", id, among: FindingRule.all.map(\.id))
    }
    if arguments.has("--json") { return Terminal.answer(rule.json) }
    let rows = HelpText.columns([
      ("weight", rule.severity.rawValue), ("judged if", rule.condition),
      ("calls", "at least \(rule.leastCalls)"), ("cost", rule.cost), ("fix", rule.fix),
      ("source", rule.source),
    ])
    return Terminal.answer("\(rule.id): \(rule.title)\n\n\(rows)\n")
  }
}
