import Foundation
import Testing
import WindTunnel
import WindTunnelDrill

/// The built tool and its like, which stand beside this test program.
enum Tool {
  struct End {
    var code: Int32
    var answer: String
    var complaints: String
  }

  static func run(
    _ words: [String],
    of name: String = "windtunnel",
    with environment: [String: String] = [:],
    under starter: [String] = []
  ) async throws -> End {
    let process = SpawnedProcess()
    let program = try #require(Bundle.main.executableURL)
    let tool = program.deletingLastPathComponent().appending(path: name)
    process.executableURL = try starter.first.map { try #require(Executable.find($0)) } ?? tool
    process.arguments = starter.isEmpty ? words : starter.dropFirst() + [tool.path] + words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    async let complaints = read(errors.fileHandleForReading)
    let answer = await read(output.fileHandleForReading)
    let words = await complaints
    process.waitUntilExit()
    return End(code: process.terminationStatus, answer: answer, complaints: words)
  }

  /// On a thread of its own: a blocked thread of the pool would block other tests.
  private static func read(_ handle: FileHandle) async -> String {
    await withCheckedContinuation { continuation in
      Thread {
        // A pipe that cannot be read was closed, and what came is all there is.
        let data = (try? handle.readToEnd()) ?? Data()
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }.start()
    }
  }
}

/// A folder that goes when its test is over.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "drill-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  // Nothing can be done about a folder that stays.
  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String, _ text: String? = nil) throws -> String {
    let file = url.appending(path: name)
    if let text { try Data(text.utf8).write(to: file) }
    return file.path
  }
}
