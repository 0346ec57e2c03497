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

  deinit { close(descriptor) }

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
      if ftruncate(descriptor, off_t(count)) != 0 { isSpoilt = true }
      throw error
    }
    count += bytes.count
  }

  /// Reads bytes; `nil` where they are not there.
  func read(_ count: Int, at offset: Int) -> Data? {
    Self.read(count, at: offset, from: descriptor)
  }

  /// Reads bytes of a file; `nil` where they are not there.
  static func read(_ count: Int, at offset: Int, of url: URL) -> Data? {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return read(count, at: offset, from: descriptor)
  }

  /// Reads a whole file; `nil` where there is none.
  static func contents(of url: URL, upTo most: Int) throws(OutboxError) -> Data? {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw OutboxError(errno, "open", url)
    }
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    guard size <= most else { throw .damaged(url.path) }
    guard let data = read(size, at: 0, from: descriptor) else {
      throw OutboxError(errno, "read", url)
    }
    return data
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

  /// Renames a file for good.
  static func move(_ old: URL, to new: URL) throws(OutboxError) {
    guard rename(old.path, new.path) == 0 else { throw OutboxError(errno, "rename", old) }
    try syncFolder(new.deletingLastPathComponent())
  }

  /// Makes an empty file for good.
  static func touch(_ url: URL) throws(OutboxError) {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "write", url) }
    close(descriptor)
    try syncFolder(url.deletingLastPathComponent())
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

  /// Waits until the disk has the names of a folder's files.
  static func syncFolder(_ folder: URL) throws(OutboxError) {
    let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutboxError(errno, "open", folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw OutboxError(errno, "write", folder) }
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

  private static func read(_ count: Int, at offset: Int, from descriptor: Int32) -> Data? {
    var data = Data(count: count)
    let isWhole = data.withUnsafeMutableBytes { bytes -> Bool in
      var done = 0
      while done < bytes.count {
        let base = bytes.baseAddress.map { $0 + done }
        let got = pread(descriptor, base, bytes.count - done, off_t(offset + done))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return false }
        done += got
      }
      return true
    }
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
  /// Makes the error of a system call that failed on a file.
  init(_ number: Int32, _ verb: String, _ file: URL) {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull(file.path)
    case EROFS, EACCES, EPERM: self = .notWritable(file.path)
    default:
      self = .disk(
        "The outbox cannot \(verb) \"\(file.path)\": \(String(cString: strerror(number)))."
      )
    }
  }
}
