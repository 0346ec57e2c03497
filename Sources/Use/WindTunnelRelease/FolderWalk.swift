/// The files below a folder in the order of their names, and the targets of its links.
///
/// A link to a place in the folder is skipped, because the walk visits its target. A link to
/// another place is followed once, because its target would be copied into a release.
struct FolderWalk {
  /// The paths that were not visited yet, in reverse order. A folder may be a link to one.
  private var paths: [(place: String, isFolder: Bool)]
  /// The real path of the folder.
  private let root: String
  /// The real paths of the folder and of the targets of links.
  private var roots: Set<String>

  init(_ folder: String) {
    paths = [(folder, true)]
    root = Self.realPath(of: folder) ?? folder
    roots = [root]
  }

  /// Returns the next file, or the next place with the reason why it cannot be read; `nil` at the
  /// end.
  mutating func next() -> (place: String, problem: ReadingError?)? {
    while let (place, isFolder) = paths.popLast() {
      do {
        if isFolder {
          let names = try FileManager.default.contentsOfDirectory(atPath: place)
          let front = place.hasSuffix("/") ? place : "\(place)/"
          paths += names.sorted(by: >).map { (place: front + $0, isFolder: false) }
        } else if try isFile(place) {
          return (place, nil)
        }
      } catch let error as ReadingError {
        return (place, error)
      } catch {
        return (place, .unreadable(FileError.reason(error)))
      }
    }
    return nil
  }

  /// Returns whether a path is a file that was not visited. Adds a folder to the paths.
  private mutating func isFile(_ place: String) throws -> Bool {
    // The attributes of a link itself, not of its target.
    switch try FileManager.default.attributesOfItem(atPath: place)[.type] as? FileAttributeType {
    case .typeRegular?: return true
    case .typeSymbolicLink?: return try isFile(behind: place)
    case .typeDirectory?:
      paths.append((place, true))
      return false
    case let type: throw ReadingError.kind(Self.noun(of: type))
    }
  }

  /// Returns whether the target of a link is a file that was not visited. Adds a folder to the
  /// paths.
  private mutating func isFile(behind link: String) throws(ReadingError) -> Bool {
    let manager = FileManager.default
    guard let target = Self.realPath(of: link),
      // A target that was removed in the meantime is missing.
      let type = try? manager.attributesOfItem(atPath: target)[.type] as? FileAttributeType
    else {
      // If the link has no text either, it was removed in the meantime.
      let text = try? manager.destinationOfSymbolicLink(atPath: link)
      throw .link(to: text ?? "nothing", "which is missing")
    }
    if ([target] + Self.folders(above: target)).contains(where: roots.contains) { return false }
    // The target can be the root of a file system.
    guard !Self.folders(above: root).contains(target) else {
      throw .link(to: target, "which contains the link")
    }
    guard type == .typeRegular || type == .typeDirectory else {
      throw .link(to: target, "which is \(Self.noun(of: type)), not a file")
    }
    roots.insert(target)
    if type == .typeDirectory { paths.append((link, true)) }
    return type == .typeRegular
  }

  /// Returns the folders that contain a path, the nearest first.
  private static func folders(above path: String) -> [String] {
    var (all, rest) = ([String](), path[...])
    while let end = rest.lastIndex(of: "/") {
      rest = rest[..<end]
      all.append(rest.isEmpty ? "/" : String(rest))
    }
    return all
  }

  private static func realPath(of path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func noun(of type: FileAttributeType?) -> String {
    switch type {
    case .typeSocket?: "a socket"
    case .typeCharacterSpecial?, .typeBlockSpecial?: "a device"
    default: "a pipe or similar"
    }
  }
}
