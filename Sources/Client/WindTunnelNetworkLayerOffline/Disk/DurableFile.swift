internal import Foundation

/// A file of which each write is on the disk before it returns, or leaves nothing of itself.
final class DurableFile: @unchecked Sendable {
  /// The number of bytes that are there for good. Whoever holds the file writes it.
  private(set) var count: Int
  private let descriptor: Int32
  private let url: URL
  private let calls: DiskCalls
  /// True where a write could not be taken back, so that nothing may follow it.
  private(set) var isSpoilt = false

  /// Opens a file to write at its end.
  ///
  /// - Parameters:
  ///   - url: The file, which is made where it is not there.
  ///   - count: The number of its bytes that are good; the rest is cut off.
  ///   - calls: The system's calls.
  /// - Throws: ``OutboxError``.
  init(appendingTo url: URL, keeping count: Int, by calls: DiskCalls) throws(OutboxError) {
    (self.url, self.calls) = (url, calls)
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    self.count = count
    guard descriptor >= 0 else { throw OutboxError(errno, "open", url) }
    guard count < Int(lseek(descriptor, 0, SEEK_END)) else { return }
    guard ftruncate(descriptor, off_t(count)) == 0 else {
      throw OutboxError(errno, "cut the end off", url)
    }
    guard calls.sync(descriptor) else { throw OutboxError(errno, "write", url) }
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
      if let failure = calls.writeAll(bytes, to: descriptor, at: count) {
        throw OutboxError(failure, "write", url)
      }
      guard calls.sync(descriptor) else {
        // What the disk has after that nobody knows (fsync(2)).
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

  /// Gives the folder up by a call of its own: the lock belongs to the open file (flock(2)), which
  /// a child process has too from its fork until it executes its program.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
