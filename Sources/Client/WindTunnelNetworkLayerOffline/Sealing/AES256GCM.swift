public import Foundation
public import WindTunnelNetworkLayer

/// AES-256 in Galois/Counter Mode with a tag of 16 bytes (NIST SP 800-38D), by the system's own
/// cryptography.
///
/// That is CryptoKit on Apple platforms and OpenSSL's libcrypto elsewhere, which is loaded when it
/// is first wanted. With nonces drawn at random one key is good for 2³² texts (§8.3).
public struct AES256GCM: AEAD {
  /// The length of a key in bytes.
  public static let keyBytes = 32
  /// The length of a tag in bytes.
  public static let tagBytes = 16
  /// The greatest length of a text in bytes.
  public static let textBytesMax = 1 << 28

  /// The length of a nonce: 12 bytes.
  public var nonceBytes: Int { 12 }
  private let key: Data

  /// Makes a cipher of a key of 32 bytes.
  ///
  /// - Throws: `SealingError.key(_:)` for a key of another length, and
  ///   `SealingError.unavailable(_:)` where the system has no such cipher.
  public init(key: Data) throws(SealingError) {
    guard key.count == Self.keyBytes else {
      throw .key("A key of AES-256 has \(Self.keyBytes) bytes; this one has \(key.count).")
    }
    try SystemCrypto.check()
    self.key = Data(key)
  }

  /// Seals a text; the tag stands behind it.
  public func seal(
    _ text: Data,
    nonce: Data,
    authenticating context: Data
  ) throws(SealingError) -> Data {
    guard nonce.count == nonceBytes else {
      throw .key("A nonce has \(nonceBytes) bytes; this one has \(nonce.count).")
    }
    guard text.count <= Self.textBytesMax else {
      throw .key("A text of \(text.count) bytes is too long; seal \(Self.textBytesMax) at most.")
    }
    return try SystemCrypto.sealAESGCM(text, key: key, nonce: nonce, context: context)
  }

  /// Opens a text with its tag behind it.
  public func open(
    _ sealed: Data,
    nonce: Data,
    authenticating context: Data
  ) throws(SealingError) -> Data {
    guard nonce.count == nonceBytes, sealed.count >= Self.tagBytes,
      sealed.count - Self.tagBytes <= Self.textBytesMax
    else { throw .tampered }
    return try SystemCrypto.openAESGCM(
      Data(sealed.dropLast(Self.tagBytes)),
      tag: Data(sealed.suffix(Self.tagBytes)),
      key: key,
      nonce: nonce,
      context: context
    )
  }
}

extension AES256GCM: CustomStringConvertible, CustomReflectable {
  /// A text without the key.
  public var description: String { "AES-256-GCM" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
