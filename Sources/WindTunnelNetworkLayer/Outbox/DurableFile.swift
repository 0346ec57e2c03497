internal import Foundation

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A file of which each write is on the disk before it returns, or leaves nothing of itself.
final class DurableFile: @unchecked Sendable {
  /// The number of bytes that are there for good. Whoever holds the file writes it.
  private(set) var count: Int
  private let descriptor: Int32
  private let url: URL
  /// True where a write could not be taken back, so that nothing may follow it.
  private(set) var isSpoilt = false

  /// Opens a file to write at its end.
  ///
  /// - Parameters:
  ///   - url: The file, which is made where it is not there.
  ///   - count: The number of its bytes that are good; the rest is cut off. `nil`: all.
  /// - Throws: ``OutboxError``.
  init(appendingTo url: URL, keeping count: Int? = nil) throws(OutboxError) {
    self.url = url
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    self.count = 0
    guard descriptor >= 0 else { throw OutboxError(errno, "open", url) }
    let end = Int(lseek(descriptor, 0, SEEK_END))
    self.count = count ?? end
    guard let count, count < end else { return }
    guard ftruncate(descriptor, off_t(count)) == 0 else {
      throw OutboxError(errno, "cut the end off", url)
    }
    guard systemSync(descriptor) else { throw OutboxError(errno, "write", url) }
  }

  /// Makes a file that is not there.
  init(new url: URL) throws(OutboxError) {
    self.url = url
    descriptor = open(url.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    count = 0
    guard descriptor >= 0 else { throw OutboxError(errno, "make", url) }
  }

  deinit { close(descriptor) }

  /// Takes back what was written behind a place; where that fails nothing may follow it.
  func cut(to count: Int) {
    self.count = count
    if ftruncate(descriptor, off_t(count)) != 0 { isSpoilt = true }
  }

  /// Writes bytes at the end and waits until the disk has them; where that fails the file is as it
  /// was.
  func append(_ bytes: Data) throws(OutboxError) {
    guard !isSpoilt else { throw OutboxError(EIO, "write", url) }
    do throws(OutboxError) {
      try Self.write(bytes, to: descriptor, at: count, of: url)
      guard systemSync(descriptor) else {
        // What the disk has after that nobody knows (fsync(2)).
        isSpoilt = true
        throw OutboxError(errno, "write", url)
      }
    } catch {
      cut(to: count)
      throw error
    }
    count += bytes.count
  }

  /// Reads a whole file; `nil` where there is none.
  static func contents(of url: URL, upTo most: Int) throws(OutboxError) -> Data? {
    guard let file = try ReadFile(url) else { return nil }
    let size = try file.size
    guard size <= most, let data = try file.read(size, at: 0) else { throw .damaged(url.path) }
    return data
  }

  /// Tells whether a file or a folder is there.
  static func isThere(_ url: URL) throws(OutboxError) -> Bool {
    if access(url.path, F_OK) == 0 { return true }
    guard errno == ENOENT else { throw OutboxError(reading: url, errno) }
    return false
  }

  /// Puts a file with these bytes into its place, whole or not at all, and for good.
  static func put(_ bytes: Data, at url: URL) throws(OutboxError) {
    let half = url.appendingPathExtension("new")
    let descriptor = open(half.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "write", half) }
    do throws(OutboxError) {
      defer { close(descriptor) }
      try write(bytes, to: descriptor, at: 0, of: half)
      guard systemSync(descriptor) else { throw OutboxError(errno, "write", half) }
    } catch {
      unlink(half.path)
      throw error
    }
    try move(half, to: url)
  }

  /// Renames a file for good. Where it has its new name already, as after a time that failed at
  /// the folder, it waits for the folder alone.
  static func move(_ old: URL, to new: URL) throws(OutboxError) {
    if rename(old.path, new.path) != 0 {
      let reason = errno
      guard reason == ENOENT, access(new.path, F_OK) == 0 else {
        throw OutboxError(reason, "rename", old)
      }
    }
    try syncFolder(new.deletingLastPathComponent())
  }

  /// Gives a file that cannot be understood a name that nothing reads, for whoever may want it.
  static func setAside(_ url: URL) throws(OutboxError) {
    try move(url, to: url.appendingPathExtension("damaged"))
  }

