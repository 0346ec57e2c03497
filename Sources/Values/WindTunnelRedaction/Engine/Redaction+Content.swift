internal import Foundation

// The content of a body, of a part or of a message, determined by its type and its bytes.

extension Redaction {
  /// The maximum nesting of texts within texts that are searched.
  static let depthMax = 6

  /// Returns a body's content without secrets according to its type; without a type, the bytes
  /// decide.
  mutating func content(_ bytes: Bytes, type: String, what: String, depth: Int = 0) -> Bytes {
    let type = ContentType(type)
    let essence = type.essence
    log?.meet(type)
    if essence.hasPrefix("multipart/"), let boundary = type["boundary"] {
      guard depth < Self.depthMax else {
        obstacle = "\(what) has nested parts, too deep to be searched for credentials"
        return bytes
      }
      return rewritten(bytes, by: Multipart(boundary: boundary), depth: depth)
        ?? text(bytes, .plain, depth: 0)
    }
    // Labels are often wrong: only the bytes show whether content is text, compressed or media.
    let isMedia = type.isMedia && !Self.isReadable(bytes) && !Self.isWide(bytes)
    if isMedia || EmbeddedTexts.isCompressed(bytes) {
      binary(bytes, isQuiet: isMedia || type.isProgram, what)
      return bytes
    }
    if depth < Self.depthMax, let coded = coded(bytes, type, what, depth) { return coded }
    // Zero bytes in content of a text type do not make it binary.
    guard !bytes.has(0) || type.isText else {
      binary(bytes, isQuiet: type.isProgram, what)
      return bytes
    }
    if essence == "application/x-www-form-urlencoded", String(utf8: bytes) != nil,
      let form = rewritten(bytes, by: Pairs(place: .field), depth: 0)
    {
      return form
    }
    if let columns = Columns(bytes, type: essence, names),
      let table = rewritten(bytes, by: columns, depth: depth)
    {
      return echoed(table)
    }
    return text(bytes, type.isScript ? .script : .plain, depth: 0)
  }

  /// Returns the content of a WebSocket message without secrets. A message has a kind but no type.
  ///
  /// - A text message is searched as text, even if it contains zero bytes: STOMP ends its frames
  ///   with one.
  /// - A binary message may contain text. Otherwise, it is decoded if it consists completely of
  ///   maps or fields, so that lengths are updated. It is then searched as bytes.
  mutating func content(ofMessage bytes: Bytes, isBinary: Bool) -> Bytes {
    let what = "a WebSocket message"
    guard isBinary, !Self.isSaidInText(bytes) else {
      return content(bytes, type: "text/plain", what: what)
    }
    let opened = opened(bytes) ?? bytes
    binary(opened, isQuiet: false, what)
    return opened
  }

  /// Returns bytes in one of the formats of messages without secrets; `nil` for other formats.
  private mutating func opened(_ bytes: Bytes) -> Bytes? {
    switch bytes.first ?? 0 {
    case MQTTConnect.mark: rewritten(bytes, by: MQTTConnect(), depth: 0)
    // Each may begin like a list of the other format.
    case 0x81...0x9F, 0xDC...0xDF: rewritten(bytes, by: BinaryMaps.messagePack, depth: 0)
    case 0xA1...0xBF, 0xD9: rewritten(bytes, by: BinaryMaps.cbor, depth: 0)
    default: rewritten(bytes, by: ProtobufMessage(), depth: 0)
    }
  }

  /// Whether bytes are text.
  ///
  /// The first byte may be a channel number, as in terminals, and the last byte may be zero. A text
  /// after its length is a field of Protocol Buffers instead.
  private static func isSaidInText(_ bytes: Bytes) -> Bool {
    guard let first = bytes.first, String(utf8: bytes) != nil else { return bytes.isEmpty }
    let rest = bytes.last == 0 ? bytes.dropFirst().dropLast() : bytes.dropFirst()
    guard isReadable(rest) else { return false }
    return first >= 0x20 || ProtobufMessage().spans(in: bytes) == nil
  }

