import Programs
import Testing

@testable import windtunnel_cli

/// The tool: its commands run in this process where they can, and else as the built `windtunnel`.
enum Program {
  /// The commands that run as a process of their own, each with the reason. Their refusals and help
  /// come before that, and in this process.
  static let processes: KeyValuePairs<String, String> = [
    "drill": "starts its executable for each subject, and ends in order on a signal",
    "search": "sets the clock of its threads",
    "record": "serves until a signal or its command's end; --mode verify runs here",
    "serve": "serves until a signal",
    "proxy": "serves until a signal or a key",
    "dns": "serves until a signal",
    "faults selftest": "starts its executable as a client and in namespaces",
    "mutate": "serves until its command ends",
    "check-release": "passes paths as text to a module that resolves them by the process's folder",
  ]

  /// A run that ended, with all that it printed.
  struct Run: Equatable {
    var code: Int32
    var out: String
    var err: String

    /// Expects this exit code.
    @discardableResult
    func exits(_ code: Int32, at place: SourceLocation = #_sourceLocation) -> Run {
      #expect(self.code == code, "\(self)", sourceLocation: place)
      return self
    }

    /// The elements of the JSON list that it printed.
    func rows() throws -> [JSON] {
      guard case .array(let rows) = try JSON(parsing: out.utf8, source: "rows") else {
        throw NoList(run: self)
      }
      return rows
    }
  }

  /// Output that is no list.
  private struct NoList: Error {
    var run: Run
  }

  /// Why there is nothing to run.
  struct NotBuilt: Error, CustomStringConvertible {
    var looked: [String]

    var description: String {
      "There is no windtunnel in \(looked.joined(separator: " or ")). It is built beside the tests "
        + "by: swift build --build-tests"
    }
  }

  /// The executable that was built together with these tests: it lies beside their bundle.
  static func executable() throws -> URL {
    let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    let running = Bundle.main.executableURL.map { [$0] } ?? []
    let folders = (bundles + running).map { $0.deletingLastPathComponent() }
    let found = folders.map { $0.appendingPathComponent("windtunnel") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else { throw NotBuilt(looked: folders.map(\.path)) }
    return found
  }

  /// Runs the tool's code in this process, with streams, folder and variables of its own.
  static func runHere(
    _ words: [String],
    in scratch: Scratch,
    with environment: [String: String] = [:]
  ) async -> Run {
    let printed = Printed()
    let environment = ToolEnvironment(
      variables: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      folder: scratch.folder
    ) { printed.take($0, $1) }
    let code = await Tool.run(words, in: environment)
    return printed.run(code.rawValue)
  }
}

extension Scratch {
  /// Runs the tool here to its end.
  func run(
    _ lines: CommandLine...,
    with environment: [String: String] = [:],
    isTool: Bool = true
  ) async throws -> Program.Run {
    try await run(lines.flatMap(\.words), with: environment, isTool: isTool)
  }

  /// Runs it to its end, or the program that the first word names by its path.
  func run(
    _ words: [String],
    with environment: [String: String] = [:],
    isTool: Bool = true
  ) async throws -> Program.Run {
    if isTool {
      let run = await Program.runHere(words, in: self, with: environment)
      let isRefused = run.code == CommandError.processMissing.code.rawValue
      guard isRefused, run.err.hasSuffix("windtunnel: \(CommandError.processMissing.sentence)\n")
      else {
        return run
      }
      let line = words.joined(separator: " ")
      try #require(Program.processes.contains { line.hasPrefix($0.key) }, "\(line) has no reason")
    }
    return try await Flight(words, in: self, with: environment, isTool: isTool).end()
  }

  /// Runs the tool to its end, and expects this exit code and this output, and no other.
  func expect(
    _ lines: CommandLine...,
    code: Int32 = 0,
    out: String = "",
    err: String = "",
    at place: SourceLocation = #_sourceLocation
  ) async throws {
    try await expect(lines.flatMap(\.words), code: code, out: out, err: err, at: place)
  }

  /// Runs it to its end, and expects this exit code and this output, and no other.
  func expect(
    _ words: [String],
    with environment: [String: String] = [:],
    isTool: Bool = true,
    code: Int32 = 0,
    out: String = "",
    err: String = "",
    at place: SourceLocation = #_sourceLocation
  ) async throws {
    let run = try await run(words, with: environment, isTool: isTool)
    #expect(run == Program.Run(code: code, out: out, err: err), sourceLocation: place)
  }

  /// Starts the tool here, and waits for its first line.
  func start(_ lines: CommandLine...) async throws -> (flight: Flight, line: String) {
    try await start(lines.flatMap(\.words))
  }

  /// Starts the tool here, or another program, and waits for its first line.
  func start(
    _ words: [String],
    with environment: [String: String] = [:],
    isTool: Bool = true
  ) async throws -> (flight: Flight, line: String) {
    let flight = try Flight(words, in: self, with: environment, isTool: isTool)
    return (flight, try #require(try await flight.line()))
  }
}

/// The text that a command in this process prints.
private final class Printed: @unchecked Sendable {
  private let lock = NSLock()
  private var (out, err) = ("", "")

  func take(_ text: String, _ stream: ToolEnvironment.Stream) {
    lock.withLock { if stream == .output { out += text } else { err += text } }
  }

  func run(_ code: Int32) -> Program.Run {
    lock.withLock { Program.Run(code: code, out: out, err: err) }
  }
}

/// A run of the tool that is under way.
struct Flight: Sendable {
  private let program: StartedProgram

  /// Starts the tool in a folder, or the program that the first word names by its path.
  init(
    _ words: [String],
    in scratch: Scratch,
    with environment: [String: String] = [:],
    isTool: Bool = true
  ) throws {
    program = try StartedProgram(
      isTool ? [Program.executable().path] + words : words,
      in: scratch.folder,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
    )
    try program.start()
  }

  /// Waits for the next line on standard output; `nil` if there are no more.
  func line() async throws -> String? { try await program.line() }

  /// What it has printed on standard error so far.
  func errors() throws -> String { Self.withoutLimit(try program.errors()) }

  /// The number of the process.
  var number: Int32 { program.number }

  /// Sends it a signal.
  func signal(_ number: Int32) { program.signal(number) }

  /// Waits for its end and for the end of what it prints.
  func end() async throws -> Program.Run {
    let run = try await program.end()
    return Program.Run(code: run.code, out: run.out, err: Self.withoutLimit(run.err))
  }

  /// Interrupts it as Control-C does, and waits for its end.
  @discardableResult
  func interrupt() async throws -> Program.Run {
    signal(SIGINT)
    return try await end()
  }

  /// Leaves out what a server says first where the system allows few open files (`ulimit -n 1024`): it is
  /// right there, and no test of what is said otherwise depends on the machine.
  private static func withoutLimit(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("The system allows this process ") }
      .joined(separator: "\n")
  }
}
