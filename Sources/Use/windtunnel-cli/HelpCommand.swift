/// The help of the other commands, in the forms that it has beside `--help`.
enum HelpCommand: Command {
  static let name = "help"
  static let summary = "Show the help of a command or a topic, also as a man page or as Markdown."
  static let synopsis =
    "[COMMAND | all | exit-codes | environment] [--man [--to FOLDER] | --markdown]"
  static let example = "windtunnel help --man drill | man -l -"
  static let operandsMax = 2
  static var operandChoices: [String] {
    ["all"] + topics
      + Tool.commands.flatMap { $0.words }.reduce(into: []) {
        if !$0.contains($1) { $0.append($1) }
      }
  }
  static let flags = [
    Flag("--man", nil, "Print a man page: of a command, or without one of the tool."),
    Flag("--to", "FOLDER", "man: write the pages of the tool and of all commands there instead."),
    Flag("--markdown", nil, "Print a page of the manual: all commands, or a topic."),
  ]

  private static let topics = ["exit-codes", "environment"]

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let (isMan, isMarkdown) = (arguments.has("--man"), arguments.has("--markdown"))
    if isMan, isMarkdown { throw Refusal.both("--man", "--markdown") }
    let asked = arguments.operands.joined(separator: " ")
    if let folder = try arguments.value("--to") {
      guard isMan, asked.isEmpty else {
        throw Refusal.usage(
          "--to FOLDER goes with --man alone, and writes the pages of all commands."
        )
      }
      let folder = try CassetteFile.makeFolder(folder)
      for page in ManPage.all(of: Tool.commands, version: Tool.version) {
        let file = folder.appendingPathComponent("\(page.name).1")
        try FileError.writing(Data(page.text.utf8), to: file)
      }
      return .done
    }
    if isMan { return Terminal.answer(try page(of: asked).text) }
    switch (asked, isMarkdown) {
    case ("exit-codes", true): return Terminal.answer(CommandPages.exitCodes)
    case ("exit-codes", false): return Terminal.answer(CommandPages.exitCodesText)
    case ("environment", true): return Terminal.answer(CommandPages.environment)
    case ("environment", false): return Terminal.answer(CommandPages.environmentText)
    case ("", true): return Terminal.answer(CommandPages.commands(Tool.commands))
    case ("", false): return Terminal.answer(Tool.help)
    case ("all", false): return Terminal.answer(Tool.fullHelp)
    case (_, true):
      throw Refusal.usage(
        "There is no page \"\(asked)\" of the manual: --markdown prints all commands without a word "
          + "behind help, and \(topics.joined(separator: ", ")).\(Refusal.didYouMean(asked, among: topics))"
      )
    // `help drill` is `drill --help`.
    case (_, false): return await Tool.run(arguments.operands + ["--help"])
    }
  }

  private static func page(of asked: String) throws(Refusal) -> ManPage {
    if asked.isEmpty { return ManPage(of: Tool.commands, version: Tool.version) }
    guard let command = Tool.commands.first(where: { $0.name == asked }) else {
      throw Tool.refusal(of: asked, behind: "windtunnel help --man")
    }
    return ManPage(command, among: Tool.commands, version: Tool.version)
  }
}

enum CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "Print a script by which a shell completes commands, flags and their values."
  static let synopsis = "bash|zsh|fish"
  static let example = "source <(windtunnel completions bash)"
  static let operandsMax = 1
  static let operandChoices = Completions.Shell.allCases.map(\.rawValue)

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    let name = try arguments.operand(0, "SHELL", "bash, zsh or fish")
    guard let shell = Completions.Shell(rawValue: name) else {
      throw Refusal.choice("completions", name, among: operandChoices)
    }
    return Terminal.answer(Completions(commands: Tool.commands).script(for: shell))
  }
}
