internal import Foundation

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
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
      let descriptor = open(file.path, flags, 0o600)
      guard descriptor >= 0 else { throw errno == ELOOP ? Self.link(file) : .refused(file, errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        Self.give(back: descriptor)
        throw .unwritable(cassette.relativePath, reason: "it is being recorded by another process")
      }
      // Whoever had the lock may have removed the file meanwhile.
      var (held, there) = (stat(), stat())
      if fstat(descriptor, &held) == 0, stat(file.path, &there) == 0, held.st_ino == there.st_ino {
        self.descriptor = descriptor
        length = Int(held.st_size)
        return
      }
      Self.give(back: descriptor)
    }
  }

  /// Appends lines and answers where they stand; where they cannot be written whole, nothing of
  /// them stays.
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

  /// Writes a line over the beginning of one that is blank. Until all of it is there it begins with
  /// a space, as one that was withdrawn.
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
    Self.give(back: descriptor)
  }

  mutating func close() {
    // Who reads it next takes half a line for none.
    try? cutBack()
    if length == 0 { _ = calls.remove(file.path) }
    Self.give(back: descriptor)
  }

  /// Reads what a recording left here that is over; `nil` where there is nothing, or where one goes
  /// on.
  static func left(_ file: URL) throws(FileError) -> Data? {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      if errno == ELOOP { throw link(file) }
      throw .unreadable(file.relativePath, reason: String(cString: strerror(errno)))
    }
    // Its end gives the lock back.
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return nil }
    defer { withExtendedLifetime(handle) { _ = flock(descriptor, LOCK_UN) } }
    return try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
  }

  /// Recording makes no links, so one with the name of a journal was put there by somebody else.
  private static func link(_ file: URL) -> FileError {
    let reason = "it is a symbolic link, and a journal is none; remove it"
    return .unreadable(file.relativePath, reason: reason)
  }

  private mutating func cutBack() throws(FileError) {
    guard isTorn else { return }
    guard calls.cut(descriptor, length) == 0 else { throw .refused(file, errno) }
    isTorn = false
  }

  /// The lock is given back by name: a child that is being made holds all descriptors until its
  /// program begins, and with them the lock (flock(2)).
  private static func give(back descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    closeFile(descriptor)
  }
}

/// The room of a journal whose lines come to stand elsewhere, one after the other, in the order of
/// their requests; it is given back to the disk meanwhile.
///
/// Only the end of a file can be given back everywhere. So the journal's last lines move into the
/// room of those that are done with, and each stands there whole before it is cut off where it was.
struct JournalRoom {
  /// A line that is still needed.
  struct Line {
    let order: Int
    var place: Range<Int>
  }

  /// The first place where a line may stand.
  let floor: Int
  /// Those that stand where they were written, in the order of their places.
  private var lines: ArraySlice<Line>
  /// Those that have moved, which fill the room behind ``floor``.
  private var moved: [Line] = []
  private var done: Set<Int> = []

  init(above floor: Int, _ lines: [Line]) {
    self.floor = floor
    self.lines = lines.sorted { $0.place.lowerBound < $1.place.lowerBound }[...]
  }

  /// Takes note that a line is no longer needed.
  mutating func finish(_ order: Int) { done.insert(order) }

  /// Gives back what can be.
  mutating func giveBack(of page: inout JournalPage) throws(FileError) {
    while true {
      while let line = lines.first, done.contains(line.order) { lines.removeFirst() }
      while let line = lines.last, done.contains(line.order) { lines.removeLast() }
      let begin = moved.last?.place.upperBound ?? floor
      guard let (first, last) = lines.first.flatMap({ first in lines.last.map { (first, $0) } })
      else { break }
      guard last.place.count <= first.place.lowerBound - begin else {
        return try page.cut(to: last.place.upperBound)
      }
      try page.copy(last.place, to: begin)
      moved.append(Line(order: last.order, place: begin..<begin + last.place.count))
      lines.removeLast()
    }
    while let line = moved.last, done.contains(line.order) { moved.removeLast() }
    try page.cut(to: moved.last?.place.upperBound ?? floor)
  }
}
