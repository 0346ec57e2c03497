internal import Foundation

/// A file to which lines are appended, locked for one process.
///
/// It uses system calls: written bytes remain after the process is killed, and a child process does
/// not inherit the lock.
struct JournalPage {
  private let file: URL
  private let calls: FileCalls
  private let descriptor: Int32
  /// The end of the last complete line.
  private(set) var length: Int
  /// Whether a failed write may have left bytes after that line.
  private var isTorn = false

  init(_ file: URL, of cassette: URL, calls: FileCalls = FileCalls()) throws(FileError) {
    (self.file, self.calls) = (file, calls)
    while true {
      // Only this user may read the file, because a secret may be found late.
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
      let descriptor = open(file.path, flags, 0o600)
      guard descriptor >= 0 else { throw errno == ELOOP ? Self.link(file) : .refused(file, errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        Self.give(back: descriptor)
        throw .unwritable(cassette.relativePath, reason: "it is being recorded by another process")
      }
      // The previous owner of the lock may have removed the file in the meantime.
      if Self.isFile(descriptor, at: file) {
        (self.descriptor, length) = (descriptor, Int(lseek(descriptor, 0, SEEK_END)))
        return
      }
      Self.give(back: descriptor)
    }
  }

  /// Whether the file is still in its folder: it may have been removed or moved.
  var isInPlace: Bool { Self.isFile(descriptor, at: file) }

  private static func isFile(_ descriptor: Int32, at file: URL) -> Bool {
    var (held, there) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && stat(file.path, &there) == 0
      && (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)
  }

  /// Appends lines and returns their range; if they cannot be written completely, removes all their
  /// bytes.
  mutating func append(_ bytes: [UInt8]) throws(FileError) -> Range<Int> {
    try cutBack()
    isTorn = true
    do {
      try calls.write(bytes, to: descriptor, at: length, of: file)
    } catch {
      // Now, because the bytes may be what fills the disk. If this fails, the next line tries
      // again.
      try? cutBack()
      throw error
    }
    isTorn = false
    length += bytes.count
    return length - bytes.count..<length
  }

  /// Overwrites a line with spaces, except its line feed.
  func blank(_ place: Range<Int>) throws(FileError) {
    let spaces = [UInt8](repeating: UInt8(ascii: " "), count: place.count - 1)
    try calls.write(spaces, to: descriptor, at: place.lowerBound, of: file)
  }

  /// Writes a line over the beginning of a blank one.
  ///
  /// The line begins with a space until it is complete, like a withdrawn one.
  func write(_ line: [UInt8], over place: Range<Int>) throws(FileError) {
    let begin = place.lowerBound
    try calls.write([UInt8(ascii: " ")], to: descriptor, at: begin, of: file)
    try calls.write(line[1...], to: descriptor, at: begin + 1, of: file)
    try calls.write(line[..<1], to: descriptor, at: begin, of: file)
  }

  /// Copies a line to an earlier offset.
  func copy(_ place: Range<Int>, to offset: Int) throws(FileError) {
    var line = [UInt8](repeating: 0, count: place.count)
    let count = pread(descriptor, &line, line.count, off_t(place.lowerBound))
    guard count == line.count else { throw .refused(file, count < 0 ? errno : EIO) }
    try calls.write(line, to: descriptor, at: offset, of: file)
  }

  /// Truncates the file at an offset.
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
    // The next reader ignores an incomplete line.
    try? cutBack()
    if length == 0 { _ = calls.remove(file.path) }
    Self.give(back: descriptor)
  }

  /// Returns the contents that a finished process left in a journal; `nil` if there are none, or if
  /// a recording is running.
  static func left(_ file: URL) throws(FileError) -> Data? {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      if errno == ELOOP { throw link(file) }
      throw .unreadable(file.relativePath, reason: String(cString: strerror(errno)))
    }
    // Closing the handle releases the lock.
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return nil }
    defer { withExtendedLifetime(handle) { _ = flock(descriptor, LOCK_UN) } }
    return try FileError.reading(file, bytesMax: Cassette.fileBytesMax)
  }

  /// A recording never creates links, so a link with the name of a journal has another origin.
  private static func link(_ file: URL) -> FileError {
    let reason = "a journal cannot be a symbolic link; remove it"
    return .unreadable(file.relativePath, reason: reason)
  }

  private mutating func cutBack() throws(FileError) {
    guard isTorn else { return }
    guard calls.cut(descriptor, length) == 0 else { throw .refused(file, errno) }
    isTorn = false
  }

  /// Releases the lock explicitly: a child process that is being created has all descriptors until
  /// its program begins, and therefore the lock (flock(2)).
  private static func give(back descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    closeFile(descriptor)
  }
}

/// The room of a journal whose lines are written elsewhere, one after the other, in the order of
/// their requests.
///
/// Their room is returned to the disk at the same time. All file systems can only release the end
/// of a file. The last lines are therefore moved to the room of finished lines, and each is
/// complete there before it is removed from the end.
struct JournalRoom {
  /// A line that is still needed.
  struct KeptLine {
    let order: Int
    var place: Range<Int>
  }

  /// The first offset that a line may have.
  let floor: Int
  /// The lines that have not moved, in the order of their offsets.
  private var lines: ArraySlice<KeptLine>
  /// The lines that have moved, which follow ``floor``.
  private var moved: [KeptLine] = []
  private var done: Set<Int> = []

  init(above floor: Int, _ lines: [KeptLine]) {
    self.floor = floor
    self.lines = lines.sorted { $0.place.lowerBound < $1.place.lowerBound }[...]
  }

  /// Records that a line is no longer needed.
  mutating func finish(_ order: Int) { done.insert(order) }

  /// Releases all the room that can be released.
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
      moved.append(KeptLine(order: last.order, place: begin..<begin + last.place.count))
      lines.removeLast()
    }
    while let line = moved.last, done.contains(line.order) { moved.removeLast() }
    try page.cut(to: moved.last?.place.upperBound ?? floor)
  }
}
