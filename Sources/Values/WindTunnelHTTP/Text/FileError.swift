package import Foundation

/// The error of a file that cannot be read or written.
public enum FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No file has this name.
  case missing(String)
  /// The file exists but cannot be read.
  case unreadable(String, reason: String)
  /// The file cannot be written.
  case unwritable(String, reason: String)
  /// The file is larger than the limit.
  case tooLarge(String, bytes: Int, bytesMax: Int)

  /// The file and the problem, in a sentence.
  public var description: String {
    switch self {
    case .missing(let name): "\(name): no such file."
    case .unreadable(let name, let reason): "\(name) cannot be read: \(reason)."
    case .unwritable(let name, let reason): "\(name) cannot be written: \(reason)."
    case .tooLarge(let name, let bytes, let most):
      "\(name) has \(bytes) bytes; the maximum is \(most)."
    }
  }

  /// Reads a whole file of limited size.
  package static func reading(_ file: URL, bytesMax: Int) throws(FileError) -> Data {
    _ = try size(of: file, bytesMax: bytesMax)
    do {
      // The file is not memory-mapped, because bodies are read from these bytes later. If another
      // process truncated a mapped file, reading it would end this process.
      return try Data(contentsOf: file)
    } catch {
      throw .unreadable(file.relativePath, reason: reason(error))
    }
  }

  /// Returns the size in bytes of a file that can be read as a whole.
  package static func size(of file: URL, bytesMax: Int) throws(FileError) -> Int {
    let manager = FileManager.default
    var isDirectory: ObjCBool = false
    guard manager.fileExists(atPath: file.path, isDirectory: &isDirectory) else {
      throw .missing(file.relativePath)
    }
    guard !isDirectory.boolValue else {
      throw .unreadable(file.relativePath, reason: "it is a directory")
    }
    let attributes: [FileAttributeKey: Any]
    do {
      // The attributes of a link's target, rather than of the link.
      attributes = try manager.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
    } catch {
      throw .unreadable(file.relativePath, reason: reason(error))
    }
    // A device has no size to compare with the limit, and a pipe can be read only once.
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw .unreadable(file.relativePath, reason: "it is not a regular file")
    }
    let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    guard size <= bytesMax else {
      throw .tooLarge(file.relativePath, bytes: size, bytesMax: bytesMax)
    }
    return size
  }

  /// Returns the system's reason for an error, as half a sentence.
  package static func reason(_ error: any Error) -> String {
    // On Linux, the cause is a Swift error that cannot be cast to `NSError`.
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
    let code = (cause as NSError).code
    if (cause as NSError).domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(code)))
    }
    let words = (error as NSError).localizedDescription
    return words.hasSuffix(".") ? String(words.dropLast()) : words
  }

  /// Moves bytes to or from a file with calls that may each move a part, beginning at an offset.
  ///
  /// - Returns: The error code, or 0.
  package static func code(ofMoving count: Int, _ move: (_ done: Int) -> Int) -> Int32 {
    var done = 0
    while done < count {
      let moved = move(done)
      if moved < 0, errno == EINTR { continue }
      // If nothing was written without an error, the disk is full.
      guard moved > 0 else { return moved < 0 ? errno : ENOSPC }
      done += moved
    }
    return 0
  }
}

/// The wording for a process that has reached its limit of open files (`EMFILE`, `ENFILE`).
package enum FileShortage {
  /// The text that every such sentence contains.
  package static let words = "this process has too many open files"
}
