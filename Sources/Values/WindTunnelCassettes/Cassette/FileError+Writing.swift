package import Foundation

extension FileError {
  /// Writes a file atomically, by means of a temporary file next to it.
  ///
  /// An existing file keeps its permissions. A symbolic link is kept, and its target is written. A
  /// read-only file is not replaced, even if the permissions of its folder allow it.
  package static func writing(_ data: Data, to file: URL) throws(FileError) {
    try writing(Body(data), to: file)
  }

  /// Writes a body in the same way, piece by piece.
  package static func writing(_ body: Body, to file: URL) throws(FileError) {
    try writing(to: file) { descriptor in
      var problem: Int32 = 0
      let isDone = body.forEachPiece { piece in
        problem = code(ofWriting: piece, to: descriptor)
        return problem == 0
      }
      return isDone ? nil : problem
    }
  }

  /// Writes a file in the same way from the pieces of a function, so that the contents are never in
  /// memory as a whole.
  package static func writing(
    to file: URL,
    piecesOf makePieces: (_ write: @escaping (_ piece: [UInt8]) -> Void) -> Void
  ) throws(FileError) {
    try writing(to: file) { descriptor in
      var problem: Int32 = 0
      makePieces { piece in
        guard problem == 0 else { return }
        problem = piece.withUnsafeBytes { code(ofWriting: $0, to: descriptor) }
      }
      return problem == 0 ? nil : problem
    }
  }

  private static func code(ofWriting piece: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    code(ofMoving: piece.count) { done in
      let rest = UnsafeRawBufferPointer(rebasing: piece[done...])
      return write(descriptor, rest.baseAddress, rest.count)
    }
  }

  /// Writes a file in the same way with a function that writes to a descriptor and returns the
  /// error code or `nil`.
  private static func writing(
    to file: URL,
    _ writeAll: (_ descriptor: Int32) -> Int32?
  ) throws(FileError) {
    let target = try target(of: file)
    let mode = try permissions(of: target, named: file)
    let name = ".\(target.lastPathComponent.prefix(150)).\(UUID().uuidString)"
    let temporary = target.deletingLastPathComponent().appendingPathComponent(name).path
    // Unreadable for other users until it has its final permissions.
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor = open(temporary, flags, mode == nil ? 0o666 : 0o600)
    guard descriptor >= 0 else { throw refused(file) }
    // The lock ends with the process. Another process may remove unlocked temporary files.
    flock(descriptor, LOCK_EX | LOCK_NB)
    var problem = writeAll(descriptor)
    if problem == nil, let mode, fchmod(descriptor, mode) != 0 { problem = errno }
    if close(descriptor) != 0, problem == nil { problem = errno }
    if problem == nil, rename(temporary, target.path) != 0 { problem = errno }
    if let problem {
      unlink(temporary)
      throw refused(file, problem)
    }
  }

  /// Removes temporary files of processes that ended while writing this file or, for a cassette,
  /// its side files.
  package static func removeRemains(of file: URL) {
    // Errors are ignored: a leftover file does no harm except that it takes space.
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

  /// Throws if a file cannot be written, without writing it.
  package static func probeWriting(to file: URL) throws(FileError) {
    let target = try target(of: file)
    _ = try permissions(of: target, named: file)
    let folder = target.deletingLastPathComponent()
    var status = stat()
    guard stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw .unwritable(file.relativePath, reason: "there is no folder \(folder.relativePath)")
    }
    // Even root cannot write everywhere (a read-only file system, /proc), so a file is created as a
    // test.
    let name = ".\(target.lastPathComponent.prefix(150)).\(UUID().uuidString)"
    let probe = folder.appendingPathComponent(name).path
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw refused(file) }
    _ = close(descriptor)
    unlink(probe)
  }

  /// Returns the target of a path through symbolic links, up to the limit of the system. The target
  /// of the last link may be missing.
  package static func target(of file: URL) throws(FileError) -> URL {
    var target = file
    for _ in 0..<linksMax {
      // A file that is not a link is the target.
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

  /// Returns the permissions of a file; `nil` if it does not exist yet.
  private static func permissions(of target: URL, named file: URL) throws(FileError) -> mode_t? {
    var status = stat()
    guard stat(target.path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .unwritable(file.relativePath, reason: "it is a directory")
    default: throw .unwritable(file.relativePath, reason: "it is not a plain file")
    }
    let mode = status.st_mode & 0o7777
    // The system would let root write the file, and any user with access to its folder replace it.
    guard mode & 0o222 != 0, access(target.path, W_OK) == 0 else {
      throw .unwritable(
        file.relativePath,
        reason: "it is read-only (mode \(String(mode, radix: 8)))"
      )
    }
    return mode
  }

  /// Returns an error with the system's reason why a file cannot be written.
  package static func refused(_ file: URL, _ code: Int32 = errno) -> FileError {
    .unwritable(file.relativePath, reason: String(cString: strerror(code)))
  }
}
