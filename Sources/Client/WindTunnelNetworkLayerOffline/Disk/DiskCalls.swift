internal import Foundation

/// The system calls that change files durably, as replaceable closures.
///
/// A test can record their order and let one of them fail. A failing call must set `errno`.
struct DiskCalls: Sendable {
  /// Writes bytes at an offset of an open file, and returns their number; negative if it fails
  /// (pwrite(2)).
  var write: @Sendable (_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ place: Int) -> Int = {
    pwrite($0, $1.baseAddress, $1.count, off_t($2))
  }
  /// Waits until a file's bytes are on the disk; `false` if that failed.
  var sync: @Sendable (_ file: Int32) -> Bool = { systemSync($0) }
  /// Waits until the names in a folder are on the disk; `false` if that failed.
  var syncFolder: @Sendable (_ folder: Int32) -> Bool = { systemSyncFolder($0) }
  /// Renames a file, and replaces an existing one; `false` if that failed (rename(2)).
  var rename: @Sendable (_ old: String, _ new: String) -> Bool = {
    Foundation.rename($0, $1) == 0
  }
  /// Adds a name to a file, which must not exist yet; `false` if that failed (link(2)).
  var link: @Sendable (_ old: String, _ new: String) -> Bool = {
    Foundation.link($0, $1) == 0
  }

  /// The calls of the system itself.
  static let system = DiskCalls()

  /// Writes all bytes from an offset of a file on. Returns the error number if it fails.
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

  /// Writes all bytes of a new file, waits until they are on the disk, and closes it.
  ///
  /// If that fails, it removes the file and returns the error number.
  func finish(_ file: Int32, at path: String, with bytes: Data) -> Int32? {
    defer { close(file) }
    var failure = writeAll(bytes, to: file)
    if failure == nil, !sync(file) { failure = errno }
    if failure != nil { unlink(path) }
    return failure
  }
}
