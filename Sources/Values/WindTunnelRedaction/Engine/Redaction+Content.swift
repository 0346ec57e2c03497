internal import Foundation

// What a body, a part of one or a message holds, by its type and by its looks.

extension Redaction {
  /// The depth to which texts within texts are looked into.
  static let depthMax = 6

  /// Returns a body's content by its type; what names no type is looked at.
  mutating func content(_ bytes: Bytes, type: String, what: String, depth: Int = 0) -> Bytes {
    let type = ContentType(type)
    let essence = type.essence
    log?.meet(type)
    if essence.hasPrefix("multipart/"), let boundary = type["boundary"] {
      guard depth < Self.depthMax else {
        obstacle = "\(what) has parts within parts, too deep to be looked through for credentials"
        return bytes
      }
      return rewritten(bytes, by: Multipart(boundary: boundary), depth: depth)
        ?? text(bytes, .plain, depth: 0)
    }
    if type.isMedia {
      binary(bytes, isQuiet: true, what)
      return bytes
    }
    if depth < Self.depthMax, let coded = coded(bytes, type, what, depth) { return coded }
    // A zero in what is called a text makes it no other thing.
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

  /// Returns the content of a WebSocket message, which has a kind and no type.
  ///
  /// - A text is one whatever bytes are in it: STOMP ends its frames with a zero.
  /// - Bytes may be a text all the same. Else they are opened where they are maps or fields without
  ///   remainder, so that lengths follow what is replaced; and looked into as any bytes.
  mutating func content(ofMessage bytes: Bytes, isBinary: Bool) -> Bytes {
    let what = "a WebSocket message"
    guard isBinary, !Self.isSaidInText(bytes) else {
      return content(bytes, type: "text/plain", what: what)
    }
    let opened = opened(bytes) ?? bytes
    binary(opened, isQuiet: false, what)
    return opened
  }

  /// Returns bytes in one of the codings that messages have, without secrets; `nil` for others.
  private mutating func opened(_ bytes: Bytes) -> Bytes? {
    switch bytes.first ?? 0 {
    case MQTTConnect.mark: rewritten(bytes, by: MQTTConnect(), depth: 0)
    // Either begins like a list of the other.
    case 0x81...0x9F, 0xDC...0xDF: rewritten(bytes, by: BinaryMaps.messagePack, depth: 0)
    case 0xA1...0xBF, 0xD9: rewritten(bytes, by: BinaryMaps.cbor, depth: 0)
    default: rewritten(bytes, by: ProtobufMessage(), depth: 0)
    }
  }

  /// Tells whether bytes are a text, but for a first one that may be the number of a channel, as
  /// terminals have it, and a last one that is a zero. A length in front of a text makes it a field
  /// of Protocol Buffers.
  private static func isSaidInText(_ bytes: Bytes) -> Bool {
    guard let first = bytes.first, String(utf8: bytes) != nil else { return bytes.isEmpty }
    let rest = bytes.last == 0 ? bytes.dropFirst().dropLast() : bytes.dropFirst()
    guard rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || textControls.contains($0) }) else {
      return false
    }
    return first >= 0x20 || ProtobufMessage().spans(in: bytes) == nil
  }

  /// BEL to CR, ESC and the separator of records.
  private static let textControls: Bytes = Bytes(0x07...0x0D) + [0x1B, 0x1E]

  /// Content in a coding of its own, opened and closed; `nil` for what is in none.
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
    return rewritten(bytes, by: decoder, depth: depth)
  }

  private static func decoder(
    of bytes: Bytes,
    _ type: ContentType,
    _ inner: String
  ) -> (any Decoder)? {
    let (essence, coding) = (type.essence, type["windtunnel-coding"])
    // A stream of events is of HTTP, which has no such coding; base64 in it looks like one.
    let mayBeQuoted =
      essence == "message/rfc822" || essence.hasPrefix("text/") && essence != "text/event-stream"
    if coding == "quoted-printable"
      || coding != "base64" && mayBeQuoted && EscapedText.isBroken(bytes)
    {
      return Recoded.quotedPrintable(type: inner)
    }
    if essence.hasPrefix("application/grpc-web-text") { return Recoded.base64Frames }
    if essence.hasPrefix("application/grpc") { return GRPCFrames() }
    // A tag that says what it is (RFC 8949 §3.4.6).
    if essence.hasSuffix("cbor") || essence.hasSuffix("cbor-seq")
      || bytes.starts(with: [0xD9, 0xD9, 0xF7])
    {
      return BinaryMaps.cbor
    }
    if essence.hasSuffix("msgpack") { return BinaryMaps.messagePack }
    return essence.hasSuffix("protobuf") ? ProtobufMessage(name: type["windtunnel-name"]) : nil
  }

  /// UTF-16, by its mark, by what the type says or by its zeros.
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
    // Its ASCII is looked at, and nothing that is named in its own letters.
    let isKnown =
      isNamed || charset.isEmpty || charset.hasPrefix("utf") || charset.hasSuffix("ascii")
      || charset == "binary"
    if type.isText, !isKnown, !isUTF8 { log?.unopened(charset) }
    let isMarked = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    if isMarked, !isUTF8, bytes.has(0) {
      obstacle = "\(what) in UTF-16 cannot be opened to look for credentials"
      return bytes
    }
    guard isNamed || !isMarked && Self.isWide(bytes) else { return nil }
    let isLittle =
      charset == "utf-16be" ? false : charset == "utf-16le" || bytes.dropFirst().first == 0
    return rewritten(bytes, by: Recoded.utf16(isLittle: isLittle, type: inner), depth: depth)
  }

  /// Tells whether every second byte of a beginning is zero, as letters of ASCII have it in UTF-16.
  static func isWide(_ bytes: Bytes) -> Bool {
    guard bytes.count >= 8, bytes.count.isMultiple(of: 2) else { return false }
    let first = bytes[0] == 0 ? 0 : 1
    return bytes.prefix(64).enumerated().allSatisfy { place, byte in
      place % 2 == first ? byte == 0 : byte >= 0x09
    }
  }
}
