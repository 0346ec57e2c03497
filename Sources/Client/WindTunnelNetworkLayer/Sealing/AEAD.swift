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
  /// - Throws: ``SealingError/key(_:)`` for a key of another length, and
  ///   ``SealingError/unavailable(_:)`` where the system has no such cipher.
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

extension Data {
  /// Returns bytes that the system has drawn at random, fit for keys.
  static func random(_ count: Int) -> Data {
    Data((0..<count).map { _ in UInt8.random(in: .min ... .max) })
  }
}
