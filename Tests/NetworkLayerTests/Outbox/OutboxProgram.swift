import Programs
import TestSupport

@testable import WindTunnelNetworkLayer

/// The app with an outbox, `Tests/OutboxDrill`, as a process.
final class OutboxProgram: Sendable {
  struct End: Sendable {
    var lines: [String]
    /// The exit code, or the signal that ended it.
    var code: Int32
  }

  private let program = Locked<StartedProgram?>(nil)
  private let starter: [String]

  /// Makes a program that has not started.
  ///
  /// - Parameter starter: The words of a program that starts it.
  init(under starter: [String] = []) { self.starter = starter }

  /// The first of these starters that a system lets everybody use; `nil`: none.
  static func starter(_ starters: [[String]], doing command: String) -> [String]? {
    starters.first { words in
      StartedProgram.succeeds("exec \(words.joined(separator: " ")) \(command) > /dev/null 2>&1")
    }
  }

  /// Runs it with words to its end, and hears each line as it comes.
  func run(
    _ words: [String] = [],
    shell script: String? = nil,
    hearing hear: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> End {
    let tests = try #require(Bundle.main.executableURL)
    let tool = tests.deletingLastPathComponent().appending(path: "outbox-drill").path
    let command = script.map { ["/bin/sh", "-c", $0, tool] + words } ?? [tool] + words
    let program = try StartedProgram(starter + command, keepsErrors: false, hearing: hear)
    self.program.withLock { $0 = program }
    try program.start()
    let run = try await program.end()
    // A line that was cut short is none.
    let lines = run.out.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return End(lines: lines.map(String.init), code: abs(run.code))
  }

  /// Kills it at once, whatever it does (SIGKILL).
  func kill() { program.withLock { $0 }?.kill() }
}
