internal import Foundation

extension Redaction {
  /// A message's fields and its body, which agree with each other afterwards.
  mutating func message(_ headers: inout HeaderFields, _ body: inout Body) {
    let type = headers["Content-Type"] ?? ""
    log?.meet(type)
    headers = fields(headers)
    guard !body.data.isEmpty else { return }
    let part = log?.part
    defer { part.map { log?.part = $0 } }
    part.map { log?.part = "\($0) body" }
    let coding = headers.values("Content-Encoding").joined(separator: ", ")
    if body.count > Body.openedBytesMax {
      return look(intoLarge: body.data, type: type, coding: coding)
    }
    guard let opened = Inflate.open(body.data, coding: coding).map(Array.init) else {
      if !Self.isMedia(type) {
        obstacle = "a body in \(coding) cannot be opened to look for credentials"
        log?.unopened(coding)
      }
      return
    }
    unpackedBytes = 0
    let content = content(opened, type: type, what: "a body")
    guard content != opened else { return }
    let change = content.count - body.data.count
    body = Body(Data(content))
    headers.remove("Content-Encoding")
    // A short secret could be found by trying.
    headers.removeDigests()
    // A body that was cut stays as short of what is announced as it was.
    if let length = headers["Content-Length"].flatMap({ Int($0) }) {
      headers["Content-Length"] = String(max(0, length + change))
    }
  }

  /// A body's content by its type; what names no type is looked at.
  mutating func content(
    _ bytes: [UInt8],
    type: String,
    what: String,
    depth: Int = 0
  ) -> [UInt8] {
    let media = Self.mediaType(type)
    let isMedia = Self.isMedia(type: media)
    log?.meet(type)
    if media.hasPrefix("multipart/"), let boundary = Self.parameter("boundary", of: type) {
      guard depth < Self.depthMax else {
        obstacle = "\(what) has parts within parts, too deep to be looked through for credentials"
        return bytes
      }
      return multipart(bytes, boundary: boundary, depth: depth)
    }
    let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    if isWide, !isMedia, String(utf8: bytes) == nil, bytes.has(0) {
      obstacle = "\(what) in UTF-16 cannot be opened to look for credentials"
      return bytes
    }
    // A zero in what is called a text makes it no other thing.
    guard !isMedia, !bytes.has(0) || Self.isText(media) else {
      binary(bytes, isMedia: isMedia || Self.isProgram(media), what)
      return bytes
    }
    if media == "application/x-www-form-urlencoded", let text = String(utf8: bytes) {
      return Array(pairs(text, in: .field).utf8)
    }
    let isScript = ["html", "javascript", "ecmascript", "css"].contains { media.hasSuffix($0) }
    return text(bytes, isScript ? .script : .plain, depth: 0)
  }

  /// Content that is not text is kept as it is or not at all.
  private mutating func binary(_ bytes: [UInt8], isMedia: Bool, _ what: String) {
    if echoes?.found(in: bytes).isEmpty == false { obstacle = "\(what) repeats a credential" }
    // RFC 8878 §3.1.1.
    if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      obstacle = "\(what) in zstd cannot be opened to look for credentials"
      log?.unopened("zstd")
    }
    // A file in gzip (RFC 1952 §2.3.1) is no content coding, but as easy to open.
    guard bytes.starts(with: [0x1F, 0x8B]),
      let inner = Inflate.open(Data(bytes), coding: "gzip").map(Array.init)
    else {
      if !isMedia, learn(fromBinary: bytes) {
        obstacle = "\(what) that is no text holds a credential"
      }
      return
    }
    let isText = String(utf8: inner) != nil
    let holds =
      isText ? text(inner, .plain, depth: 1) != inner : echoes?.found(in: inner).isEmpty == false
    if holds { obstacle = "\(what) in gzip holds a credential" }
  }

  static func mediaType(_ type: String) -> String {
    let end = type.utf8.firstIndex(of: UInt8(ascii: ";")) ?? type.endIndex
    return type[..<end].trimmingOptionalWhitespace().lowercased()
  }

  /// Whether a body is for eyes and ears: pictures that are text are not.
  static func isMedia(_ type: String) -> Bool {
    isMedia(type: mediaType(type))
  }

  private static func isMedia(type: String) -> Bool {
    ["image/", "audio/", "video/", "font/"].contains { type.hasPrefix($0) }
      && !type.hasSuffix("+xml")
  }

  /// A parameter such as `boundary=x` (RFC 9110 §5.6.6).
  static func parameter(_ name: String, of value: String) -> String? {
    for part in parameters(value).dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].trimmingOptionalWhitespace().equalsIgnoringASCIICase(name)
      else { continue }
      let text = pair[1].trimmingOptionalWhitespace()
      return text.hasPrefix("\"") && text.hasSuffix("\"") && text.count > 1
        ? String(text.dropFirst().dropLast()) : String(text)
    }
    return nil
  }

  /// What semicolons part, except within quotes.
  private static func parameters(_ value: String) -> [Substring] {
    var (isQuoted, isEscaped) = (false, false)
    return value.split(omittingEmptySubsequences: false) { character in
      defer { isEscaped = isQuoted && !isEscaped && character == "\\" }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      return character == ";" && !isQuoted
    }
  }
}