  /// Whether bytes contain only the control characters of texts. Binary formats have others in
  /// their first few hundred bytes, so the search ends early.
  private static func isReadable(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || textControls.contains($0) }
  }

  /// BEL to CR, ESC and the record separator.
  private static let textControls: Bytes = Bytes(0x07...0x0D) + [0x1B, 0x1E]

  /// Returns encoded content without secrets, encoded again; `nil` if it has no encoding.
  private mutating func coded(
    _ bytes: Bytes,
    _ type: ContentType,
    _ what: String,
    _ depth: Int
  ) -> Bytes? {
    let inner = type.essence.isEmpty ? "text/plain" : type.essence
    guard let decoder = Self.decoder(of: bytes, type, inner) else {
      return wide(bytes, type, inner, what, depth)
    }
    let new = rewritten(bytes, by: decoder, depth: depth)
    return new ?? (decoder is QuotedPrintable ? wide(bytes, type, inner, what, depth) : nil)
  }

  private static func decoder(
    of bytes: Bytes,
    _ type: ContentType,
    _ inner: String
  ) -> (any Decoder)? {
    let (essence, coding) = (type.essence, type["windtunnel-coding"])
    if coding == "quoted-printable" { return QuotedPrintable(type: inner, isDeclared: true) }
    // HTTP does not use this encoding for event streams, but base64 in them looks like it.
    let mayBeQuoted =
      essence == "message/rfc822" || essence.hasPrefix("text/") && essence != "text/event-stream"
    if coding == nil, mayBeQuoted, EscapedText.hasSoftBreak(bytes) {
      return QuotedPrintable(type: inner, isDeclared: false)
    }
    if essence.hasPrefix("application/grpc-web-text") { return Recoded.base64Frames }
    if essence.hasPrefix("application/grpc") { return GRPCFrames() }
    // A tag identifies the format (RFC 8949 §3.4.6).
    if essence.hasSuffix("cbor") || essence.hasSuffix("cbor-seq")
      || bytes.starts(with: [0xD9, 0xD9, 0xF7])
    {
      return BinaryMaps.cbor
    }
    // Each ASCII letter would be a number.
    if essence.hasSuffix("msgpack") {
      return isReadable(bytes) && String(utf8: bytes) != nil ? nil : BinaryMaps.messagePack
    }
    return essence.hasSuffix("protobuf") ? ProtobufMessage(name: type["windtunnel-name"]) : nil
  }

  /// Returns content in another charset without secrets, such as UTF-16; `nil` for other content.
  /// The byte order mark, the type or zero bytes determine the charset.
  private mutating func wide(
    _ bytes: Bytes,
    _ type: ContentType,
    _ inner: String,
    _ what: String,
    _ depth: Int
  ) -> Bytes? {
    let charset = type.charset ?? ""
    let isUTF8 = String(utf8: bytes) != nil
    if !isUTF8 || bytes.has(0), let coding = Recoded.named(charset, type: inner) {
      return rewritten(bytes, by: coding, depth: depth)
    }
    let isNamed = charset.hasPrefix("utf-16") || charset == "ucs-2"
    // In an unknown charset, only the ASCII parts can be searched, not names in other scripts.
    let isKnown =
      isNamed || charset.isEmpty || charset.hasPrefix("utf") || charset.hasSuffix("ascii")
      || charset == "binary"
    if type.isText, !isKnown, !isUTF8 { log?.unopened(charset) }
    let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    if isMarked, !isUTF8, bytes.has(0) {
      obstacle = "\(what) in UTF-16 cannot be decoded to search for credentials"
      return bytes
    }
    guard isNamed || !isMarked && Self.isWide(bytes) else { return nil }
    let isLittle =
      charset == "utf-16be" ? false : charset == "utf-16le" || bytes.dropFirst().first == 0
    return rewritten(bytes, by: Recoded.utf16(isLittle: isLittle, type: inner), depth: depth)
  }

  /// Whether every second byte at the beginning is zero, as in ASCII letters in UTF-16.
  static func isWide(_ bytes: Bytes) -> Bool {
    guard bytes.count >= 8, bytes.count.isMultiple(of: 2) else { return false }
    let first = bytes[0] == 0 ? 0 : 1
    return bytes.prefix(64).enumerated().allSatisfy { place, byte in
      place % 2 == first ? byte == 0 : byte >= 0x09
    }
  }
}
