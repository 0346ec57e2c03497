internal import Foundation

/// The calls of the system by which files change for good, as values: a test hears in which order
/// they come, and has one fail. Who fails sets `errno`.
struct DiskCalls: Sendable {
  /// Writes bytes at a place of a file that is open, and returns how many; negative: none
  /// (pwrite(2)).
  var write: @Sendable (_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ place: Int) -> Int = {
    pwrite($0, $1.baseAddress, $1.count, off_t($2))
  }
  /// Waits until the disk has a file's bytes; false where it has not.
  var sync: @Sendable (_ file: Int32) -> Bool = { systemSync($0) }
  /// Waits until the disk has the names in a folder; false where it has not.
  var syncFolder: @Sendable (_ folder: Int32) -> Bool = { systemSyncFolder($0) }
  /// Gives a file a name in the place of another one's; false where that failed (rename(2)).
  var rename: @Sendable (_ old: String, _ new: String) -> Bool = { systemRename($0, $1) }
  /// Gives a file a name that none has; false where that failed (link(2)).
  var link: @Sendable (_ old: String, _ new: String) -> Bool = { systemLink($0, $1) }

  /// The calls of the system itself.
  static let system = DiskCalls()

  /// Writes all bytes from a place of a file on; the number of the error where that failed.
  func writeAll(_ bytes: Data, to file: Int32, at start: Int = 0) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = write(file, UnsafeRawBufferPointer(rebasing: bytes[done...]), start + done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : ENOSPC }
        done += count
      }
      return nil
    }
  }

  /// Writes all bytes of a new file, waits until the disk has them, and closes it; the number of
  /// the error if that failed, and then the file is removed.
  func finish(_ file: Int32, at path: String, with bytes: Data) -> Int32? {
    defer { close(file) }
    var failure = writeAll(bytes, to: file)
    if failure == nil, !sync(file) { failure = errno }
    if failure != nil { unlink(path) }
    return failure
  }
}

/// The system's `rename`, which a property of that name would hide.
private func systemRename(_ old: String, _ new: String) -> Bool { rename(old, new) == 0 }

/// The system's `link`, likewise.
private func systemLink(_ old: String, _ new: String) -> Bool { link(old, new) == 0 }
