public import Foundation
public import WindTunnelNetworkLayer

/// A key store with one file of mode 600 per key, in its own directory of mode 700.
///
/// A file is not read if others may access it, if it belongs to another user, or if it is not a
/// regular file. Files are replaced durably and completely: after a kill or a power failure, either
/// the old or the new file exists. An unfinished file is removed by an opening at least an hour
/// later.
public struct FileKeyPlace: KeyPlace {
  /// The maximum length of a value in bytes.
  public static let bytesMax = 64 << 10

  /// The minimum age in seconds of an abandoned file.
  private static let draftSeconds = 3600.0
  /// The maximum number of attempts to add a file that others remove meanwhile.
  private static let mostAdditions = 100

  private let directory: URL
  private let calls: DiskCalls

  /// Creates a key store in a directory, which is created for this user alone if it is missing.
  ///
  /// - Throws: `SealingError.place(_:)` if the directory cannot be created, is writable by others,
  ///   or belongs to another user.
  public init(directory: URL) throws(SealingError) {
    try self.init(directory: directory, by: .system)
  }

  init(directory: URL, by calls: DiskCalls) throws(SealingError) {
    (self.directory, self.calls) = (directory, calls)
    do {
      try FileManager.default.createDirectory(
        at: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw .place("The folder \(directory.path) cannot be created: \(error.localizedDescription)")
    }
    let descriptor = openFile(directory.path, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw Self.failure("opened", directory.path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("examined", directory.path) }
    try Self.checkOwner(status, directory.path)
    guard status.st_mode & 0o022 == 0 else {
      throw .place(
        "The folder \(directory.path) has mode \(Self.mode(status)), so other users can write keys "
          + "to it; run chmod 700 on it."
      )
    }
    sweep()
  }

  /// Removes the unfinished files of killed processes, because they contain keys.
  private func sweep() {
    // If the folder cannot be listed, the next opening cleans up. Files can be read nevertheless.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where Self.isDraft(name) {
      let path = directory.appending(path: name).path
      // A file that was renamed meanwhile has no attributes and is skipped.
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular,
        let date = attributes?[.modificationDate] as? Date
      else { continue }
      if Date().timeIntervalSince(date) > Self.draftSeconds { unlink(path) }
    }
  }

  /// Reads a file that only this user can access; `nil` if it does not exist.
  public func read(_ name: String) throws(SealingError) -> Data? {
    let path = try path(name)
    // Does not follow links, and does not block on a pipe.
    let descriptor = openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      if errno == ELOOP {
        throw .place("The key file \(path) is a link, which is not allowed; remove it.")
      }
      throw Self.failure("opened", path)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("examined", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .place("The key file \(path) is not a regular file; remove it.")
    }
    try Self.checkOwner(status, path)
    guard status.st_mode & 0o077 == 0 else {
      throw .place(
        "The key file \(path) has mode \(Self.mode(status)), so other users may have read it. Remove "
          + "it, or run chmod 600 on it if the key is still secret."
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

  /// Writes a file, and replaces an existing one.
  public func write(_ data: Data, as name: String) throws(SealingError) {
    let path = try path(name)
    let draft = try draft(data, name)
    guard calls.rename(draft, path) else {
      let failure = Self.failure("moved into place", path)
      unlink(draft)
      throw failure
    }
    try syncFolder()
  }

  /// Writes a file if it does not exist, and returns the resulting content.
  public func add(_ data: Data, as name: String) throws(SealingError) -> Data {
    let path = try path(name)
    let draft = try draft(data, name)
    defer { unlink(draft) }
    for _ in 0..<Self.mostAdditions {
      // Unlike a rename, a link never replaces a file.
      if calls.link(draft, path) {
        try syncFolder()
        return data
      }
      guard errno == EEXIST else { throw Self.failure("moved into place", path) }
      if let other = try read(name) {
        // The process that added it may not have synchronized the folder yet.
        try syncFolder()
        return other
      }
      // The file was removed meanwhile, so that the name is free again.
    }
    throw .place("Another process removes \(path) again and again; end that process.")
  }

  /// Removes a file, if it exists.
  public func remove(_ name: String) throws(SealingError) {
    let path = try path(name)
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure("removed", path) }
    try syncFolder()
  }

  /// Waits until the names of the files are on the disk.
  private func syncFolder() throws(SealingError) {
    let descriptor = openFile(directory.path, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw Self.failure("opened", directory.path) }
    defer { close(descriptor) }
    guard calls.syncFolder(descriptor) else { throw Self.failure("written", directory.path) }
  }

  private func path(_ name: String) throws(SealingError) -> String {
    try KeyName.check(name)
    return directory.appending(path: name).path
  }

  /// Returns whether a name belongs to an unfinished file: a dot, the key's name, a dot and a UUID.
  private static func isDraft(_ name: String) -> Bool {
    guard name.hasPrefix("."), let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return false
    }
    return UUID(uuidString: String(name[name.index(after: dot)...])) != nil
  }

  /// Writes a file under a temporary name, and returns its path.
  private func draft(_ data: Data, _ name: String) throws(SealingError) -> String {
    guard data.count <= Self.bytesMax else {
      throw .place(
        "\"\(name)\" has \(data.count) bytes; the maximum is \(Self.bytesMax)."
      )
    }
    let path = directory.appending(path: ".\(name).\(UUID().uuidString)").path
    let descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.failure("created", path) }
    // The umask may have removed permissions that the owner needs.
    guard fchmod(descriptor, 0o600) == 0 else {
      let failure = Self.failure("written", path)
      close(descriptor)
      unlink(path)
      throw failure
    }
    guard let failure = calls.finish(descriptor, at: path, with: data) else { return path }
    throw .place("The key file \(path) cannot be written: \(String(cString: strerror(failure))).")
  }

  /// Throws if a file or folder does not belong to this user.
  private static func checkOwner(_ status: stat, _ path: String) throws(SealingError) {
    guard status.st_uid == geteuid() else {
      throw .place(
        "\(path) belongs to user \(status.st_uid), not to user \(geteuid()); remove it, or "
          + "choose another folder for keys."
      )
    }
  }

  private static func mode(_ status: stat) -> String { String(status.st_mode & 0o777, radix: 8) }

  private static func failure(_ verb: String, _ path: String) -> SealingError {
    .place("\(path) cannot be \(verb): \(String(cString: strerror(errno))).")
  }
}

/// Opens a file with the system's `open`, for this user alone. Child processes do not inherit it.
///
/// A method with the name `open` would hide the system's function.
private func openFile(_ path: String, _ flags: Int32) -> Int32 {
  open(path, flags | O_CLOEXEC, 0o600)
}
