public import Foundation
public import WindTunnelNetworkLayer

/// A seal that one version of an app and of its network layer opens, and no other: its key is
/// derived from a key at a ``KeyPlace`` and both versions (HKDF with SHA-256, RFC 5869).
public struct VersionSeal: Sendable {
  /// The version of this layer's sealed texts, which another format of them changes.
  public static let layerVersion = "1"

  private static let mark = Data("NLV1".utf8)

  private let cipher: any AEAD

  /// Makes a seal with a key at a place, which is drawn where there is none yet.
  ///
  /// - Parameters:
  ///   - place: The place of the key.
  ///   - name: The name of the key.
  ///   - app: The version of the app, such as `2.1 (417)`.
  ///   - layer: The version of the layer.
  ///   - cipher: Makes a cipher of a key of 32 bytes; by default AES-256-GCM.
  /// - Throws: `SealingError`, where the place is refused or there is no cipher.
  public init(
    keyAt place: any KeyPlace,
    named name: String = "configuration-key",
    app: String,
    layer: String = VersionSeal.layerVersion,
    cipher: (Data) throws(SealingError) -> any AEAD = { key throws(SealingError) in
      try AES256GCM(key: key)
    }
  ) throws(SealingError) {
    // With their lengths, so that no two pairs of versions are one text.
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

  /// Seals a text with a nonce of its own.
  public func seal(_ text: Data) throws(SealingError) -> Data {
    Self.mark + (try cipher.seal(text, authenticating: Self.mark))
  }

  /// Opens what the same versions have sealed.
  ///
  /// - Throws: `SealingError.tampered` for anything else.
  public func open(_ sealed: Data) throws(SealingError) -> Data {
    guard sealed.starts(with: Self.mark) else { throw .tampered }
    return try cipher.open(Data(sealed.dropFirst(Self.mark.count)), authenticating: Self.mark)
  }
}
