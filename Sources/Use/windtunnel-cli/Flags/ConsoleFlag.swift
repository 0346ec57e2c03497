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
