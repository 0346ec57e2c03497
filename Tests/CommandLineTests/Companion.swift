import Foundation
import Programs

/// Another program than ours, such as curl, as a client.
enum Companion {
  /// Where it lies; `nil` where this machine has none.
  static func find(_ name: String) -> String? { StartedProgram.path(of: name) }

  /// Runs it to its end and answers what it printed, errors included, and its exit code.
  static func run(_ words: [String], in scratch: Scratch) async throws -> (
    code: Int32, text: String
  ) {
    // The redirection is the shell's, so that both streams are one, in their order; and a file, which
    // may stay open in a program that is left behind.
    let file = scratch.file(".companion-\(UUID().uuidString)")
    let shell = ["/bin/sh", "-c", "exec \"$@\" > \"$0\" 2>&1 < /dev/null", file.path]
    let run = try await StartedProgram.run(shell + words, in: scratch.folder)
    return (run.code, try String(contentsOf: file, encoding: .utf8))
  }
}
