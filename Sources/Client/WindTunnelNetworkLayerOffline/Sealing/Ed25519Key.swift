public import Foundation
public import WindTunnelNetworkLayer

/// A public key of Ed25519 (RFC 8032 §5.1), by which signatures are verified with the system's own
/// cryptography.
public struct Ed25519Key: Sendable, Hashable {
  /// The length of a public key in bytes.
  public static let keyBytes = 32
  /// The length of a signature in bytes.
  public static let signatureBytes = 64

  private let bytes: Data

  /// Makes a key of its 32 bytes.
  ///
  /// - Throws: `SealingError.key(_:)` for bytes that are no key, and
  ///   `SealingError.unavailable(_:)` where the system cannot verify.
  public init(_ bytes: Data) throws(SealingError) {
    guard bytes.count == Self.keyBytes else {
      throw .key("A public key of Ed25519 has \(Self.keyBytes) bytes; this one has \(bytes.count).")
    }
    try SystemCrypto.check()
    self.bytes = Data(bytes)
  }

  /// Tells whether a signature of exactly these bytes was made by the key's owner.
  public func isValid(_ signature: Data, of message: Data) -> Bool {
    signature.count == Self.signatureBytes
      && SystemCrypto.isEd25519(signature, of: message, by: bytes)
  }
}
