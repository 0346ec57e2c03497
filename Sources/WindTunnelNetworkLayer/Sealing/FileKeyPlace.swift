public import Foundation

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A place of keys in files of mode 600, one each, in a directory of its own of mode 700.
///
/// A file that others may read or write, that belongs to another user, or that is no plain file, is
/// refused and not read. A file is put into its place whole: whoever is killed leaves the old one
/// or the new one.
public struct FileKeyPlace: KeyPlace {
  /// The greatest length of what is kept under a name, in bytes.
  public static let bytesMax = 64 << 10

  private let directory: URL

  /// Makes a place of a directory, which is created for this user alone where there is none.
  ///
  /// - Throws: ``SealingError/place(_:)`` where it cannot be created, where others may write in it,
  ///   or where it belongs to another user.
  public init(directory: URL) throws(SealingError) {
    self.directory = directory
    do {
      try FileManager.default.createDirectory(
        at: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw .place("The folder \(directory.path) cannot be created: \(error.localizedDescription)")
    }
    let descriptor = Self.open(directory.path, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw Self.failure("opened", directory.path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("looked at", directory.path) }
    try Self.checkOwner(status, directory.path)
    guard status.st_mode & 0o022 == 0 else {
      throw .place(
        "The folder \(directory.path) has mode \(Self.mode(status)), so that others can put keys of "
          + "theirs into it; run chmod 700 on it."
      )
    }
  }

  /// Reads a file that is this user's alone; `nil` where there is none.
  public func read(_ name: String) throws(SealingError) -> Data? {
    let path = try path(name)
    // Neither a link's end nor a pipe, which would wait for a writer.
    let descriptor = Self.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      if errno == ELOOP {
        throw .place("The key file \(path) is a link, which is not followed; remove it.")
      }
      throw Self.failure("opened", path)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("looked at", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .place("The key file \(path) is no plain file; remove it.")
    }
    try Self.checkOwner(status, path)
    guard status.st_mode & 0o077 == 0 else {
      throw .place(
        "The key file \(path) has mode \(Self.mode(status)), so that others may have read it; remove "
          + "it, or run chmod 600 on it if nobody has."
      )
    }
    do {
      let data = try handle.read(upToCount: Self.bytesMax + 1) ?? Data()
      if data.count <= Self.bytesMax { return data }
    } catch {
      throw .place("The key file \(path) cannot be read: \(error.localizedDescription)")
    }
    throw .place("The key file \(path) has more than \(Self.bytesMax) bytes; remove it.")
  }

  /// Writes a file in place of the one that was there.
  public func write(_ data: Data, as name: String) throws(SealingError) {
    let path = try path(name)
    let draft = try draft(data, name)
    guard rename(draft, path) == 0 else {
      let failure = Self.failure("put into its place", path)
      unlink(draft)
      throw failure
    }
  }

  /// Writes a file where there is none, and returns what is there then.
  public func add(_ data: Data, as name: String) throws(SealingError) -> Data {
    let path = try path(name)
    let draft = try draft(data, name)
    defer { unlink(draft) }
    // Unlike a rename this puts nothing in another's place.
    if link(draft, path) == 0 { return data }
    guard errno == EEXIST else { throw Self.failure("put into its place", path) }
    return try read(name) ?? data
  }

  /// Removes a file, if there is one.
  public func remove(_ name: String) throws(SealingError) {
    let path = try path(name)
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure("removed", path) }
  }

  private func path(_ name: String) throws(SealingError) -> String {
    try KeyName.check(name)
    return directory.appending(path: name).path
  }

  /// Writes a file under a name that nobody reads, and returns its path.
  private func draft(_ data: Data, _ name: String) throws(SealingError) -> String {
    guard data.count <= Self.bytesMax else {
      throw .place(
        "\(data.count) bytes are too many for \"\(name)\"; keep \(Self.bytesMax) at most."
      )
    }
    let path = directory.appending(path: ".\(name).\(UUID().uuidString)").path
    let descriptor = Self.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.failure("created", path) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      // The umask may have taken rights away that the owner needs.
      guard fchmod(descriptor, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
      try handle.write(contentsOf: data)
      try handle.synchronize()
      return path
    } catch {
      unlink(path)
      throw .place("The key file \(path) cannot be written: \(error.localizedDescription)")
    }
  }

  /// The system's `open` for this user alone; programs that are started do not get the file.
  private static func open(_ path: String, _ flags: Int32) -> Int32 {
    openFile(path, flags | O_CLOEXEC, 0o600)
  }

  private static func checkOwner(_ status: stat, _ path: String) throws(SealingError) {
    guard status.st_uid == geteuid() else {
      throw .place(
        "\(path) belongs to user \(status.st_uid), and this is user \(geteuid()); remove it, or "
          + "choose another folder for keys."
      )
    }
  }

  private static func mode(_ status: stat) -> String { String(status.st_mode & 0o777, radix: 8) }

  private static func failure(_ verb: String, _ path: String) -> SealingError {
    .place("\(path) cannot be \(verb): \(String(cString: strerror(errno))).")
  }
}

/// The system's `open`, which a method of that name would hide.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}
