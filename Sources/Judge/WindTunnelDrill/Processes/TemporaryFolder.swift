package import Foundation

/// A temporary folder. Its last user removes it.
package final class TemporaryFolder: Sendable {
  /// The URL of the folder.
  package let url: URL

  /// Creates an empty folder, or a copy of another one.
  package init(copying other: TemporaryFolder? = nil) throws {
    url = TemporaryPlace.new("start")
    if let other {
      try FileManager.default.copyItem(at: other.url, to: url)
    } else {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
  }

  deinit { remove() }

  /// Removes the folder with all its files.
  func remove() {
    // A folder that cannot be removed is left to the system's clean-up.
    try? FileManager.default.removeItem(at: url)
  }
}
