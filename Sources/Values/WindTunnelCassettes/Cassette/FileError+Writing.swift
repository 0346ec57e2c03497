package import Foundation

extension FileError {
  /// Writes a file in one step, through a temporary one beside it.
  ///
  /// A file that is there keeps its permissions, and a symbolic link stays one: what it leads to is
  /// written. A file that nobody may write is left alone, though its folder would let it be
  /// replaced.
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

  /// Writes a file in the same way from the pieces that a function passes on, so that the file is
  /// never in memory as a whole.
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

  /// Writes a file in the same way by a function that writes to a descriptor, and returns the
  /// error's code or `nil`.
  private static func writing(
    to file: URL,
    _ writeAll: (_ descriptor: Int32) -> Int32?
  ) throws(FileError) {
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
    var problem = writeAll(descriptor)
    if problem == nil, let mode, fchmod(descriptor, mode) != 0 { problem = errno }
    if close(descriptor) != 0, problem == nil { problem = errno }
    if problem == nil, rename(temporary, target.path) != 0 { problem = errno }
    if let problem {
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

  /// Returns the system's own words for why a file cannot be written.
  package static func refused(_ file: URL, _ code: Int32 = errno) -> FileError {
    .unwritable(file.relativePath, reason: String(cString: strerror(code)))
  }
}
