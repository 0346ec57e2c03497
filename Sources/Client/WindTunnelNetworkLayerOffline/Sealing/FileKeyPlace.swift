public import Foundation
public import WindTunnelNetworkLayer

/// A place of keys in files of mode 600, one each, in a directory of its own of mode 700.
///
/// A file that others may read or write, that belongs to another user, or that is no plain file, is
/// refused and not read. A file is put into its place whole and for good: whoever is killed, or
/// loses power, leaves the old one or the new one. What a kill leaves half done beside them is
/// removed by an hour later's opening.
public struct FileKeyPlace: KeyPlace {
  /// The greatest length of what is kept under a name, in bytes.
  public static let bytesMax = 64 << 10

  /// The seconds after which nobody is at work at a draft any more.
  private static let draftSeconds = 3600.0
  /// The most times that a file is added which others remove meanwhile.
  private static let mostAdditions = 100

  private let directory: URL
  private let calls: DiskCalls

  /// Makes a place of a directory, which is created for this user alone where there is none.
  ///
  /// - Throws: `SealingError.place(_:)` where it cannot be created, where others may write in it,
  ///   or where it belongs to another user.
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
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("looked at", directory.path) }
    try Self.checkOwner(status, directory.path)
    guard status.st_mode & 0o022 == 0 else {
      throw .place(
        "The folder \(directory.path) has mode \(Self.mode(status)), so that others can put keys of "
          + "theirs into it; run chmod 700 on it."
      )
    }
    sweep()
  }

  /// Removes the drafts of whoever was killed before it had put them into their places: they have
  /// keys in them.
  private func sweep() {
    // A folder that cannot be listed is looked at the next time; files can be read all the same.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    for name in names where Self.isDraft(name) {
      let path = directory.appending(path: name).path
      // Of one that was put into its place meanwhile nothing is known, and nothing is to be done.
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular,
        let date = attributes?[.modificationDate] as? Date
      else { continue }
      if Date().timeIntervalSince(date) > Self.draftSeconds { unlink(path) }
    }
  }

  /// Reads a file that is this user's alone; `nil` where there is none.
  public func read(_ name: String) throws(SealingError) -> Data? {
    let path = try path(name)
    // Neither a link's end nor a pipe, which would wait for a writer.
    let descriptor = openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
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
    guard calls.rename(draft, path) else {
      let failure = Self.failure("put into its place", path)
      unlink(draft)
      throw failure
    }
    try syncFolder()
  }

  /// Writes a file where there is none, and returns what is there then.
  public func add(_ data: Data, as name: String) throws(SealingError) -> Data {
    let path = try path(name)
    let draft = try draft(data, name)
    defer { unlink(draft) }
    for _ in 0..<Self.mostAdditions {
      // Unlike a rename this puts nothing in another's place.
      if calls.link(draft, path) {
        try syncFolder()
        return data
      }
      guard errno == EEXIST else { throw Self.failure("put into its place", path) }
      if let other = try read(name) {
        // Whoever has added it may not have waited for the disk yet.
        try syncFolder()
        return other
      }
      // It was removed meanwhile, and nothing is kept under the name.
    }
    throw .place("\(path) is removed by others as soon as it is there; end them.")
  }

  /// Removes a file, if there is one.
  public func remove(_ name: String) throws(SealingError) {
    let path = try path(name)
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure("removed", path) }
    try syncFolder()
  }

  /// Waits until the disk has the names of the files.
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

  /// Tells whether a name is a draft's: that of a key between a dot, and another dot and a UUID.
  private static func isDraft(_ name: String) -> Bool {
    guard name.hasPrefix("."), let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return false
    }
    return UUID(uuidString: String(name[name.index(after: dot)...])) != nil
  }

  /// Writes a file under a name that nobody reads, and returns its path.
  private func draft(_ data: Data, _ name: String) throws(SealingError) -> String {
    guard data.count <= Self.bytesMax else {
      throw .place(
        "\(data.count) bytes are too many for \"\(name)\"; keep \(Self.bytesMax) at most."
      )
    }
    let path = directory.appending(path: ".\(name).\(UUID().uuidString)").path
    let descriptor = openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.failure("created", path) }
    // The umask may have taken rights away that the owner needs.
    guard fchmod(descriptor, 0o600) == 0 else {
      let failure = Self.failure("written", path)
      close(descriptor)
      unlink(path)
      throw failure
    }
    guard let failure = calls.finish(descriptor, at: path, with: data) else { return path }
    throw .place("The key file \(path) cannot be written: \(String(cString: strerror(failure))).")
  }

  /// The system's `open` for this user alone; programs that are started do not get the file.
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
private func openFile(_ path: String, _ flags: Int32) -> Int32 {
  open(path, flags | O_CLOEXEC, 0o600)
}
