internal import Foundation
internal import WindTunnelHTTP

/// The files below a folder, in the order of their names, and what its links lead to.
///
/// A link within the folder leads to what is looked at by itself. One out of it leads to what would
/// be copied into a release, and is looked at once.
struct FolderWalk {
  /// Something that lies there.
  enum Step {
    case file(String)
    case unread(String, ReadingError)
  }

  /// The folders that were not read yet, the next one last.
  private var folders: [String]
  /// The things in the folder that was read last, the next one last.
  private var steps: [Step] = []
  /// The real path of the folder itself.
  private let root: String
  /// The real paths of all that was or will be walked through.
  private var roots: Set<String>

  init(_ folder: String) {
    folders = [folder]
    root = Self.realPath(of: folder) ?? folder
    roots = [root]
  }

  /// Returns what comes next; `nil` at the end.
  mutating func next() -> Step? {
    while steps.isEmpty, let folder = folders.popLast() { read(folder) }
    return steps.popLast()
  }

  private mutating func read(_ folder: String) {
    let manager = FileManager.default
    var (found, below) = ([Step](), [String]())
    do {
      for name in try manager.contentsOfDirectory(atPath: folder).sorted() {
        let place = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        // Of a link itself, and not of what it leads to.
        switch try manager.attributesOfItem(atPath: place)[.type] as? FileAttributeType {
        case .typeDirectory?: below.append(place)
        case .typeRegular?: found.append(.file(place))
        case .typeSymbolicLink?: follow(place, &found, &below)
        case let type: found.append(.unread(place, .kind(Self.noun(of: type))))
        }
      }
    } catch {
      found.append(.unread(folder, .unreadable(FileError.reason(error))))
    }
    folders += below.reversed()
    steps = found.reversed()
  }

  /// Adds what a link leads to, unless it is looked at anyway.
  private mutating func follow(_ link: String, _ found: inout [Step], _ below: inout [String]) {
    let manager = FileManager.default
    func refuse(_ target: String, _ problem: String) {
      found.append(.unread(link, .link(to: target, problem)))
    }
    guard let target = Self.realPath(of: link),
      // What is gone since is not there.
      let type = try? manager.attributesOfItem(atPath: target)[.type] as? FileAttributeType
    else {
      // A link that was there a moment ago has a target, or is gone as well.
      let text = try? manager.destinationOfSymbolicLink(atPath: link)
      return refuse(text ?? "nothing", "which is not there")
    }
    guard !isWalked(target) else { return }
    // All of a disk, perhaps.
    guard !Self.folders(above: root).contains(target) else {
      return refuse(target, "which holds what is looked through")
    }
    switch type {
    case .typeDirectory:
      roots.insert(target)
      below.append(link)
    case .typeRegular:
      roots.insert(target)
      found.append(.file(link))
    default: refuse(target, "which is \(Self.noun(of: type)), and no file")
    }
  }

  private func isWalked(_ path: String) -> Bool {
    roots.contains(path) || Self.folders(above: path).contains { roots.contains($0) }
  }

  /// Returns the folders that a path goes through, the nearest first.
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
    default: "a pipe or the like"
    }
  }
}
