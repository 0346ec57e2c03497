internal import Foundation

/// The system calls that write a journal and its cassette; a test can make them fail.
struct FileCalls: Sendable {
  /// Writes bytes at an offset and returns the number of written bytes, like `pwrite`.
  var write:
    @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int =
      { pwrite($0, $1.baseAddress, $1.count, off_t($2)) }
  /// Truncates a file to a length, like `ftruncate`.
  var cut: @Sendable (_ descriptor: Int32, _ length: Int) -> Int32 = { ftruncate($0, off_t($1)) }
  /// Renames a file, like `rename`.
  var rename: @Sendable (_ name: String, _ next: String) -> Int32 = { systemRename($0, $1) }
  /// Removes a file, like `unlink`.
  var remove: @Sendable (_ name: String) -> Int32 = { unlink($0) }
  /// Writes a whole file in one step.
  var replace: @Sendable (_ data: Data, _ file: URL) throws(FileError) -> Void = {
    data,
    file throws(FileError) in try FileError.writing(data, to: file)
  }

  /// Writes all bytes at an offset.
  func write(
    _ bytes: some ContiguousBytes,
    to descriptor: Int32,
    at offset: Int,
    of file: URL
  ) throws(FileError) {
    let code = bytes.withUnsafeBytes { buffer in
      FileError.code(ofMoving: buffer.count) { done in
        write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[done...]), offset + done)
      }
    }
    if code != 0 { throw .refused(file, code) }
  }
}

/// `rename` under a name that no member shadows.
private func systemRename(_ name: String, _ next: String) -> Int32 { rename(name, next) }

extension FileError {
  /// Whether the disk, or this user's quota, is full.
  var isNoRoom: Bool {
    guard case .unwritable(_, let reason) = self else { return false }
    return [ENOSPC, EDQUOT].contains { reason == String(cString: strerror($0)) }
  }
}
