/// The tool, which finds the requested command and runs it.
enum Tool {
  /// The version of the program and of the library.
  static let version = Build.version

  static var commands: [any Command.Type] {
    [
      DrillCommand.self, InitCommand.self, SearchCommand.self, RecordCommand.self,
      MutateCommand.self,
      ServeCommand.self,
      ProxyCommand.self,
      DNSCommand.self, ReportCommand.self, ReproduceCommand.self, FaultsListCommand.self,
      FaultsSelftestCommand.self,
      ScenariosListCommand.self, ScenariosShowCommand.self,
      CassetteShowCommand.self, CassetteExplainCommand.self, CassetteConvertCommand.self,
      CassetteLintCommand.self, ReviewCommand.self, CassetteVerifyCommand.self,
      CassetteDiffCommand.self,
      CassetteMergeCommand.self,
      CassettePruneCommand.self,
      CassetteFormatCommand.self,
      RulesListCommand.self, RulesShowCommand.self, MetricsListCommand.self,
      PresetsListCommand.self, PresetsShowCommand.self,
      CheckReleaseCommand.self, ModelCommand.self, HelpCommand.self, CompletionsCommand.self,
    ].filter { $0 != SearchCommand.self || ReferenceClient.flow != nil }
  }

  /// Runs a command line in its own environment.
  static func run(_ words: [String], in environment: ToolEnvironment) async -> ExitCode {
    await ToolEnvironment.$current.withValue(environment) { await run(words) }
  }

  static func run(_ words: [String]) async -> ExitCode {
    switch words.first {
    case nil:
      Terminal.complain(text: help)
      return .usage
    case "--help", "-h": return Terminal.answer(help)
    case "--version": return Terminal.answer("windtunnel \(version)\n")
    default: break
    }
    guard let command = commands.first(where: { words.starts(with: $0.words) }) else {
      return unknown(words)
    }
    let rest = Array(words.dropFirst(command.words.count))
    if HelpText.isAsked(by: rest) { return Terminal.answer(help(for: command)) }
    do {
      let arguments = try Arguments(
        rest,
        flags: command.flags,
        operandsMax: command.operandsMax,
        takesCommand: command.takesCommand
      )
      try FileRoles.check(arguments)
      return try await command.run(arguments)
    } catch {
      return refuse(CommandError(error), helpFor: "windtunnel \(command.name)")
    }
  }

  private static func refuse(_ refusal: CommandError, helpFor command: String) -> ExitCode {
    Terminal.refuse(refusal, as: "windtunnel", helpFor: command)
  }

  /// Refuses a word that is no command, or the first word of a group, such as `cassette`.
  private static func unknown(_ words: [String]) -> ExitCode {
    let word = words[0]
    let group = commands.filter { $0.name.hasPrefix("\(word) ") }
    guard !group.isEmpty else {
      let refusal: CommandError =
        word.hasPrefix("-")
        ? .unknownFlag(word, among: ["--help", "--version"])
        : .unknownCommand(word, among: commands.map { $0.words[0] })
      return refuse(refusal, helpFor: "windtunnel")
    }
    if words.contains(where: { $0 == "--help" || $0 == "-h" }) {
      return Terminal.answer(help(of: group))
    }
    let isAlone = words.count == 1 || words[1].hasPrefix("-")
    let refusal =
      isAlone
      ? CommandError.incompleteCommand(word, group.map { $0.words[1] })
      : .unknownCommand("\(word) \(words[1])", among: group.map { $0.name })
    return refuse(refusal, helpFor: "windtunnel \(word)")
  }

  // The help texts. They are output, and a test compares each of them.

  /// The words of the commands that most users need.
  private static let firstWords = [
    "drill", "init", "record", "mutate", "serve", "proxy", "cassette", "report",
  ]

  /// The help without a command: the commands that most users need.
  static var help: String {
    let rows = firstWords.map { word in
      let command = commands.first { $0.name == word }
      return (word, command?.summary ?? "Show, explain, lint, compare, convert and edit cassettes.")
    }
    return """
      Record real HTTP traffic, replay it, inject network faults into it,
      and report what a client does wrong.

      \(HelpText.columns(rows))

      Example: windtunnel drill -- ./my-client {url}
      Each command has its own --help. `windtunnel help all` lists every command.
      --version prints the version.

      """
  }

  /// The list of all commands.
  static var fullHelp: String {
    """
    \(HelpText.columns(commands.map { ($0.name, $0.summary) }))

    Each command has its own --help.

    """
  }

  /// Returns the help of one command, with its flags.
  static func help(for command: any Command.Type) -> String {
    HelpText.text(
      command.summary,
      usage: "windtunnel \(command.name) \(command.synopsis)",
      flags: command.flags,
      example: command.example
    )
  }

  /// Returns the help of a group of commands.
  static func help(of group: [any Command.Type]) -> String {
    """
    \(group.map { "  windtunnel \($0.name) \($0.synopsis)\n      \($0.summary)" }.joined(separator: "\n"))

    Example: \(group[0].example)
    Each has its own --help.

    """
  }
}

/// The use of files on a command line. A file that is read must not be overwritten by another flag.
enum FileRoles {
  /// Flags whose file is newly written.
  private static let written = ["--report", "--ca-out", "--out", "--write-baseline"]
  /// Flags whose file is read, even if it is extended later.
  private static let read = [
    "--cassette", "--record", "--scenario", "--match", "--baseline", "--again", "--upstream-ca",
    "--plan", "--bars", "--junit", "--accepted", "--log",
  ]

  /// Refuses a command line before anything is done.
  static func check(_ arguments: Arguments) throws(CommandError) {
    for (index, flag) in written.enumerated() {
      let others = read + written[..<index]
      for path in arguments.all(flag) {
        // `drill.json#metro/payments/17` refers to `drill.json`.
        for other in others
        where arguments.all(other).contains(where: { isOne(path, $0.prefix { $0 != "#" }) }) {
          throw .writtenOver(flag, path, namedBy: other)
        }
        if arguments.operands.contains(where: { word in
          isOne(path, word[...]) || isOne(path, word.prefix { $0 != "#" })
        }) {
          throw .writtenOver(flag, path, namedBy: nil)
        }
      }
    }
  }

  private static func isOne(_ one: String, _ two: Substring) -> Bool {
    place(one) == place(String(two)) || identity(one).map { $0 == identity(String(two)) } ?? false
  }

  private static func place(_ path: String) -> String {
    URL(typed: path).standardizedFileURL.resolvingSymlinksInPath().path
  }

  /// Returns the identity of a file, independent of its path; `nil` if it is missing.
  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard stat(URL(typed: path).path, &status) == 0 else { return nil }
    return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
  }
}
