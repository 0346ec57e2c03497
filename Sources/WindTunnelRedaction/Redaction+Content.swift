internal import Foundation

// What a body, a part of one or a message holds, by its type and by its looks.

extension Redaction {
  /// The depth to which texts within texts are looked into.
  static let depthMax = 6

  /// Returns a body's content by its type; what names no type is looked at.
  mutating func content(
    _ bytes: Bytes,
    type: String,
    what: String,
    depth: Int = 0
  ) -> Bytes {
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
    if depth < Self.depthMax, let dump = HexDump(bytes),
      let text = rewritten(bytes, by: dump, depth: depth)
    {
      return text
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
    let essence = type.essence
    let inner = essence.isEmpty ? "text/plain" : essence
    switch type["windtunnel-coding"] {
    case "quoted-printable":
      return rewritten(bytes, by: Recoded.quotedPrintable(type: inner), depth: depth)
    case "base64": break
    default:
      // A stream of events is of HTTP, which has no such coding; base64 in it looks like one.
      if essence == "message/rfc822" || essence.hasPrefix("text/"), essence != "text/event-stream",
        EscapedText.isBroken(bytes)
      {
        return rewritten(bytes, by: Recoded.quotedPrintable(type: inner), depth: depth)
      }
    }
    if essence.hasPrefix("application/grpc-web-text") {
      return rewritten(bytes, by: Base64Frames(), depth: depth)
    }
    if essence.hasPrefix("application/grpc") {
      return rewritten(bytes, by: GRPCFrames(), depth: depth)
    }
    // A tag that says what it is (RFC 8949 §3.4.6).
    if essence.hasSuffix("cbor") || essence.hasSuffix("cbor-seq")
      || bytes.starts(with: [0xD9, 0xD9, 0xF7])
    {
      return rewritten(bytes, by: BinaryMaps.cbor, depth: depth)
    }
    if essence.hasSuffix("msgpack") {
      return rewritten(bytes, by: BinaryMaps.messagePack, depth: depth)
    }
    if essence.hasSuffix("protobuf") {
      return rewritten(bytes, by: ProtobufMessage(name: type["windtunnel-name"]), depth: depth)
    }
    return wide(bytes, type, inner, what, depth)
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
    if String(utf8: bytes) == nil || bytes.has(0), let coding = Recoded.named(charset, type: inner)
    {
      return rewritten(bytes, by: coding, depth: depth)
    }
    let isNamed = charset.hasPrefix("utf-16") || charset == "ucs-2"
    // Its ASCII is looked at, and nothing that is named in its own letters.
    let isKnown =
      isNamed || charset.isEmpty || charset.hasPrefix("utf") || charset.hasSuffix("ascii")
      || charset == "binary"
    if type.isText, !isKnown, String(utf8: bytes) == nil { log?.unopened(charset) }
    let mark: Bool? =
      bytes.starts(with: [0xFF, 0xFE]) ? true : bytes.starts(with: [0xFE, 0xFF]) ? false : nil
    if mark != nil, String(utf8: bytes) == nil, bytes.has(0) {
      obstacle = "\(what) in UTF-16 cannot be opened to look for credentials"
      return bytes
    }
    guard isNamed || mark == nil && Self.isWide(bytes) else { return nil }
    let isLittle =
      charset == "utf-16be" ? false : charset == "utf-16le" || bytes.dropFirst().first == 0
    return rewritten(bytes, by: Recoded.utf16(isLittle: isLittle, type: inner), depth: depth)
  }

  /// Tells whether every second byte of a beginning is zero, as letters of ASCII have it in UTF-16.
  static func isWide(_ bytes: Bytes) -> Bool {
    guard bytes.count >= 8, bytes.count.isMultiple(of: 2), bytes[0] == 0 || bytes[1] == 0 else {
      return false
    }
    let first = bytes[0] == 0 ? 0 : 1
    return stride(from: first, to: min(bytes.count, 64), by: 2).allSatisfy { bytes[$0] == 0 }
      && stride(from: 1 - first, to: min(bytes.count, 64), by: 2).allSatisfy { bytes[$0] >= 0x09 }
  }

  /// Content that is not text is kept as it is or not at all.
  private mutating func binary(_ bytes: Bytes, isQuiet: Bool, _ what: String) {
    if !echoes.found(in: bytes).isEmpty { obstacle = "\(what) repeats a credential" }
    // RFC 8878 §3.1.1.
    if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      obstacle = "\(what) in zstd cannot be opened to look for credentials"
      log?.unopened("zstd")
    }
    // A file in gzip (RFC 1952 §2.3.1) is no content coding, but as easy to open, and so is zlib
    // (RFC 1950 §2.2), in which some services put their messages.
    guard bytes.starts(with: [0x1F, 0x8B]) || Self.isInZLib(bytes),
      let inner = Inflate.open(Data(bytes), coding: "gzip").map({ Bytes($0) })
    else {
      if !isQuiet, learn(fromBinary: bytes) {
        obstacle = "\(what) that is no text holds a credential"
      }
      return
    }
    let isText = String(utf8: inner) != nil
    let holds = isText ? text(inner, .plain, depth: 1) != inner : !echoes.found(in: inner).isEmpty
    let coding = bytes[0] == 0x1F ? "gzip" : "zlib"
    if holds { obstacle = "\(what) in \(coding) holds a credential" }
  }