  /// Makes an empty file for good; where that fails it is not there.
  static func touch(_ url: URL) throws(OutboxError) {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "write", url) }
    close(descriptor)
    do throws(OutboxError) { try syncFolder(url.deletingLastPathComponent()) } catch {
      unlink(url.path)
      throw error
    }
  }

  /// Takes the bytes out of a file that nobody reads any more; whether the disk has heard of it is
  /// of no matter.
  static func empty(_ url: URL) { truncate(url.path, 0) }

  /// Removes a file; one that stays behind is found at the next opening.
  static func remove(_ url: URL) { unlink(url.path) }

  /// Makes a folder, with those above it, unless it is there.
  static func makeFolder(_ url: URL) throws(OutboxError) {
    if mkdir(url.path, 0o700) == 0 { return try syncFolder(url.deletingLastPathComponent()) }
    if errno == ENOENT {
      try makeFolder(url.deletingLastPathComponent())
      return try makeFolder(url)
    }
    guard errno == EEXIST else { throw OutboxError(errno, "make the folder", url) }
  }

  /// Waits until the disk has the bytes of a file that somebody else wrote.
  static func syncFile(_ file: URL) throws(OutboxError) {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutboxError(errno, "open", file) }
    defer { close(descriptor) }
    guard systemSync(descriptor) else { throw OutboxError(errno, "write", file) }
  }

  /// Waits until the disk has the names of a folder's files.
  static func syncFolder(_ folder: URL) throws(OutboxError) {
    let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutboxError(errno, "open", folder) }
    defer { close(descriptor) }
    guard systemSyncFolder(descriptor) else { throw OutboxError(errno, "write", folder) }
  }

  /// Returns the names in a folder.
  static func names(in folder: URL) throws(OutboxError) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
      throw .disk("\"\(folder.path)\" cannot be read: \(error.localizedDescription)")
    }
  }

  private static func write(
    _ bytes: Data,
    to descriptor: Int32,
    at start: Int,
    of url: URL
  ) throws(OutboxError) {
    let failure = bytes.withUnsafeBytes { bytes -> Int32? in
      var done = 0
      while done < bytes.count {
        let base = bytes.baseAddress.map { $0 + done }
        let count = pwrite(descriptor, base, bytes.count - done, off_t(start + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : ENOSPC }
        done += count
      }
      return nil
    }
    if let failure { throw OutboxError(failure, "write", url) }
  }
}

/// A file that is read. What the system does not read is an error; only what is not in the file is
/// not there.
final class ReadFile {
  private let descriptor: Int32
  private let url: URL

  /// Opens a file; `nil` where there is none.
  init?(_ url: URL) throws(OutboxError) {
    self.url = url
    descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor < 0 else { return }
    if errno == ENOENT { return nil }
    throw OutboxError(reading: url, errno)
  }

  deinit { close(descriptor) }

  /// The number of its bytes.
  var size: Int {
    get throws(OutboxError) {
      let end = lseek(descriptor, 0, SEEK_END)
      guard end >= 0 else { throw OutboxError(reading: url, errno) }
      return Int(end)
    }
  }

  /// Reads bytes; `nil` where the file ends before them.
  func read(_ count: Int, at offset: Int) throws(OutboxError) -> Data? {
    var data = Data(count: count)
    let (isWhole, failure) = data.withUnsafeMutableBytes { bytes -> (Bool, Int32?) in
      var done = 0
      while done < bytes.count {
        let base = bytes.baseAddress.map { $0 + done }
        let got = pread(descriptor, base, bytes.count - done, off_t(offset + done))
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { return (false, errno) }
        guard got > 0 else { return (false, nil) }
        done += got
      }
      return (true, nil)
    }
    if let failure { throw OutboxError(reading: url, failure) }
    return isWhole ? data : nil
  }
}

/// A folder that one process at a time holds, for as long as this value is there (flock(2)).
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes a folder by a file in it, which is made where it is not there.
  ///
  /// - Throws: ``OutboxError/inUse(_:)`` where another process, or another value in this one, has
  ///   it.
  init(_ file: URL) throws(OutboxError) {
    descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "open", file) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      guard reason == EWOULDBLOCK else { throw OutboxError(reason, "lock", file) }
      throw .inUse(file.deletingLastPathComponent().path)
    }
  }

  deinit { close(descriptor) }
}

extension OutboxError {
  /// Makes the error of a file that the system does not read.
  init(reading file: URL, _ number: Int32) {
    let reason = String(cString: strerror(number))
    self = .disk("The app cannot read \"\(file.path)\": \(reason).")
  }

  /// Makes the error of a system call that failed on a file.
  init(_ number: Int32, _ verb: String, _ file: URL) {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull(file.path)
    case EROFS, EACCES, EPERM: self = .notWritable(file.path)
    default:
      self = .disk(
        "The app cannot \(verb) \"\(file.path)\": \(String(cString: strerror(number)))."
      )
    }
  }
}
