#if canImport(Darwin)
  internal import CryptoKit
  internal import Foundation
  internal import WindTunnelNetworkLayer

  /// The cryptography of the system: CryptoKit.
  enum SystemCrypto {
    /// Throws if there is no cryptography, which never happens on this platform.
    static func check() throws(SealingError) {}

    static func sealAESGCM(
      _ text: Data,
      key: Data,
      nonce: Data,
      context: Data
    ) throws(SealingError) -> Data {
      do {
        let box = try AES.GCM.seal(
          text,
          using: SymmetricKey(data: key),
          nonce: AES.GCM.Nonce(data: nonce),
          authenticating: context
        )
        return box.ciphertext + box.tag
      } catch {
        throw .key("CryptoKit cannot seal: \(error)")
      }
    }

    static func openAESGCM(
      _ text: Data,
      tag: Data,
      key: Data,
      nonce: Data,
      context: Data
    ) throws(SealingError) -> Data {
      do {
        let box = try AES.GCM.SealedBox(
          nonce: AES.GCM.Nonce(data: nonce),
          ciphertext: text,
          tag: tag
        )
        return try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: context)
      } catch {
        throw .tampered
      }
    }

    static func isEd25519(_ signature: Data, of message: Data, by key: Data) -> Bool {
      // Bytes that are no point on the curve have signed nothing.
      guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else {
        return false
      }
      return key.isValidSignature(signature, for: message)
    }
  }
#endif
