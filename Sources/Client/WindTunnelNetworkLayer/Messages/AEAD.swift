public import Foundation

/// An authenticated cipher with associated data (RFC 5116): whoever changes a byte of the sealed
/// text, of its nonce or of the data that it is bound to, makes that it does not open.
public protocol AEAD: Sendable {
  /// The length of a nonce in bytes; no nonce may be used twice with one key.
  var nonceBytes: Int { get }
  /// Seals a text.
  ///
  /// - Returns: The sealed text with its tag behind it.
  func seal(_ text: Data, nonce: Data, authenticating context: Data) throws(SealingError) -> Data
  /// Opens what ``seal(_:nonce:authenticating:)`` returned.
  ///
  /// - Throws: ``SealingError/tampered`` where anything differs.
  func open(_ sealed: Data, nonce: Data, authenticating context: Data) throws(SealingError) -> Data
}

extension AEAD {
  /// Seals a text with a nonce that is drawn at random by the system.
  ///
  /// - Returns: The nonce, the sealed text and its tag, in one piece.
  public func seal(_ text: Data, authenticating context: Data) throws(SealingError) -> Data {
    let nonce = Data.random(nonceBytes)
    return nonce + (try seal(text, nonce: nonce, authenticating: context))
  }

  /// Opens a piece that begins with its nonce.
  ///
  /// - Throws: ``SealingError/tampered`` where it is no such piece, too.
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
  /// Returns bytes that the system has drawn at random, fit for keys.
  package static func random(_ count: Int) -> Data {
    Data((0..<count).map { _ in UInt8.random(in: .min ... .max) })
  }
}
