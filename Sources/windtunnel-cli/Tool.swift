internal import Foundation
internal import WindTunnel

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
  /// The first argument of a subject's process.
  static let subjectWord = "fly-as-subject"

  static var commands: [any Command.Type] {
    [
      DrillCommand.self, RecordCommand.self, ServeCommand.self, ReportCommand.self,
      CassetteShowCommand.self, CassetteConvertCommand.self, CassetteDiffCommand.self,
      CassetteMergeCommand.self, CassetteSplitCommand.self, CassettePruneCommand.self,
      CassetteMigrateCommand.self,
    ]
  }

  static func run(_ words: [String]) async -> ExitCode {
    guard let first = words.first else {
      Terminal.complain(help)
      return .usage
    }
    switch first {
    case "--help", "-h", "help":
      Terminal.answer(help)
      return .done
    case "--version":
      Terminal.answer("windtunnel \(version)\n")
      return .done
    default: break
    }
    guard let command = commands.first(where: { isMeant($0, by: words) }) else {
      return unknown(words)
    }
    let rest = Array(words.dropFirst(command.name.split(separator: " ").count))
    // What stands behind `--` is another program's.
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      Terminal.answer(help(for: command))
      return .done
    }
    do {
      let arguments = try Arguments(
        rest,
        flags: command.flags,
        operandsMax: command.operandsMax,
        takesCommand: command.takesCommand
      )
      return try await command.run(arguments)
    } catch {
      let refusal = Refusal(error)
      Terminal.complain("windtunnel: \(refusal.sentence)\n")
      if refusal.code == .usage {
        Terminal.complain("For help: windtunnel \(command.name) --help\n")
      }
      return refusal.code
    }
  }

  private static func isMeant(_ command: any Command.Type, by words: [String]) -> Bool {
    let name = command.name.split(separator: " ").map(String.init)
    return Array(words.prefix(name.count)) == name
  }

  private static func unknown(_ words: [String]) -> ExitCode {
    let group = commands.filter { $0.name.hasPrefix("\(words[0]) ") }
    if !group.isEmpty {
      let wantsHelp = words.contains { $0 == "--help" || $0 == "-h" }
      let text = group.map { "  windtunnel \($0.name) \($0.synopsis)\n" }.joined()
      if wantsHelp { Terminal.answer(text) } else { Terminal.complain(text) }
      return wantsHelp ? .done : .usage
    }
    let names = commands.map { $0.name }
    let near = nearest(to: words[0], in: names).map { " Did you mean \($0)?" } ?? ""
    Terminal.complain("windtunnel: There is no command \"\(words[0])\".\(near)\n")
    Terminal.complain("For help: windtunnel --help\n")
    return .usage
  }

  static var help: String {
    let width = commands.map { $0.name.count }.max() ?? 0
    let lines = commands.map { command in
      let padding = String(repeating: " ", count: width - command.name.count)
      return "  \(command.name)\(padding)  \(command.summary)"
    }
    return """
      Put your network layer in the wind tunnel: record its real traffic, replay it,
      make the weather bad on purpose, and read off how the client flew.

      \(lines.joined(separator: "\n"))

      Example: windtunnel drill
      Each command has its own --help. --version says which windtunnel this is.

      """
  }

  static func help(for command: any Command.Type) -> String {
    let shown = command.flags.map { flag in
      (flag.name + (flag.value.map { " \($0)" } ?? ""), flag.summary)
    }
    let width = shown.map(\.0.count).max() ?? 0
    let lines = shown.map { name, summary in
      "  \(name)\(String(repeating: " ", count: width - name.count))  \(summary)"
    }
    return """
      \(command.summary)

        windtunnel \(command.name) \(command.synopsis)

      \(lines.joined(separator: "\n"))

      Example: \(command.example)

      """
  }
}
