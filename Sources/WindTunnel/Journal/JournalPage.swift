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
  private let calls: FileCalls
  private let descriptor: Int32
  /// The end of the last whole line.
  private(set) var length: Int
  /// Tells whether a write that failed may have left something behind that line.
  private var isTorn = false

  init(_ file: URL, of cassette: URL, calls: FileCalls = FileCalls()) throws(FileError) {
    (self.file, self.calls) = (file, calls)
    while true {
      // Nobody else's to read: a secret may be found out late.
      let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .refused(file, errno) }
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

  /// Appends lines and answers where they stand; where they cannot be written whole, nothing of them
  /// stays.
  mutating func append(_ bytes: [UInt8]) throws(FileError) -> Range<Int> {
    try cutBack()
    isTorn = true
    do {
      try calls.write(bytes, to: descriptor, at: length, of: file)
    } catch {
      // Now, since it may be what fills the disk. Where that fails, the next line waits for it.
      try? cutBack()
      throw error
    }
    isTorn = false
    length += bytes.count
    return length - bytes.count..<length
  }

  /// Overwrites a line with spaces, but for its line feed.
  func blank(_ place: Range<Int>) throws(FileError) {
    let spaces = [UInt8](repeating: UInt8(ascii: " "), count: place.count - 1)
    try calls.write(spaces, to: descriptor, at: place.lowerBound, of: file)
  }

  /// Writes a line over the beginning of one that is blank. Until all of it is there it begins with a
  /// space, as one that was withdrawn.
  func write(_ line: [UInt8], over place: Range<Int>) throws(FileError) {
    let begin = place.lowerBound
    try calls.write([UInt8(ascii: " ")], to: descriptor, at: begin, of: file)
    try calls.write(line[1...], to: descriptor, at: begin + 1, of: file)
    try calls.write(line[..<1], to: descriptor, at: begin, of: file)
  }

  /// Writes a line a second time, further to the front.
  func copy(_ place: Range<Int>, to offset: Int) throws(FileError) {
    var line = [UInt8](repeating: 0, count: place.count)
    let count = pread(descriptor, &line, line.count, off_t(place.lowerBound))
    guard count == line.count else { throw .refused(file, count < 0 ? errno : EIO) }
    try calls.write(line, to: descriptor, at: offset, of: file)
  }

  /// Removes what stands behind an offset.
  mutating func cut(to end: Int) throws(FileError) {
    guard end < length else { return }
    guard calls.cut(descriptor, end) == 0 else { throw .refused(file, errno) }
    length = end
  }

  mutating func clear() throws(FileError) {
    guard calls.cut(descriptor, 0) == 0 else { throw .refused(file, errno) }
    (length, isTorn) = (0, false)
  }

  func remove() {
    _ = calls.remove(file.path)
    _ = Self.give(back: descriptor)
  }

  mutating func close() {
    // Who reads it next takes half a line for none.
    try? cutBack()
    if length == 0 { _ = calls.remove(file.path) }
    _ = Self.give(back: descriptor)
  }

  private mutating func cutBack() throws(FileError) {
    guard isTorn else { return }
    guard calls.cut(descriptor, length) == 0 else { throw .refused(file, errno) }
    isTorn = false
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
