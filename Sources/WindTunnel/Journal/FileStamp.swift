internal import Foundation

/// The state of a file, which another writer changes. The file is not read for it.
struct FileStamp: Equatable {
  private let inode: Int?
  private let bytes: Int?
  private let changed: Date?

  init(_ file: URL) {
    // Of no file all three are absent, until somebody makes one.
    let path = ((try? FileError.target(of: file)) ?? file).path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    inode = attributes?[.systemFileNumber] as? Int
    bytes = attributes?[.size] as? Int
    changed = attributes?[.modificationDate] as? Date
  }
}
