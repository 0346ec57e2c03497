public import Foundation
public import WindTunnelNetworkLayer

/// Encryption whose result only the same versions of an app and its network layer can decrypt.
///
/// The key is derived from a key in a ``KeyPlace`` and both versions (HKDF with SHA-256, RFC 5869).
public struct VersionSeal: Sendable {
  /// The version of this layer's encrypted format, which increases when the format changes.
  public static let layerVersion = "1"

  private static let mark = Data("NLV1".utf8)

  private let cipher: any AEAD

  /// Creates a seal with a stored key, which is created at random if it is missing.
  ///
  /// - Parameters:
  ///   - place: The key store.
  ///   - name: The name of the key.
  ///   - app: The version of the app, such as `2.1 (417)`.
  ///   - layer: The version of the layer.
  ///   - cipher: Creates a cipher from a key of 32 bytes; by default AES-256-GCM.
  /// - Throws: `SealingError` if the key store is refused or there is no cipher.
  public init(
    keyAt place: any KeyPlace,
    named name: String = "configuration-key",
    app: String,
    layer: String = VersionSeal.layerVersion,
    cipher: (Data) throws(SealingError) -> any AEAD = { key throws(SealingError) in
      try AES256GCM(key: key)
    }
  ) throws(SealingError) {
    // The lengths make the text unique for each pair of versions.
    let versions = "\(app.utf8.count):\(app)\(layer.utf8.count):\(layer)"
    self.cipher = try cipher(
      KeyDerivation.hkdf(
        try place.key(named: name),
        salt: Data("WindTunnelNetworkLayer configuration".utf8),
        info: Data(versions.utf8),
        bytes: 32
      )
    )
  }

  /// Encrypts a text with a new nonce.
  public func seal(_ text: Data) throws(SealingError) -> Data {
    Self.mark + (try cipher.seal(text, authenticating: Self.mark))
  }

  /// Decrypts a text that the same versions have encrypted.
  ///
  /// - Throws: `SealingError.tampered` for anything else.
  public func open(_ sealed: Data) throws(SealingError) -> Data {
    guard sealed.starts(with: Self.mark) else { throw .tampered }
    return try cipher.open(Data(sealed.dropFirst(Self.mark.count)), authenticating: Self.mark)
  }
}
