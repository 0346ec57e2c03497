internal import Foundation

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// A file that lines are appended to, locked for one process.
///
/// By the system's own calls: what they have taken is there after the process was killed, and a
/// child process does not inherit the lock.
struct JournalPage {
  private let file: URL
  private let descriptor: Int32
  private var length: Int

  init(_ file: URL, of cassette: URL) throws(FileError) {
    self.file = file
    while true {
      // Nobody else's to read: a secret may be found out late.
      let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw Self.refused(file) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        _ = Self.give(back: descriptor)
        throw .unwritable(cassette.relativePath, reason: "it is being recorded by another process")
      }
      // Whoever had the lock may have removed the file meanwhile.
      var (held, there) = (stat(), stat())
      if fstat(descriptor, &held) == 0, stat(file.path, &there) == 0, held.st_ino == there.st_ino {
        self.descriptor = descriptor
        length = Int(held.st_size)
        return
      }
      _ = Self.give(back: descriptor)
    }
  }

  /// Appends a line and answers where it stands.
  mutating func append(_ bytes: [UInt8]) throws(FileError) -> Range<Int> {
    try write(bytes, at: length)
    defer { length += bytes.count }
    return length..<length + bytes.count
  }

  /// Overwrites a line with spaces, but for its line feed.
  func blank(_ place: Range<Int>) throws(FileError) {
    try write([UInt8](repeating: UInt8(ascii: " "), count: place.count - 1), at: place.lowerBound)
  }

  mutating func clear() throws(FileError) {
    guard ftruncate(descriptor, 0) == 0 else { throw Self.refused(file) }
    length = 0
  }

  func remove() {
    unlink(file.path)
    _ = Self.give(back: descriptor)
  }

  func close() {
    if length == 0 { unlink(file.path) }
    _ = Self.give(back: descriptor)
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
        return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.refused(file) }
      done += count
    }
  }

  private static func refused(_ file: URL) -> FileError {
    .unwritable(file.relativePath, reason: String(cString: strerror(errno)))
  }

  /// `close` by a name that the method does not hide.
  private static func give(back descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.close(descriptor)
    #elseif canImport(Glibc)
      Glibc.close(descriptor)
    #else
      Musl.close(descriptor)
    #endif
  }
}
