public import Foundation
public import WindTunnelNetworkLayer

/// An Ed25519 public key (RFC 8032 §5.1), which verifies signatures with the system's cryptography.
public struct Ed25519Key: Sendable, Hashable {
  /// The length of a public key in bytes.
  public static let keyBytes = 32
  /// The length of a signature in bytes.
  public static let signatureBytes = 64

  private let bytes: Data

  /// Creates a key from its 32 bytes.
  ///
  /// - Throws: `SealingError.key(_:)` for another length, and `SealingError.unavailable(_:)` if the
  ///   system cannot verify signatures.
  public init(_ bytes: Data) throws(SealingError) {
    guard bytes.count == Self.keyBytes else {
      throw .key("A public key of Ed25519 has \(Self.keyBytes) bytes; this one has \(bytes.count).")
    }
    try SystemCrypto.check()
    self.bytes = Data(bytes)
  }

  /// Returns whether the key's owner made this signature for exactly these bytes.
  public func isValid(_ signature: Data, of message: Data) -> Bool {
    signature.count == Self.signatureBytes
      && SystemCrypto.isEd25519(signature, of: message, by: bytes)
  }
}
