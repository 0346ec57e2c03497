import Foundation
import WindTunnelDrill

/// Another program than ours, such as curl, as a client.
enum Companion {
  /// Where it lies; `nil` where this machine has none.
  static func find(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs it to its end and answers what it printed, errors included, and its exit code.
  static func run(_ words: [String], in scratch: Scratch) async throws -> (
    code: Int32, text: String
  ) {
    let process = SpawnedProcess()
    process.executableURL = URL(filePath: "/bin/sh")
    // The redirection is the shell's, so that nobody has to read a pipe.
    process.arguments = ["-c", "exec \"$@\" > .companion 2>&1 < /dev/null", "sh"] + words
    process.currentDirectoryURL = scratch.folder
    let (ends, ended) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      ended.yield(process.terminationStatus)
      ended.finish()
    }
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    do {
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try process.run()
    }
    var code: Int32 = -1
    for await end in ends { code = end }
    let file = scratch.folder.appendingPathComponent(".companion")
    return (code, try String(contentsOf: file, encoding: .utf8))
  }
}
