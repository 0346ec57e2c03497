internal import Foundation
internal import WindTunnelNetworkLayer

/// A configuration that its publisher has signed.
///
/// Its text is a line with the signature in base64, a line feed, and a JSON of which exactly these
/// bytes are signed by Ed25519 (RFC 8032):
///
///     {"version":7,"expires":1800000000,"layer":{"deadlineMilliseconds":9000}}
///
/// The version rises with each that one key signs. It expires at a time in whole seconds since
/// 1970. The layer is a `ConfigurationLayer`. The signature of `layer.json` is that of
/// `openssl pkeyutl -sign -rawin -inkey key.pem -in layer.json | base64 -w0`.
struct SignedConfiguration: Sendable {
  private struct Document: Decodable {
    var version: Int
    var expires: Int
    var layer: ConfigurationLayer
  }

  /// The whole text, signature included.
  let text: Data
  /// The place of the key that has signed it in the list of those that are built in.
  let key: Int
  let version: Int
  /// The time until which it is good, in whole seconds since 1970.
  let expires: Int
  var expiryDate: Date { Date(timeIntervalSince1970: TimeInterval(expires)) }
  let layer: ConfigurationLayer
  /// Tells it from another one of the same version.
  let digest: String

  /// Reads a text; nothing of it is looked at that no key has signed.
  ///
  /// - Parameters:
  ///   - text: The whole text.
  ///   - keys: The keys that are built in, of which one has to have signed it.
  /// - Throws: The reason for which it is none.
  init(_ text: Data, signedBy keys: [Ed25519Key]) throws(FetchRefusal) {
    let text = Data(text)
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")), end <= 128,
      let signature = Data(base64Encoded: text[..<end]),
      // One signature has one spelling: the last letter before the padding has bits to spare.
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
      throw .malformed("\"version\" is \(document.version); it has to be 1 or more.")
    }
    digest = signed.sha256.base64EncodedString()
    (self.text, self.key, version) = (text, key, document.version)
    (expires, layer) = (document.expires, document.layer)
  }
}
