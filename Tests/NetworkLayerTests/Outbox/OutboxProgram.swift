import Foundation
import Testing
import WindTunnelDrill

@testable import WindTunnelNetworkLayer

/// The app with an outbox, `Tests/OutboxDrill`, as a process.
final class OutboxProgram: Sendable {
  struct End: Sendable {
    var lines: [String]
    var code: Int32
  }

  private let process = SpawnedProcess()
  private let starter: [String]

  /// Makes a program that has not started.
  ///
  /// - Parameter starter: The words of a program that starts it.
  init(under starter: [String] = []) { self.starter = starter }

  /// The first of these starters that a system lets everybody use; `nil`: none.
  static func starter(_ starters: [[String]], doing command: String) -> [String]? {
    starters.first { words in
      let process = SpawnedProcess()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = [
        "-c", "exec \(words.joined(separator: " ")) \(command) < /dev/null > /dev/null 2>&1",
      ]
      do { try process.run() } catch { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
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
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = starter + command
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.standardError
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let lines = await withCheckedContinuation { continuation in
      // On a thread of its own: a blocked thread of the pool would block other tests.
      Thread {
        let handle = output.fileHandleForReading
        var (lines, rest): ([String], Data) = ([], Data())
        while true {
          let piece = handle.availableData
          if piece.isEmpty { break }
          rest += piece
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = Data(rest[(end + 1)...])
            hear(lines[lines.count - 1])
          }
        }
        continuation.resume(returning: lines)
      }.start()
    }
    process.waitUntilExit()
    return End(lines: lines, code: process.terminationStatus)
  }

  /// Kills it at once, whatever it does (SIGKILL).
  func kill() { process.killAll() }
}
