internal import Foundation

/// A configuration that its publisher has signed.
///
/// Its text is a line with the signature in base64, a line feed, and a JSON of which exactly these
/// bytes are signed by Ed25519 (RFC 8032):
///
///     {"version":7,"expires":1800000000,"layer":{"deadlineMilliseconds":9000}}
///
/// The version rises with each that is published. It expires at a time in whole seconds since 1970.
/// The layer is a ``ConfigurationLayer``. The signature of `layer.json` is that of
/// `openssl pkeyutl -sign -rawin -inkey key.pem -in layer.json | base64 -w0`.
struct SignedConfiguration: Sendable {
  private struct Document: Decodable {
    var version: Int
    var expires: Int
    var layer: ConfigurationLayer
  }

  /// The whole text, signature included.
  let text: Data
  let version: Int
  let expires: Date
  let layer: ConfigurationLayer
  /// Tells it from another one of the same version.
  let digest: String

  /// Reads a text; nothing of it is looked at that no key has signed.
  ///
  /// - Parameters:
  ///   - text: The whole text.
  ///   - keys: The keys that are built in, of which one has to have signed it.
  ///   - now: The time of day.
  ///   - known: The version that was known before, with its digest; a lower one is refused.
  /// - Throws: The reason for which it changes nothing.
  init(
    _ text: Data,
    signedBy keys: [Ed25519Key],
    at now: Date,
    known: KnownVersion?
  ) throws(FetchRefusal) {
    let text = Data(text)
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")), end <= 128,
      let signature = Data(base64Encoded: text[..<end]),
      // One signature has one spelling: the last letter before the padding has bits to spare.
      signature.base64EncodedData() == text[..<end]
    else { throw .unsigned }
    let signed = Data(text[(end + 1)...])
    guard keys.contains(where: { $0.isValid(signature, of: signed) }) else { throw .unsigned }
    let document: Document
    do { document = try JSONDecoder().decode(Document.self, from: signed) } catch {
      throw .malformed("\(error)")
    }
    guard document.version >= 1 else {
      throw .malformed("\"version\" is \(document.version); it has to be 1 or more.")
    }
    digest = SystemCrypto.sha256(signed).base64EncodedString()
    (self.text, version, layer) = (text, document.version, document.layer)
    expires = Date(timeIntervalSince1970: TimeInterval(document.expires))
    guard now < expires else { throw .expired(expires) }
    if let known, version < known.version || version == known.version && digest != known.digest {
      throw .replayed(version: version, known: known.version)
    }
  }
}

/// The highest version that was ever taken on a device, and the digest of what was signed.
struct KnownVersion: Sendable, Hashable {
  var version: Int
  var digest: String

  /// Makes one of its parts.
  init(version: Int, digest: String) { (self.version, self.digest) = (version, digest) }

  /// Makes that of a signed configuration.
  init(_ signed: SignedConfiguration) { self.init(version: signed.version, digest: signed.digest) }

  /// Reads what ``data`` wrote; `nil` for anything else.
  init?(_ data: Data) {
    let parts = String(decoding: data, as: UTF8.self).split(separator: " ")
    guard parts.count == 2, let version = Int(parts[0]) else { return nil }
    self.init(version: version, digest: String(parts[1]))
  }

  var data: Data { Data("\(version) \(digest)".utf8) }
}