  /// Tells whether bytes begin as zlib does: the number of deflate, and a check of two bytes.
  private static func isInZLib(_ bytes: Bytes) -> Bool {
    bytes.count > 6 && bytes[0] & 0x0F == 8 && bytes[0] <= 0x78
      && (Int(bytes[0]) << 8 | Int(bytes[1])).isMultiple(of: 31)
  }

  /// The length of the shortest text between bytes that no text has; a shorter one is there by
  /// chance.
  private static let runBytesMin = 8
  /// The length of the shortest value that counts under a name which others have, too.
  private static let likelyBytesMin = 16

  /// Looks for what is surely a secret in the texts of binary content; whether there is any.
  ///
  /// A length may stand before each of them, so nothing can be put in its place.
  private mutating func learn(fromBinary bytes: Bytes) -> Bool {
    var holds = false
    for run in Self.runs(in: bytes) {
      let passage = Passage(bytes: Bytes(bytes[run]), names: names, flavour: .plain)
      for found in NamedValues.findings(in: passage) + Shapes.findings(in: passage) {
        var row = "field-name"
        switch found.evidence {
        case .name(.certain) where found.range.count >= Pseudonyms.aloneBytesMin: break
        case .name(let kind) where found.range.count >= Self.likelyBytesMin:
          let value = String(decoding: passage.bytes[found.range], as: UTF8.self)
          let place = NamedPlace(name: found.name, kind: kind)
          guard Judgement.certainty(of: value, place) != nil else { continue }
          row = "likely-name"
        case .name: continue
        case .row(let own): row = own
        }
        holds = learn(passage.bytes[found.range], name: found.name, row: row) || holds
      }
    }
    // A name, a few bytes of a length or a type, and its value.
    let runs = Self.runs(in: bytes, least: 3)
    for (first, second) in zip(runs, runs.dropFirst())
    where second.lowerBound - first.upperBound <= 8 {
      let name = String(decoding: bytes[first.suffix(40)], as: UTF8.self)
      guard second.count >= 6, second.count <= 4096, names.kind(of: name, in: .field) == .certain
      else {
        continue
      }
      let value = String(decoding: bytes[second], as: UTF8.self)
      let place = NamedPlace(name: name, kind: .certain)
      if Judgement.certainty(of: value, place) != nil {
        holds = learn(bytes[second], name: name, row: "field-name") || holds
      }
    }
    return holds
  }

  private mutating func learn(_ bytes: ByteSlice, name: String, row: String) -> Bool {
    let value = String(decoding: bytes, as: UTF8.self)
    return stand(for: value, name: name, .likely, row) != value
  }

  /// Returns the stretches that could be text: printable ASCII, tabs and line ends.
  private static func runs(in bytes: Bytes, least: Int = runBytesMin) -> [Range<Int>] {
    bytes.split { !isPrintable($0) }.map(\.indices).filter { $0.count >= least }
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    0x20...0x7E ~= byte || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  // Bodies that are never in memory as a whole: they may lie in a file, and are read in pieces.

  /// The number of bytes that are read at once.
  private static let pieceBytes = 1 << 20
  /// A secret is not longer than what pieces have in common.
  private static let sharedBytes = 64 << 10

  /// Looks into a body that is too large to be opened.
  ///
  /// Binary content may be kept if it repeats nothing that is known for a secret. What may be text
  /// may hold one that nobody knows yet, and is left out.
  mutating func look(intoLarge data: Data, type: String, coding: String) {
    let isBinary = data.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    }
    let type = ContentType(type)
    if !type.isMedia, !coding.isEmpty || type.essence.hasPrefix("multipart/") || !isBinary {
      obstacle = "a body of \(data.count) bytes is too large to be looked through for credentials"
      return
    }
    if echoes.isEmpty { return }
    var start = data.startIndex
    while start < data.endIndex {
      let end = min(start + Self.pieceBytes + Self.sharedBytes, data.endIndex)
      if !echoes.found(in: Bytes(data[start..<end])).isEmpty {
        obstacle = "a body of \(data.count) bytes repeats a credential"
        return
      }
      start += Self.pieceBytes
    }
  }
}
