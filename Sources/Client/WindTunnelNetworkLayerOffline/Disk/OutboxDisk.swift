internal import Foundation

/// The disk operations of an outbox and a ledger. Each change is durable when it returns, or
/// undone.
struct OutboxDisk: Sendable {
  /// The system calls that it uses.
  var calls = DiskCalls.system

  /// Reads a whole file; `nil` if it does not exist.
  func contents(of url: URL, upTo most: Int) throws(OutboxError) -> Data? {
    guard let file = try ReadFile(url) else { return nil }
    let size = try file.size
    guard size <= most, let data = try file.read(size, at: 0) else { throw .damaged(url.path) }
    return data
  }

  /// Returns whether a file or a folder exists.
  func isThere(_ url: URL) throws(OutboxError) -> Bool {
    if access(url.path, F_OK) == 0 { return true }
    guard errno == ENOENT else { throw OutboxError(reading: url, errno) }
    return false
  }

  /// Writes a file durably, completely or not at all.
  func put(_ bytes: Data, at url: URL) throws(OutboxError) {
    let half = url.appendingPathExtension("new")
    let descriptor = open(half.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "write", half) }
    if let failure = calls.finish(descriptor, at: half.path, with: bytes) {
      throw OutboxError(failure, "write", half)
    }
    try move(half, to: url)
  }

  /// Renames a file durably.
  ///
  /// If an earlier attempt renamed it and then failed, this only synchronizes the folder.
  func move(_ old: URL, to new: URL) throws(OutboxError) {
    if !calls.rename(old.path, new.path) {
      let reason = errno
      guard reason == ENOENT, access(new.path, F_OK) == 0 else {
        throw OutboxError(reason, "rename", old)
      }
    }
    try syncFolder(new.deletingLastPathComponent())
  }

  /// Renames an invalid file to a name that is not read, so that it can be examined.
  func setAside(_ url: URL) throws(OutboxError) {
    try move(url, to: url.appendingPathExtension("damaged"))
  }

  /// Creates an empty file durably. If that fails, the file does not exist.
  func touch(_ url: URL) throws(OutboxError) {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "write", url) }
    close(descriptor)
    do throws(OutboxError) { try syncFolder(url.deletingLastPathComponent()) } catch {
      unlink(url.path)
      throw error
    }
  }

  /// Truncates a file that is not read any more. The result need not be durable.
  func empty(_ url: URL) { truncate(url.path, 0) }

  /// Removes a file. A file that could not be removed is found at the next opening.
  func remove(_ url: URL) { unlink(url.path) }

  /// Creates a folder and its parents, unless it exists.
  func makeFolder(_ url: URL) throws(OutboxError) {
    if mkdir(url.path, 0o700) == 0 { return try keep(url) }
    if errno == ENOENT, url.path != "/" {
      try makeFolder(url.deletingLastPathComponent())
      // Only once more: a parent may be a broken link.
      if mkdir(url.path, 0o700) == 0 { return try keep(url) }
    }
    guard errno == EEXIST else { throw OutboxError(errno, "create the folder", url) }
  }

  /// Waits until the name of a new folder is on the disk.
  private func keep(_ folder: URL) throws(OutboxError) {
    do throws(OutboxError) { try syncFolder(folder.deletingLastPathComponent()) } catch {
      // A parent that this process may not open cannot be synchronized.
      if case .notWritable = error { return }
      // If the folder remained, a later call would assume that it is durable.
      rmdir(folder.path)
      throw error
    }
  }

  /// Waits until the bytes of a file from another writer are on the disk.
  func syncFile(_ file: URL) throws(OutboxError) { try sync(file, by: calls.sync) }

  /// Waits until the names of a folder's files are on the disk.
  func syncFolder(_ folder: URL) throws(OutboxError) { try sync(folder, by: calls.syncFolder) }

  private func sync(_ place: URL, by call: (Int32) -> Bool) throws(OutboxError) {
    let descriptor = open(place.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutboxError(errno, "open", place) }
    defer { close(descriptor) }
    guard call(descriptor) else { throw OutboxError(errno, "write", place) }
  }

  /// Returns the names in a folder.
  func names(in folder: URL) throws(OutboxError) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
      throw .disk("\"\(folder.path)\" cannot be read: \(error.localizedDescription)")
    }
  }
}
