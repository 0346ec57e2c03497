/// The help of the other commands, in more formats than `--help`.
enum HelpCommand: Command {
  static let name = "help"
  static let summary = "Show the help of a command or a topic, also as Markdown."
  static let synopsis = "[COMMAND | all | exit-codes | environment] [--markdown]"
  static let example = "windtunnel help exit-codes"
  static let operandsMax = 2
  static var operandChoices: [String] {
    ["all"] + topics
      + Tool.commands.flatMap { $0.words }.reduce(into: []) {
        if !$0.contains($1) { $0.append($1) }
      }
  }
  static let flags = [
    Flag("--markdown", nil, "Print a page of the manual: all commands, or a topic.")
  ]

  private static let topics = ["exit-codes", "environment"]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let isMarkdown = arguments.has("--markdown")
    let asked = arguments.operands.joined(separator: " ")
    switch (asked, isMarkdown) {
    case ("exit-codes", true): return Terminal.answer(CommandPages.exitCodes)
    case ("exit-codes", false): return Terminal.answer(CommandPages.exitCodesText)
    case ("environment", true): return Terminal.answer(CommandPages.environment)
    case ("environment", false): return Terminal.answer(CommandPages.environmentText)
    case ("", true): return Terminal.answer(CommandPages.commands(Tool.commands))
    case ("", false): return Terminal.answer(Tool.help)
    case ("all", false): return Terminal.answer(Tool.fullHelp)
    case (_, true):
      throw CommandError.usage(
        "The manual has no page \"\(asked)\": --markdown prints all commands if no word follows help, "
          + "or \(topics.joined(separator: ", ")).\(CommandError.didYouMean(asked, among: topics))"
      )
    case (_, false)
    where !Tool.commands.contains { "\($0.name) ".hasPrefix("\(arguments.operands[0]) ") }:
      throw CommandError.usage(
        "Unknown command or topic \"\(asked)\".\(CommandError.didYouMean(asked, among: operandChoices))"
          + " The topics are \((["all"] + topics).joined(separator: ", "))."
      )
    // `help drill` is `drill --help`.
    case (_, false): return await Tool.run(arguments.operands + ["--help"])
    }
  }
}

enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "Print a shell script that completes commands, flags and their values."
  static let synopsis = "bash|zsh|fish"
  static let example = "source <(windtunnel completions bash)"
  static let operandsMax = 1
  static let operandChoices = Completions.Shell.allCases.map(\.rawValue)

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let name = try arguments.operand(0, "SHELL", "bash, zsh or fish")
    guard let shell = Completions.Shell(rawValue: name) else {
      throw CommandError.choice("completions", name, among: operandChoices)
    }
    return Terminal.answer(Completions(commands: Tool.commands).script(for: shell))
  }
}
