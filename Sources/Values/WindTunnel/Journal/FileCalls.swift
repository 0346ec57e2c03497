internal import Foundation

/// The system's calls by which a journal and its cassette are written; a test has them fail.
struct FileCalls: Sendable {
  /// Writes at an offset and answers how many bytes were taken, as `pwrite`.
  var write:
    @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int =
      { pwrite($0, $1.baseAddress, $1.count, off_t($2)) }
  /// Cuts a file to a length, as `ftruncate`.
  var cut: @Sendable (_ descriptor: Int32, _ length: Int) -> Int32 = { ftruncate($0, off_t($1)) }
  /// Gives a file another name, as `rename`.
  var rename: @Sendable (_ name: String, _ next: String) -> Int32 = { systemRename($0, $1) }
  /// Removes a file, as `unlink`.
  var remove: @Sendable (_ name: String) -> Int32 = { unlink($0) }
  /// Writes a whole file in one step.
  var replace: @Sendable (_ data: Data, _ file: URL) throws(FileError) -> Void = {
    data,
    file throws(FileError) in try FileError.writing(data, to: file)
  }

  /// Writes all of some bytes at an offset.
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

/// `rename` by a name that no member hides.
private func systemRename(_ name: String, _ next: String) -> Int32 { rename(name, next) }

extension FileError {
  /// Tells whether the disk, or this user's share of it, is full.
  var isNoRoom: Bool {
    guard case .unwritable(_, let reason) = self else { return false }
    return [ENOSPC, EDQUOT].contains { reason == String(cString: strerror($0)) }
  }
}
