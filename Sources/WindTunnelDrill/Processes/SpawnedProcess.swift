package import Foundation
internal import WindTunnelCommandLine

extension SpawnedProcess {
  /// The way a process ended.
  package enum TerminationReason: Sendable, Hashable {
    case exit
    case uncaughtSignal
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
    if name.contains("/") {
      let file = URL(typed: name)
      return isProgram(file.path) ? file : nil
    }
    let folders = (ToolEnvironment.current.variables["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { "\($0)/\(name)" }.first(where: isProgram).map { URL(filePath: $0) }
  }

  private static func isProgram(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    let files = FileManager.default
    return files.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
      && files.isExecutableFile(atPath: path)
  }
}
