package import Foundation

/// A decoder of content codings by the system's zlib, which is loaded at run time.
///
/// Like clients, it accepts all members of gzip (RFC 1952 §2.2), surplus bytes after them, lists of
/// codings (RFC 9110 §8.4), and coding names that change nothing. A body that is not in its
/// declared coding is treated as plain text.
package enum Inflate {
  /// The maximum size of a decoded body in bytes; a larger body stays encoded.
  package static let bytesMax = 256 << 20

  /// The supported content codings; only `identity` without zlib.
  package static var codings: Set<String> {
    ZLib.shared == nil ? ["identity"] : ["gzip", "x-gzip", "deflate", "identity"]
  }

  /// Names in `Content-Encoding` that do not change the bytes. Servers send them by mistake or,
  /// like `aws-chunked`, only for the transfer.
  package static let unchanging = names(
    "identity none binary aws-chunked chunked utf-8 utf8 7bit 8bit plain"
  )

  /// Codings that are not supported. A body with one of these names counts as text only if it is
  /// complete JSON. With any other name, valid UTF-8 is enough.
  private static let closed = names(
    "br zstd compress x-compress dcb dcz exi pack200-gzip aes128gcm lzma xz bzip2 snappy lz4 base64"
  )

  private static func names(_ words: String) -> Set<String> {
    Set(words.split(separator: " ").map(String.init))
  }

  /// The containers around deflate data.
  package enum Form: Sendable {
    /// No container, as in a zip archive.
    case raw
    /// The gzip format (RFC 1952), including several members in sequence.
    case gzip
  }

  /// Whether zlib was found.
  package static var isThere: Bool { ZLib.shared != nil }

  /// Decompresses deflate data.
  ///
  /// Returns `nil` if the data is damaged, if other bytes follow it, if the content exceeds its
  /// limit, or if zlib is missing.
  package static func open(_ data: Data, as form: Form, bytesMax: Int) -> Data? {
    let opened = run(data, form == .raw ? -15 : 15 + 16, bytesMax: bytesMax)
    return opened.flatMap { $0.surplus.isEmpty ? $0.content : nil }
  }

  /// The content of compressed data, `nil` if the data is damaged or has too much content; whether
  /// the data is complete and few bytes follow it; and the number of decoded bytes in any case.
  package typealias Beginning = (content: Data?, isWhole: Bool, count: Int)

  /// Decompresses data that other bytes may follow and whose end may be missing. The bytes decide
  /// between gzip and zlib.
  package static func beginning(of data: Data, isRaw: Bool, bytesMax: Int) -> Beginning {
    guard ZLib.shared != nil else { return (nil, false, 0) }
    let container: Int32 = data.starts(with: InflatingStage.member) ? 15 + 16 : 15
    let stage = InflatingStage(isRaw ? -15 : container)
    // Damaged and too large data differ in the number of bytes only.
    let content = try? stage.decode(data, bytesMax: bytesMax)
    return (content, stage.isWhole && stage.surplus?.count ?? 0 <= 24, stage.decodedBytes)
  }

  /// A body without its content codings.
  package struct Opened {
    /// The decoded content so far.
    package fileprivate(set) var content: Data
    /// The bytes after the end of the coded data, which clients ignore.
    package fileprivate(set) var surplus = Data()
    /// Whether the bytes are in the declared codings.
    package fileprivate(set) var isAsLabelled = true
    /// Whether the bytes were in all declared codings and are decoded.
    package fileprivate(set) var isDecoded = true
  }

  /// Decodes bytes that may be in a coding; `nil` if they are not completely in it.
  package static func open(_ data: Data, coding: String) -> Data? {
    opened(data, coding: coding).flatMap { $0.isDecoded && $0.surplus.isEmpty ? $0.content : nil }
  }

  /// Decodes the content codings of a body (RFC 9110 §8.4.1).
  ///
  /// Returns `nil` if a coding is unsupported, if the body is damaged or larger than ``bytesMax``,
  /// or if zlib is missing.
  package static func opened(_ data: Data, coding: String) -> Opened? {
    // Most bodies have none.
    if coding.isEmpty { return Opened(content: data) }
    let names = coding.listElements.map { $0.lowercased() }.filter { !unchanging.contains($0) }
    guard names.count <= ContentDecoder.codingsMax else { return nil }
    var opened = Opened(content: data)
    for name in names.reversed() {
      let isKnown = codings.contains(name)
      guard let inner = isKnown ? inflated(opened.content) : nil else {
        guard isText(opened.content, as: name) else { return nil }
        opened.isAsLabelled = opened.isAsLabelled && !isKnown && !closed.contains(name)
        opened.isDecoded = false
        continue
      }
      opened.content = inner.content
      opened.surplus += inner.surplus
    }
    return opened
  }

  /// Whether bytes that are not in the declared coding count as text.
  private static func isText(_ data: Data, as name: String) -> Bool {
    if closed.contains(name) { return JSONText(Bytes(data)) != nil }
    return String(utf8: data) != nil
  }

  /// Decodes one coding. The bytes, not the label, decide among gzip, zlib and the raw deflate that
  /// some servers send.
  private static func inflated(_ data: Data) -> Opened? {
    if data.starts(with: InflatingStage.member) { return run(data, 15 + 16, bytesMax: bytesMax) }
    if let zlib = run(data, 15, bytesMax: bytesMax) { return zlib }
    // A text may start like a short block of deflate, with the rest as surplus.
    guard let raw = run(data, -15, bytesMax: bytesMax), !raw.content.isEmpty,
      raw.surplus.isEmpty || String(utf8: data) == nil
    else { return nil }
    return raw
  }

  private static func run(_ data: Data, _ windowBits: Int32, bytesMax: Int) -> Opened? {
    guard ZLib.shared != nil else { return nil }
    let stage = InflatingStage(windowBits)
    // Damaged or too large data stays encoded, so the exact error does not matter.
    guard let content = try? stage.decode(data, bytesMax: bytesMax), stage.isWhole else {
      return nil
    }
    return Opened(content: content, surplus: stage.surplus ?? Data())
  }
}
