public import Foundation

/// A new folder, removed with everything in it at the end of this value.
public final class TemporaryFolder: Sendable {
  /// The folder.
  public let url: URL

  /// Creates the folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  // What cannot be removed is left to the system's own cleaning.
  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the place of a file in the folder; creates none.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The names in the folder, sorted.
  public var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
