package import Foundation
internal import WindTunnelCommandLine
package import WindTunnelServer

/// A child process with the interface of `Foundation.Process`. It is set up before it runs.
///
/// It does not use that class on Linux. There, the class waits for ends on a run loop that all
/// processes share, and crashed when one process ended while another began. Here, a thread waits
/// for each process. The child starts in a process group of its own. On Linux, it has no blocked or
/// ignored signals, and only its standard streams are open. It is killed when this process ends for
/// any reason. On iOS and the systems derived from it, an app cannot start other programs, and
/// `run()` throws.
package final class SpawnedProcess: @unchecked Sendable {
  package var executableURL: URL?
  package var arguments: [String] = []
  package var environment: [String: String]?
  package var currentDirectoryURL: URL?
  /// The standard input: a `Pipe` or a `FileHandle`, as for the other streams. `nil` means the
  /// parent's own.
  package var standardInput: Any?
  package var standardOutput: Any?
  package var standardError: Any?
  /// Whether the system kills the child if this process ends without having waited for it. Apple
  /// platforms do not report the end of a parent.
  var endsWithParent = true
  /// Whether the child has a supervisor. It ends every remaining descendant when this process ends,
  /// even in another session. Only Linux has supervisors.
  package var isSupervised = false
  /// A descriptor that the supervisor holds open until no process is left. A negative value means
  /// none.
  var heldOpen: Int32 = -1
  /// The network of a supervised child. `nil` means this process's network.
  package var network: PrivateNetwork?
  /// Called once, on a thread of its own, when the process has ended.
  package var terminationHandler: (@Sendable (SpawnedProcess) -> Void)?
  /// The state of the child in the system.
  let system = SystemProcess()

  package init() {}

  /// Creates a process without input that discards its standard error.
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
    // The caller names the program that cannot be started.
    await Thread.result { (try? self.output()).map { String(decoding: $0, as: UTF8.self) } }
  }
}

extension Thread {
  /// Runs a closure that blocks on a thread of its own, and returns its result.
  package static func result<Result: Sendable>(
    _ run: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: run()) }.start()
    }
  }
}

/// The search for programs.
package enum Executable {
  /// Finds a program as a shell does: a name with a slash is a path, and any other name is looked
  /// up on `PATH`.
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

extension DispatchQueue {
  /// Runs an action after a time, unless the returned item is cancelled.
  @discardableResult
  static func after(
    _ time: Duration,
    _ action: @escaping @Sendable () -> Void
  ) -> DispatchWorkItem {
    let item = DispatchWorkItem(block: action)
    global().asyncAfter(deadline: .now() + time, execute: item)
    return item
  }
}
