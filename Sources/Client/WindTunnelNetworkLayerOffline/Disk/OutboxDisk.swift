internal import Foundation

/// The disk as an outbox and a ledger use it: each change is there for good before it returns, or
/// is not there.
struct OutboxDisk: Sendable {
  /// The calls of the system.
  var calls = DiskCalls.system

  /// Reads a whole file; `nil` where there is none.
  func contents(of url: URL, upTo most: Int) throws(OutboxError) -> Data? {
    guard let file = try ReadFile(url) else { return nil }
    let size = try file.size
    guard size <= most, let data = try file.read(size, at: 0) else { throw .damaged(url.path) }
    return data
  }

  /// Tells whether a file or a folder is there.
  func isThere(_ url: URL) throws(OutboxError) -> Bool {
    if access(url.path, F_OK) == 0 { return true }
    guard errno == ENOENT else { throw OutboxError(reading: url, errno) }
    return false
  }

  /// Puts a file with these bytes into its place, whole or not at all, and for good.
  func put(_ bytes: Data, at url: URL) throws(OutboxError) {
    let half = url.appendingPathExtension("new")
    let descriptor = open(half.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OutboxError(errno, "write", half) }
    if let failure = calls.finish(descriptor, at: half.path, with: bytes) {
      throw OutboxError(failure, "write", half)
    }
    try move(half, to: url)
  }

  /// Renames a file for good. Where it has its new name already, as after a time that failed at
  /// the folder, it waits for the folder alone.
  func move(_ old: URL, to new: URL) throws(OutboxError) {
    if !calls.rename(old.path, new.path) {
      let reason = errno
      guard reason == ENOENT, access(new.path, F_OK) == 0 else {
        throw OutboxError(reason, "rename", old)
      }
    }
    try syncFolder(new.deletingLastPathComponent())
  }

  /// Gives a file that cannot be understood a name that nothing reads, for whoever may want it.
  func setAside(_ url: URL) throws(OutboxError) {
    try move(url, to: url.appendingPathExtension("damaged"))
  }

  /// Makes an empty file for good; where that fails it is not there.
  func touch(_ url: URL) throws(OutboxError) {
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
  func empty(_ url: URL) { truncate(url.path, 0) }

  /// Removes a file; one that stays behind is found at the next opening.
  func remove(_ url: URL) { unlink(url.path) }

  /// Makes a folder, with those above it, unless it is there.
  func makeFolder(_ url: URL) throws(OutboxError) {
    if mkdir(url.path, 0o700) == 0 { return try keep(url) }
    if errno == ENOENT, url.path != "/" {
      try makeFolder(url.deletingLastPathComponent())
      // Once more and no oftener: above it may be a link that leads nowhere.
      if mkdir(url.path, 0o700) == 0 { return try keep(url) }
    }
    guard errno == EEXIST else { throw OutboxError(errno, "make the folder", url) }
  }

  /// Waits until the disk has the name of a folder that was made.
  private func keep(_ folder: URL) throws(OutboxError) {
    do throws(OutboxError) { try syncFolder(folder.deletingLastPathComponent()) } catch {
      // Of a folder above that may not be read nobody can wait for the disk.
      if case .notWritable = error { return }
      // Whoever finds it takes its name for one that is there for good.
      rmdir(folder.path)
      throw error
    }
  }

  /// Waits until the disk has the bytes of a file that somebody else wrote.
  func syncFile(_ file: URL) throws(OutboxError) { try sync(file, by: calls.sync) }

  /// Waits until the disk has the names of a folder's files.
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
