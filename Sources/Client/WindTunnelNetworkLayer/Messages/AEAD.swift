public import Foundation

/// An authenticated cipher with associated data (RFC 5116).
///
/// If a byte of the ciphertext, its nonce or the associated data changes, decryption fails.
public protocol AEAD: Sendable {
  /// The length of a nonce in bytes. Never use a nonce twice with the same key.
  var nonceBytes: Int { get }
  /// Encrypts a text.
  ///
  /// - Returns: The ciphertext, followed by its tag.
  func seal(_ text: Data, nonce: Data, authenticating context: Data) throws(SealingError) -> Data
  /// Decrypts the result of ``seal(_:nonce:authenticating:)``.
  ///
  /// - Throws: ``SealingError/tampered`` if anything differs.
  func open(_ sealed: Data, nonce: Data, authenticating context: Data) throws(SealingError) -> Data
}

extension AEAD {
  /// Encrypts a text with a random nonce from the system.
  ///
  /// - Returns: The nonce, the ciphertext and its tag, in this order.
  public func seal(_ text: Data, authenticating context: Data) throws(SealingError) -> Data {
    let nonce = Data.random(nonceBytes)
    return nonce + (try seal(text, nonce: nonce, authenticating: context))
  }

  /// Decrypts data that begins with its nonce.
  ///
  /// - Throws: ``SealingError/tampered`` if the data is too short, or if anything differs.
  public func open(_ piece: Data, authenticating context: Data) throws(SealingError) -> Data {
    guard piece.count >= nonceBytes else { throw .tampered }
    return try open(
      Data(piece.dropFirst(nonceBytes)),
      nonce: Data(piece.prefix(nonceBytes)),
      authenticating: context
    )
  }
}

extension Data {
  /// Returns random bytes from the system, suitable for keys.
  package static func random(_ count: Int) -> Data {
    Data((0..<count).map { _ in UInt8.random(in: .min ... .max) })
  }
}
