/// An error of keys, encryption or signatures.
public enum SealingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// This system has no cryptography available, with the fix.
  case unavailable(String)
  /// A key cannot be used, with its requirements.
  case key(String)
  /// The data cannot be decrypted: it was changed, or encrypted with another key or for another
  /// purpose.
  case tampered
  /// A key store cannot be read or written, or must not be trusted, with the fix.
  case place(String)

  /// The problem and its fix in one sentence.
  public var description: String {
    switch self {
    case .unavailable(let text), .key(let text), .place(let text): text
    case .tampered:
      "The sealed text cannot be opened: it was changed, or sealed with another key or for another "
        + "purpose."
    }
  }
}
