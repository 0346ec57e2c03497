package import Foundation
internal import WindTunnelCommandLine

extension SpawnedProcess {
  /// The way a process ended.
  package enum TerminationReason: Sendable, Hashable {
    case exit
    case uncaughtSignal
  }

  /// Whether the process ended because it was killed.
  var wasKilled: Bool {
    !isRunning && terminationReason == .uncaughtSignal && terminationStatus == SIGKILL
  }
}

/// The refusal of a system that lets no app start another program.
struct NoPrograms: LocalizedError, CustomStringConvertible {
  let description = """
    this system starts no other programs; fly a closure by `Drill` here, \
    or drill programs on macOS or Linux
    """

  /// The sentence as Foundation's errors say theirs.
  var errorDescription: String? { description }
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
