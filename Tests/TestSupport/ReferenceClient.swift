internal import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test of the careful client, or of a table that names it, where the client was removed: a
  /// package without the wing `Client` builds, and its other tests are green.
  public static var referenceClient: Self {
    let client = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Client").standardizedFileURL.path
    return .enabled(
      if: FileManager.default.fileExists(atPath: client),
      "Sources/Client is not in this tree"
    )
  }
}
