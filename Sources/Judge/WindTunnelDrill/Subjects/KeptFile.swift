internal import Foundation

/// The file of the configuration that an app has kept, in a folder of its own.
struct KeptFile: Sendable {
  private let folder: TemporaryFolder
  /// The file's place, where a first launch finds nothing.
  var url: URL { folder.url.appending(path: "configuration") }

  /// Writes a text; `nil` is the first launch of all.
  init(_ text: Data?) throws {
    folder = try TemporaryFolder()
    try text?.write(to: url)
  }

  /// Removes the folder, with what a program has put there.
  func remove() { folder.remove() }
}
