/// The reason why a file in a release was not read, as the end of a sentence that begins with the
/// name of the file.
package enum ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The header refers to bytes beyond the end of the file.
  case cutShort(missing: String)
  /// The header contradicts itself.
  case damaged(String)
  /// A store has encrypted the program.
  case encryptedProgram
  /// An entry of an archive has a password.
  case encryptedEntry
  /// A known format that is not read.
  case format(String)
  /// An entry of an archive is packed by a method that is not supported.
  case method(Int)
  /// The content exceeds the limit with this name.
  case tooMuch(String, limit: Int)
  /// Neither a file nor a folder, such as a pipe.
  case kind(String)
  /// A link, and the problem with its target.
  case link(to: String, String)
  /// The file system returned an error.
  case unreadable(String)
  /// The system has no zlib, which is required to open archives.
  case noZLib

  package var description: String {
    switch self {
    case .cutShort(let missing): "is truncated: \(missing) would be after its end"
    case .damaged(let problem): "is damaged: \(problem)"
    case .encryptedProgram:
      "is encrypted, like a copy from a store: check the app before it is uploaded"
    case .encryptedEntry: "is encrypted with a password: check the archive without one"
    case .format(let name): "is \(name), a format that cannot be checked"
    case .method(let number):
      "is compressed with method \(number); only stored (0) and deflated (8) are supported"
    case .tooMuch(let what, let limit): "has more than the maximum of \(limit) \(what)"
    case .kind(let kind): "is \(kind), not a file"
    case .link(let target, let problem): "is a link to \(target), \(problem)"
    case .unreadable(let reason): "cannot be read: \(reason)"
    case .noZLib: "is compressed, but this machine has no zlib to open it"
    }
  }
}
