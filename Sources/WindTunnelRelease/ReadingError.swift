/// The reason why something in a release was not looked through, as the end of a sentence that
/// begins with its name.
package enum ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The header promises bytes that the file has not got.
  case cutShort(missing: String)
  /// The header contradicts itself.
  case damaged(String)
  /// A store has encrypted the program.
  case encryptedProgram
  /// An entry of an archive has a password.
  case encryptedEntry
  /// A known format that nothing here reads.
  case format(String)
  /// An entry of an archive is packed by a method that nothing here opens.
  case method(Int)
  /// There is more than the limit of this name allows.
  case tooMuch(String, limit: Int)
  /// So many bytes stand behind all that its headers speak of.
  case appended(Int)
  /// Another kind of thing than a file or a folder, such as a pipe.
  case kind(String)
  /// A link, and the problem with what it leads to.
  case link(to: String, String)
  /// The system does not give it, for its own reason.
  case unreadable(String)
  /// The system's zlib, which opens archives, is not there.
  case noZLib

  /// Tells whether the bytes are not of the format that they begin as.
  var isOfForm: Bool {
    switch self {
    case .cutShort, .damaged: true
    default: false
    }
  }

  package var description: String {
    switch self {
    case .cutShort(let missing): "is cut short: \(missing) would lie beyond its end"
    case .damaged(let problem): "is damaged: \(problem)"
    case .encryptedProgram:
      "is encrypted, as a store's copy is: look through the app before it is uploaded"
    case .encryptedEntry: "is encrypted with a password: look through the archive without one"
    case .format(let name): "is \(name), a format that this does not look through"
    case .method(let number):
      "is packed by method \(number), and only stored (0) and deflated (8) are opened"
    case .tooMuch(let what, let limit): "has more than \(limit) \(what), which is the limit"
    case .appended(let count):
      "has \(count) bytes behind its end, which are no zip archive, and are not looked through"
    case .kind(let kind): "is \(kind), and no file"
    case .link(let target, let problem): "is a link to \(target), \(problem)"
    case .unreadable(let reason): "cannot be read: \(reason)"
    case .noZLib: "is packed, and there is no zlib on this machine to open it"
    }
  }
}
