public import Foundation

/// The bodies that a HAR refers to by `_file` instead of containing them, as Playwright writes
/// them: files in the HAR's own folder.
public struct HARAttachments: Sendable {
  /// The reason why a body that is named cannot be had.
  package struct Problem: Error, Hashable {
    var reason: String

    /// Creates a problem of a reason, such as "is missing".
    package init(reason: String) { self.reason = reason }
  }

  /// No body of a HAR can be larger than a cassette.
  package static let fileBytesMax = Cassette.fileBytesMax

  /// Returns the bytes that are named.
  let read: @Sendable (_ name: String) throws(Problem) -> Data

  /// No attachments, for a HAR whose bytes did not come from a file.
  public static let none = HARAttachments { _ throws(Problem) in
    throw Problem(reason: "was not read")
  }

  /// Makes the attachments beside a HAR's file, in its folder and those within.
  public init(besides har: URL) {
    let folder = har.deletingLastPathComponent()
    self.init { name throws(Problem) in try Self.read(name, in: folder) }
  }

  /// Creates attachments that a function reads.
  package init(_ read: @escaping @Sendable (_ name: String) throws(Problem) -> Data) {
    self.read = read
  }

  private static func read(_ name: String, in folder: URL) throws(Problem) -> Data {
    // What leads out of the folder, by its name or by a link, is anybody's file.
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(""), !parts.contains(".."), !name.contains("\\"), !name.contains("\0")
    else { throw Problem(reason: "is not in the HAR's folder and was not read") }
    let file = folder.appendingPathComponent(name)
    let inside = folder.resolvingSymlinksInPath().path
    let real = file.resolvingSymlinksInPath().path
    guard real.hasPrefix(inside.hasSuffix("/") ? inside : "\(inside)/") else {
      throw Problem(reason: "is not in the HAR's folder and was not read")
    }
    do throws(FileError) {
      return try FileError.reading(file, bytesMax: fileBytesMax)
    } catch {
      switch error {
      case .missing: throw Problem(reason: "is not there")
      case .unreadable(_, let reason), .unwritable(_, let reason):
        throw Problem(reason: "cannot be read: \(reason)")
      case .tooLarge(_, let bytes, let most):
        throw Problem(reason: "has \(bytes) bytes; at most \(most) are read")
      }
    }
  }
}
