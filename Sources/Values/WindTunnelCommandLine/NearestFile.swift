internal import Foundation
internal import WindTunnel

/// A search for the file that was probably meant by a missing name.
enum NearestFile {
  /// The maximum number of names in a folder that is searched.
  private static let namesMax = 1000
  /// The maximum length of a name that is compared; file systems allow no longer names.
  private static let nameBytesMax = 255
  /// The minimum length of a name without its extension. Nearly all shorter names are similar.
  private static let stemCharactersMin = 3

  /// Returns the path of the file in the same folder with the most similar name and the same
  /// extension. If the path has no extension, any extension matches.
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

  /// Returns the files of a folder that are not hidden, sorted; empty if there are too many.
  private static func files(in folder: URL) -> [URL] {
    let manager = FileManager.default
    // If the folder cannot be listed, there is no suggestion, and the file's error is reported
    // anyway.
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
