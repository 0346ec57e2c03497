internal import Foundation

/// Files of this process in the system's folder for temporary files.
///
/// The file name contains the number of the process, so that a later process can remove the files
/// of a killed one.
enum TemporaryPlace {
  private static let prefix = "windtunnel-"
  private static let youngSeconds = 3600.0
  private static let remainsAreGone: Void = removeRemains(in: folder)

  private static var folder: URL { FileManager.default.temporaryDirectory }

  /// Returns the URL of a file that does not exist yet. The first call removes files of ended
  /// processes.
  static func new(_ kind: String) -> URL {
    _ = remainsAreGone
    return folder.appending(path: "\(prefix)\(getpid())-\(UUID().uuidString).\(kind)")
  }

  static func removeRemains(in folder: URL) {
    // A file that cannot be listed or removed uses disk space, but does no other harm.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
      guard name.hasPrefix(prefix) else { continue }
      let parts = name.dropFirst(prefix.count).split(separator: "-", maxSplits: 1)
      guard parts.count == 2, let process = pid_t(parts[0]), process > 0,
        UUID(uuidString: String(parts[1].prefix(36))) != nil,
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      let file = folder.appending(path: name)
      // Processes of another container have other numbers, so a recent file may belong to one of
      // them.
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      guard let date = attributes?[.modificationDate] as? Date,
        date.timeIntervalSinceNow < -youngSeconds
      else { continue }
      try? FileManager.default.removeItem(at: file)
    }
  }
}
