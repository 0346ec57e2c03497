/// `--console`: a page that shows what a command does while it does it.
enum ConsoleFlag {
  static let name = "--console"

  static let flag = Flag(name)
    .help("Serve a page that shows traffic and switches scenarios, and print its URL.")

  /// Returns the console where one is wanted.
  static func console(
    _ arguments: Arguments,
    _ tool: Console.Tool,
    redacting rules: RedactionRules = .standard
  ) -> Console? {
    arguments.has(name) ? Console(tool, redacting: rules) : nil
  }
}

extension ConsolePort {
  /// Makes the port of a console at which every shipped scenario can be chosen that the command can
  /// fly.
  init(of console: Console, refusing refusal: @escaping @Sendable (Scenario) -> Refusal?) throws {
    self.init(console)
    scenarios = try Shipped.scenarios().filter { refusal($0) == nil }
    self.refusal = { refusal($0)?.sentence }
    swapped = { scenario, _ in Scenarios.complain(of: scenario, as: scenario.name) }
  }
}
