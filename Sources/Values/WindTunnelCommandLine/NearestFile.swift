internal import Foundation
internal import WindTunnel

/// The file that is likely meant by the name of one that is not there.
enum NearestFile {
  /// The number of names in the largest folder that is searched.
  private static let namesMax = 1000
  /// The longest name that is compared: file systems know none that is longer.
  private static let nameBytesMax = 255
  /// The shortest name, without its ending, that is compared: of shorter ones nearly all are near.
  private static let stemCharactersMin = 3

  /// Returns the file of the same folder and ending whose name is nearest to that of a path; where
  /// the path has no ending, any will do.
  static func beside(_ path: String) -> String? {
    let file = URL(typed: path).absoluteURL
    let (name, ending) = (file.lastPathComponent, file.pathExtension)
    let stem = file.deletingPathExtension().lastPathComponent
    guard path.hasSuffix(name), name.utf8.count <= nameBytesMax, stem.count >= stemCharactersMin
    else { return nil }
    let others = files(in: file.deletingLastPathComponent())
      .filter { ending.isEmpty || $0.pathExtension == ending }
    let stems = others.map { $0.deletingPathExtension().lastPathComponent }
    guard let near = nearest(to: stem, in: stems), let place = stems.firstIndex(of: near) else {
      return nil
    }
    return "\(path.dropLast(name.count))\(others[place].lastPathComponent)"
  }

  /// Returns the files of a folder that are not hidden, sorted; none where there are too many.
  private static func files(in folder: URL) -> [URL] {
    let manager = FileManager.default
    // A folder that cannot be listed has nothing to propose, and the file's error is told anyway.
    let names = (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
    guard names.count <= namesMax else { return [] }
    return names.sorted().filter { !$0.hasPrefix(".") }.map { folder.appendingPathComponent($0) }
      .filter { file in
        var isDirectory: ObjCBool = false
        return manager.fileExists(atPath: file.path, isDirectory: &isDirectory)
          && !isDirectory.boolValue
      }
  }
}
