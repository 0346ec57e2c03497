package import Foundation

extension FileError {
  /// Writes a file in one step, through a temporary one beside it.
  ///
  /// A file that is there keeps its permissions, and a symbolic link stays one: what it leads to is
  /// written. A file that nobody may write is left alone, though its folder would let it be
  /// replaced.
  package static func writing(_ data: Data, to file: URL) throws(FileError) {
    try writing(to: file) { descriptor in data.withUnsafeBytes { write($0, to: descriptor) } }
  }

  /// Writes a body in the same way, piece by piece.
  package static func writing(_ body: Body, to file: URL) throws(FileError) {
    try writing(to: file) { descriptor in body.forEachPiece { write($0, to: descriptor) } }
  }

  private static func writing(to file: URL, _ writesAll: (Int32) -> Bool) throws(FileError) {
    let target = try target(of: file)
    let mode = try permissions(of: target, named: file)
    let name = ".\(target.lastPathComponent.prefix(150)).\(UUID().uuidString)"
    let temporary = target.deletingLastPathComponent().appendingPathComponent(name).path
    // Nobody else's to read before it has the permissions that it shall have.
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = open(temporary, flags, mode == nil ? 0o666 : 0o600)
    guard descriptor >= 0 else { throw refused(file) }
    // The process gives it back however it ends, and what is nobody's then may be removed.
    flock(descriptor, LOCK_EX | LOCK_NB)
    var isDone = writesAll(descriptor)
    if isDone, let mode { isDone = fchmod(descriptor, mode) == 0 }
    var problem = errno
    if close(descriptor) != 0, isDone { (isDone, problem) = (false, errno) }
    if isDone, rename(temporary, target.path) != 0 { (isDone, problem) = (false, errno) }
    guard isDone else {
      unlink(temporary)
      throw refused(file, problem)
    }
  }

  /// Removes what processes have left of a file that were ended while they wrote it, and of the
  /// bodies beside it where it is a cassette.
  package static func removeRemains(of file: URL) {
    // What cannot be found out or removed does no harm but that it takes room.
    guard let target = try? target(of: file) else { return }
    let folder = target.deletingLastPathComponent()
    removeRemains(in: folder) { $0.hasPrefix(".\(target.lastPathComponent.prefix(150)).") }
    removeRemains(in: SideFiles(of: file).folder) { name in
      name.hasPrefix(".") && SideFiles.isName(String(name.dropFirst().prefix { $0 != "." }))
    }
  }

  private static func removeRemains(in folder: URL, where isRemains: (String) -> Bool) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where isRemains(name) && UUID(uuidString: String(name.suffix(36))) != nil {
      let path = folder.appendingPathComponent(name).path
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
      close(descriptor)
    }
  }

  /// Tells before any work is done whether a file could be written.
  package static func probeWriting(to file: URL) throws(FileError) {
    let target = try target(of: file)
    _ = try permissions(of: target, named: file)
    let folder = target.deletingLastPathComponent()
    var status = stat()
    guard stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw .unwritable(file.relativePath, reason: "there is no folder \(folder.relativePath)")
    }
    // Even root cannot write everywhere (a read-only file system, /proc), so ask the system.
    let name = ".\(target.lastPathComponent.prefix(150)).\(UUID().uuidString)"
    let probe = folder.appendingPathComponent(name).path
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refused(file) }
    _ = close(descriptor)
    unlink(probe)
  }

  /// Returns the file that a name leads to, through as many symbolic links as the system follows;
  /// the last of them may lead to a file that is not there yet.
  package static func target(of file: URL) throws(FileError) -> URL {
    var target = file
    for _ in 0..<linksMax {
      // What is no link is the file.
      guard let end = try? FileManager.default.destinationOfSymbolicLink(atPath: target.path) else {
        return target
      }
      target =
        end.hasPrefix("/")
        ? URL(filePath: end) : target.deletingLastPathComponent().appending(path: end)
    }
    throw refused(file, ELOOP)
  }

  private static let linksMax = 40

  /// Returns the permissions of a file; `nil` where there is none yet.
  private static func permissions(of target: URL, named file: URL) throws(FileError) -> mode_t? {
    var status = stat()
    guard stat(target.path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .unwritable(file.relativePath, reason: "it is a directory")
    default: throw .unwritable(file.relativePath, reason: "it is no plain file")
    }
    let mode = status.st_mode & 0o7777
    // The system lets root write it all the same, and anybody who may write its folder replace it.
    guard mode & 0o222 != 0, access(target.path, W_OK) == 0 else {
      throw .unwritable(
        file.relativePath,
        reason: "it is read-only (mode \(String(mode, radix: 8)))"
      )
    }
    return mode
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let chunk = UnsafeRawBufferPointer(rebasing: rest)
      let count = systemWrite(descriptor, chunk.baseAddress, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Returns the system's own words for why a file cannot be written.
  package static func refused(_ file: URL, _ code: Int32 = errno) -> FileError {
    .unwritable(file.relativePath, reason: String(cString: strerror(code)))
  }
}

/// `write` by a name that no method hides.
private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, start, count)
}
