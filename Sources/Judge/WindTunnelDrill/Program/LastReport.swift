internal import Foundation
internal import WindTunnelCommandLine

/// The report of the last drill, which `--again` reads. It is stored in the working directory.
enum LastReport {
  /// The path of the file, relative to the working directory.
  static let path = ".windtunnel/last.json"
  /// The maximum number of calls of a report that is kept: a larger one takes long to write.
  private static let callsMax = 50_000

  /// Writes the report, and reports a failure in one line.
  ///
  /// - Returns: Whether the report can be read at ``path``.
  static func keep(_ report: Report, as speaker: String) -> Bool {
    let calls = report.scenarios.flatMap(\.subjects).reduce(0) { $0 + $1.observations.count }
    let file = URL(typed: path)
    let folder = file.deletingLastPathComponent()
    let ignore = folder.appending(path: ".gitignore")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // A link could lead out of the working directory.
      for place in [folder, file, ignore] where isLink(place) {
        throw FileError.unwritable(path, reason: "\(place.lastPathComponent) is a link")
      }
      guard calls <= callsMax else {
        // An older report could be mistaken for the current one.
        if FileManager.default.fileExists(atPath: file.path) {
          try FileManager.default.removeItem(at: file)
        }
        return false
      }
      if !FileManager.default.fileExists(atPath: ignore.path) {
        try FileError.writing(Data("*\n".utf8), to: ignore)
      }
      try report.write(as: .json, to: file)
      return true
    } catch {
      let reason = (error as? FileError).map { "\($0)" } ?? FileError.reason(error)
      Terminal.complain("\(speaker): the last report was not stored: \(reason)\n")
      return false
    }
  }

  private static func isLink(_ file: URL) -> Bool {
    // A file that is missing has no attributes.
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return attributes?[.type] as? FileAttributeType == .typeSymbolicLink
  }
}
