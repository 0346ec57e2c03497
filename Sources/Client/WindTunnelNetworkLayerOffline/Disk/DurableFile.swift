internal import Foundation

/// A file whose writes are on the disk when they return, or have no effect if they fail.
final class DurableFile: @unchecked Sendable {
  /// The number of durable bytes. Only the owner of the file may write.
  private(set) var count: Int
  private let descriptor: Int32
  private let url: URL
  private let calls: DiskCalls
  /// Whether a failed write could not be undone, so that no further write is possible.
  private(set) var isSpoilt = false

  /// Opens a file for appending.
  ///
  /// - Parameters:
  ///   - url: The file, which is created if it is missing.
  ///   - count: The number of valid bytes; the rest is truncated.
  ///   - calls: The system's calls.
  /// - Throws: ``OutboxError``.
  init(appendingTo url: URL, keeping count: Int, by calls: DiskCalls) throws(OutboxError) {
    (self.url, self.calls) = (url, calls)
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    self.count = count
    guard descriptor >= 0 else { throw OutboxError(errno, "open", url) }
    guard count < Int(lseek(descriptor, 0, SEEK_END)) else { return }
    guard ftruncate(descriptor, off_t(count)) == 0 else {
      throw OutboxError(errno, "truncate", url)
    }
    guard calls.sync(descriptor) else { throw OutboxError(errno, "write", url) }
  }

  deinit { close(descriptor) }

  /// Truncates the file to undo a write. If that fails, no further write is possible.
  func cut(to count: Int) {
    self.count = count
    if ftruncate(descriptor, off_t(count)) != 0 { isSpoilt = true }
  }

  /// Appends bytes and waits until they are on the disk. If that fails, the file is unchanged.
  func append(_ bytes: Data) throws(OutboxError) {
    guard !isSpoilt else { throw OutboxError(EIO, "write", url) }
    do throws(OutboxError) {
      if let failure = calls.writeAll(bytes, to: descriptor, at: count) {
        throw OutboxError(failure, "write", url)
      }
      guard calls.sync(descriptor) else {
        // After a failed sync, the contents of the disk are unknown (fsync(2)).
        let reason = errno
        isSpoilt = true
        throw OutboxError(reason, "write", url)
      }
    } catch {
      cut(to: count)
      throw error
    }
    count += bytes.count
  }
}

/// A file for reading. A failed read is an error, and never counts as missing data.
final class ReadFile {
  private let descriptor: Int32
  private let url: URL

  /// Opens a file; `nil` if it does not exist.
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

  /// Reads bytes; `nil` if the file is too short.
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

/// A folder that one process at a time locks, for the lifetime of this value (flock(2)).
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Locks a folder with a file in it, which is created if it is missing.
  ///
  /// - Throws: ``OutboxError/inUse(_:)`` if another process, or another value in this process, has
  ///   the lock.
  init(_ file: URL) throws(OutboxError) {
    descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "open", file) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      guard reason == EWOULDBLOCK else { throw OutboxError(reason, "lock", file) }
      throw .inUse(file.deletingLastPathComponent().path)
    }
  }

  /// Releases the lock explicitly. It belongs to the open file (flock(2)), which a forked child
  /// process shares until it executes its program.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
