internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// One command of the tool.
protocol Command: Sendable {
  /// The words that call it, such as `cassette show`.
  static var name: String { get }
  /// One line about it.
  static var summary: String { get }
  /// What may follow the name.
  static var synopsis: String { get }
  /// Its flags.
  static var flags: [Flag] { get }
  /// One line that works.
  static var example: String { get }
  /// How many operands it takes at most.
  static var operandsMax: Int { get }
  /// Whether a command to run may follow `--`.
  static var takesCommand: Bool { get }
  /// Does it.
  static func run(_ arguments: Arguments) async throws -> ExitCode
}

extension Command {
  static var operandsMax: Int { 0 }
  static var takesCommand: Bool { false }
}

/// The tool: finds the command that is meant and runs it.
enum Tool {
  /// The version of the program and of the library.
  static let version = "0.1.0"
  /// The first argument of a process that looks at a fault; the second is where.
  static let lookWord = "look-as-session"
  /// That of a process that has a name server of its own.
  static let standWord = "stand-as-network"

  static var commands: [any Command.Type] {
    [
      DrillCommand.self, RecordCommand.self, ServeCommand.self, ProxyCommand.self,
      DNSCommand.self, ReportCommand.self, FaultsListCommand.self, FaultsSelftestCommand.self,
      ScenariosListCommand.self, ScenariosShowCommand.self,
      CassetteShowCommand.self, CassetteExplainCommand.self, CassetteConvertCommand.self,
      CassetteLintCommand.self, CassetteVerifyCommand.self, CassetteDiffCommand.self,
      CassetteMergeCommand.self,
      CassetteSplitCommand.self, CassettePruneCommand.self, CassetteMigrateCommand.self,
      MetricsListCommand.self,
      PresetsListCommand.self, PresetsShowCommand.self, PresetsImportCommand.self,
      ModelCommand.self,
    ]
  }

  static func run(_ words: [String]) async -> ExitCode {
    switch words.first {
    case nil:
      Terminal.complain(text: help)
      return .usage
    case "--help", "-h": return answer(help)
    // `help drill` is `drill --help`.
    case "help": return words.count == 1 ? answer(help) : await run(words.dropFirst() + ["--help"])
    case "--version": return answer("windtunnel \(version)\n")
    default: break
    }
    guard let command = commands.first(where: { isMeant($0, by: words) }) else {
      return unknown(words)
    }
    let rest = Array(words.dropFirst(command.name.split(separator: " ").count))
    if HelpText.isAsked(by: rest) {
      return answer(help(for: command))
    }
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
      return refuse(Refusal(error), helpFor: "windtunnel \(command.name)")
    }
  }

  private static func answer(_ text: String) -> ExitCode {
    Terminal.answer(text)
    return .done
  }

  private static func refuse(_ refusal: Refusal, helpFor command: String) -> ExitCode {
    Terminal.refuse(refusal, as: "windtunnel", helpFor: command)
  }

  private static func isMeant(_ command: any Command.Type, by words: [String]) -> Bool {
    let name = command.name.split(separator: " ").map(String.init)
    return Array(words.prefix(name.count)) == name
  }

  /// A word that is no command, or one that others follow, such as `cassette`.
  private static func unknown(_ words: [String]) -> ExitCode {
    let word = words[0]
    let group = commands.filter { $0.name.hasPrefix("\(word) ") }
    guard !group.isEmpty else {
      let refusal: Refusal =
        word.hasPrefix("-")
        ? .unknownFlag(word, among: ["--help", "--version"])
        : .unknownCommand(word, among: topWords)
      return refuse(refusal, helpFor: "windtunnel")
    }
    if words.contains(where: { $0 == "--help" || $0 == "-h" }) { return answer(help(of: group)) }
    guard words.count > 1, !words[1].hasPrefix("-") else {
      let rest = group.map { String($0.name.dropFirst(word.count + 1)) }
      return refuse(.incompleteCommand(word, rest), helpFor: "windtunnel \(word)")
    }
    let refusal = Refusal.unknownCommand("\(word) \(words[1])", among: group.map { $0.name })
    return refuse(refusal, helpFor: "windtunnel \(word)")
  }

  /// The words that a command line can begin with.
  private static var topWords: [String] {
    commands.map { $0.name.split(separator: " ").first.map(String.init) ?? $0.name }
  }
}
