enum ScenariosListCommand: Command {
  static let name = "scenarios list"
  static let summary = "List the scenarios of the tool."
  static let synopsis = "[--json | --markdown]"
  static let example = "windtunnel scenarios list"
  static let flags = [
    Flag("--json", nil, "Print a list of objects instead."),
    Flag("--markdown", nil, "Print a table, with the groups of each."),
  ]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let scenarios = try Shipped.scenarios()
    if arguments.has("--json") {
      let list = scenarios.map { scenario -> JSON in
        [
          "name": .text(scenario.name), "summary": .text(scenario.summary ?? ""),
          "isFlownByDefault": .bool(Shipped.drill.contains(scenario.name)),
        ]
      }
      return Terminal.answer(JSON.array(list))
    }
    if arguments.has("--markdown") { return Terminal.answer(Scenario.page(of: scenarios)) }
    var text = ScenariosShowCommand.table(scenarios)
    text +=
      "\nThe first \(Shipped.drill.count) run by default and are the group default-drill; "
    text += "the others are weak-network, and all of them pre-release.\n"
    text += "every-push contains the quick ones of default-drill.\n"
    return Terminal.answer(text)
  }
}

enum ScenariosShowCommand: Command {
  static let name = "scenarios show"
  static let summary = "Print a scenario as a file to change and run, or the scenarios of a group."
  static let synopsis = "NAME|GROUP"
  static let example = "windtunnel scenarios show metro > metro.json"
  static let operandsMax = 1
  static let operandChoices = Scenarios.groups + Shipped.preRelease

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let name = try arguments.operand(0, "NAME", "the scenario or group to show")
    if let group = Scenarios.group(name) {
      Terminal.answer(table(group))
      Terminal.complain("To run all of them: windtunnel drill --scenario \(name)")
      return .done
    }
    let scenario = try Scenarios.find(name, in: Shipped.scenarios(), groups: Scenarios.groups)
    return Terminal.answer(json: scenario.data())
  }

  /// Returns a line for each scenario, with its name and summary.
  static func table(_ scenarios: [Scenario]) -> String {
    HelpText.columns(scenarios.map { ($0.name, $0.summary ?? "") }, indent: "") + "\n"
  }
}
