public import Foundation
public import WindTunnelNetworkLayer

/// AES-256 in Galois/Counter Mode with a 16-byte tag (NIST SP 800-38D), by the system's
/// cryptography.
///
/// That is CryptoKit on Apple platforms. Elsewhere it is OpenSSL's libcrypto, which is loaded on
/// first use. With random nonces, one key can encrypt up to 2³² texts (§8.3).
public struct AES256GCM: AEAD, CustomStringConvertible, CustomReflectable {
  /// The length of a key in bytes.
  public static let keyBytes = 32
  /// The length of a tag in bytes.
  public static let tagBytes = 16
  /// The maximum length of a text in bytes.
  public static let textBytesMax = 1 << 28

  /// The length of a nonce: 12 bytes.
  public var nonceBytes: Int { 12 }
  private let key: Data

  /// Creates a cipher with a key of 32 bytes.
  ///
  /// - Throws: `SealingError.key(_:)` for a key of another length, and
  ///   `SealingError.unavailable(_:)` if the system has no such cipher.
  public init(key: Data) throws(SealingError) {
    guard key.count == Self.keyBytes else {
      throw .key("A key of AES-256 has \(Self.keyBytes) bytes; this key has \(key.count).")
    }
    try SystemCrypto.check()
    self.key = Data(key)
  }

  /// Encrypts a text and appends the tag.
  public func seal(
    _ text: Data,
    nonce: Data,
    authenticating context: Data
  ) throws(SealingError) -> Data {
    guard nonce.count == nonceBytes else {
      throw .key("A nonce has \(nonceBytes) bytes; this nonce has \(nonce.count).")
    }
    guard text.count <= Self.textBytesMax else {
      throw .key("A text of \(text.count) bytes is too long; the maximum is \(Self.textBytesMax).")
    }
    return try SystemCrypto.sealAESGCM(text, key: key, nonce: nonce, context: context)
  }

  /// Decrypts a text that is followed by its tag.
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

  /// A description without the key.
  public var description: String { "AES-256-GCM" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
