/// The error of keys, seals and signatures.
public enum SealingError: Error, Sendable, Hashable {
  /// There is no cryptography to be had on this system, with the fix.
  case unavailable(String)
  /// A key cannot be used, with what it has to be.
  case key(String)
  /// A sealed text does not open: it was changed, or sealed by another key or for another purpose.
  case tampered
  /// A place of keys cannot be read or written, or must not be trusted, with the fix.
  case place(String)
}

extension SealingError: CustomStringConvertible {
  /// The problem and its fix in one sentence.
  public var description: String {
    switch self {
    case .unavailable(let text), .key(let text), .place(let text): text
    case .tampered:
      "The sealed text does not open: it was changed, or sealed by another key or for another "
        + "purpose."
    }
  }
}
