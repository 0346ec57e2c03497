import Programs
import TestSupport

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
    let program = try #require(Bundle.main.executableURL)
    let tool = program.deletingLastPathComponent().appending(path: name)
    let run = try await StartedProgram.run(
      starter + [tool.path] + words,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
    )
    return End(code: run.code, answer: run.out, complaints: run.err)
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
