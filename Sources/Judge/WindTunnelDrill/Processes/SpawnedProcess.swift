package import Foundation
internal import WindTunnelCommandLine
package import WindTunnelServer

/// A child process, in the words of `Foundation.Process`, which is set up before it runs.
///
/// Not that class itself: on Linux it watches for ends on a run loop that all processes share, and
/// if one ends while another begins, it has been seen to bring the program down. There each process
/// is waited for by a thread of its own. The child starts in a process group of its own; on Linux
/// with no signal blocked, none ignored, nothing open but its standard streams, and it is killed
/// when this process ends, however that goes. On iOS and the systems derived from it an app starts
/// no other program, and `run()` throws.
package final class SpawnedProcess: @unchecked Sendable {
  package var executableURL: URL?
  package var arguments: [String] = []
  package var environment: [String: String]?
  package var currentDirectoryURL: URL?
  /// A `Pipe` or a `FileHandle`, as for the others; `nil`: the parent's own.
  package var standardInput: Any?
  package var standardOutput: Any?
  package var standardError: Any?
  /// Whether the system kills the child when this process ends without having waited for it. On
  /// Apple platforms nobody is told of a parent's end.
  var endsWithParent = true
  /// Whether the child has a supervisor, by which every descendant that it leaves behind ends when
  /// this process does, whatever session that has made for itself. Linux alone has one.
  package var isSupervised = false
  /// A descriptor that the supervisor holds open until nothing is left; negative: none.
  var heldOpen: Int32 = -1
  /// The network of a supervised child; `nil`: this process's.
  package var network: PrivateNetwork?
  /// Called once, on a thread of its own, when the process has ended.
  package var terminationHandler: (@Sendable (SpawnedProcess) -> Void)?
  /// The system's state of the child.
  let system = SystemProcess()

  package init() {}

  /// Creates a process without input, whose errors are not shown.
  package convenience init(_ executable: URL, _ arguments: [String]) {
    self.init()
    (executableURL, self.arguments) = (executable, arguments)
    (standardInput, standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
  }

  /// The way a process ended.
  package enum TerminationReason: Sendable, Hashable {
    case exit
    case uncaughtSignal
  }

  /// Whether the process ended because it was killed.
  var wasKilled: Bool {
    !isRunning && terminationReason == .uncaughtSignal && terminationStatus == SIGKILL
  }

  /// Starts the process and returns its output when it has ended.
  package func output() throws -> Data {
    let output = Pipe()
    standardOutput = output
    try run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    waitUntilExit()
    return data
  }

  /// Starts the process and returns its output when it has ended; `nil` if it cannot be started.
  func text() async -> String? {
    await withCheckedContinuation { continuation in
      Thread {
        // The caller names the program that cannot be started.
        let data = try? self.output()
        continuation.resume(returning: data.map { String(decoding: $0, as: UTF8.self) })
      }.start()
    }
  }
}

/// The search for programs.
package enum Executable {
  /// Looks a name up as a shell does: with a slash it is a path, else it is on `PATH`.
  package static func find(_ name: String) -> URL? {
    let folders = (ToolEnvironment.current.variables["PATH"] ?? "").split(separator: ":")
    let paths = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
    return paths.lazy.map { URL(typed: $0) }.first(where: isProgram)
  }

  private static func isProgram(_ file: URL) -> Bool {
    var isDirectory: ObjCBool = false
    let files = FileManager.default
    return files.fileExists(atPath: file.path, isDirectory: &isDirectory) && !isDirectory.boolValue
      && files.isExecutableFile(atPath: file.path)
  }
}
