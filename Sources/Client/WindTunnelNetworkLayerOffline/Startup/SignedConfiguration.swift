internal import Foundation
internal import WindTunnelNetworkLayer

/// A configuration that its publisher has signed.
///
/// Its text is a line with the signature in base64, a line feed, and JSON. Exactly the bytes of the
/// JSON are signed with Ed25519 (RFC 8032):
///
///     {"version":7,"expires":1800000000,"layer":{"deadlineMilliseconds":9000}}
///
/// The version increases with each configuration that a key signs. The expiry is in whole seconds
/// since
/// 1970. The layer is a `ConfigurationLayer`. The command
///       `openssl pkeyutl -sign -rawin -inkey key.pem -in layer.json | base64 -w0` prints the
///       signature of `layer.json`.
struct SignedConfiguration: Sendable {
  private struct Document: Decodable {
    var version: Int
    var expires: Int
    var layer: ConfigurationLayer
  }

  /// The whole text, including its signature.
  let text: Data
  /// The index of the signing key in the list of built-in keys.
  let key: Int
  let version: Int
  /// The expiry time, in whole seconds since 1970.
  let expires: Int
  var expiryDate: Date { Date(timeIntervalSince1970: TimeInterval(expires)) }
  let layer: ConfigurationLayer
  /// The digest that distinguishes configurations with the same version.
  let digest: String

  /// Verifies and parses a text. Unsigned content is not parsed.
  ///
  /// - Parameters:
  ///   - text: The whole text.
  ///   - keys: The built-in keys, one of which must have signed it.
  /// - Throws: The reason if it is invalid.
  init(_ text: Data, signedBy keys: [Ed25519Key]) throws(FetchRefusal) {
    let text = Data(text)
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")), end <= 128,
      let signature = Data(base64Encoded: text[..<end]),
      // Only one encoding is accepted, because the last letter before the padding has unused bits.
      signature.base64EncodedData() == text[..<end]
    else { throw .unsigned }
    let signed = Data(text[(end + 1)...])
    guard let key = keys.firstIndex(where: { $0.isValid(signature, of: signed) }) else {
      throw .unsigned
    }
    let document: Document
    do { document = try JSONDecoder().decode(Document.self, from: signed) } catch {
      throw .malformed("\(error)")
    }
    guard document.version >= 1 else {
      throw .malformed("\"version\" is \(document.version); it must be 1 or more.")
    }
    digest = signed.sha256.base64EncodedString()
    (self.text, self.key, version) = (text, key, document.version)
    (expires, layer) = (document.expires, document.layer)
  }
}
