internal import Foundation

extension Redaction {
  /// The limit of what gzip within texts of one body may unpack to: a few kilobytes of it make
  /// megabytes, and a body has room for thousands of such texts.
  static let unpackedBytesMax = 16 << 20

  /// Looks into the bytes that a run spells, and spells them again.
  mutating func unpacked(_ bytes: Bytes, _ run: EncodedRun, depth: Int) -> [Edit] {
    guard !run.letters.starts(with: "REDACTED-".utf8) else { return [] }
    if let edit = unpacked(run, depth: depth) { return [edit] }
    // A solidus may part what is base64 from what is a path.
    guard run.range.count == run.letters.count, run.letters.count <= Self.pathBytesMax,
      run.letters.contains(UInt8(ascii: "/"))
    else { return [] }
    return bytes[run.range].split(separator: UInt8(ascii: "/")).filter { $0.count >= 16 }.compactMap
    {
      unpacked(EncodedRun($0), depth: depth)
    }
  }

  /// Nobody takes longer ones for paths (RFC 9110 §4.1 has 8000 bytes for an address).
  private static let pathBytesMax = 8000

  private static let startLetters = 64 << 10

  /// Tells whether bytes may be the beginning of a text, or of something that is opened.
  private static func mayBeText(_ start: Bytes) -> Bool {
    // A letter of up to four bytes may be cut.
    (0...3).contains { String(utf8: Bytes(start.dropLast($0))) != nil }
      || start.starts(with: [0x1F, 0x8B]) || isWide(start) || BinaryMaps.mayBegin(start)
  }

  private mutating func unpacked(_ run: EncodedRun, depth: Int) -> Edit? {
    // A large picture need not be decoded to see that it is no text.
    if echoes.isEmpty, run.letters.count > 2 * Self.unpackedBytesMax,
      let start = EncodedText.decoded(run.letters.prefix(Self.startLetters)), !Self.mayBeText(start)
    {
      return nil
    }
    guard let decoded = EncodedText.decoded(run.letters) else { return nil }
    let isPacked = decoded.starts(with: [0x1F, 0x8B])
    // What is left out need not be read.
    let isFull = unpackedBytes > Self.unpackedBytesMax
    if isPacked, isFull { return nil }
    var opened = isPacked ? Inflate.open(Data(decoded), coding: "gzip").map { Bytes($0) } : nil
    // Deflate has no mark (SAML bindings §3.4.4.1); what is no text may be it.
    let mayBeDeflate = 32...Self.unpackedBytesMax ~= decoded.count
    if !isPacked, !isFull, mayBeDeflate, String(utf8: decoded) == nil {
      opened = Inflate.open(Data(decoded), coding: "deflate").map { Bytes($0) }
    }
    unpackedBytes += opened?.count ?? 0
    if unpackedBytes > Self.unpackedBytesMax {
      obstacle = "a body holds more in gzip than can be looked through for credentials"
      return nil
    }
    let inner = opened ?? decoded
    if depth < Self.depthMax, let closed = coded(inner, isOpened: opened != nil, depth + 1) {
      return closed == inner ? nil : Edit(run.range, run.spelled(closed))
    }
    guard String(utf8: inner) != nil, !inner.contains(0) else {
      if !echoes.found(in: inner).isEmpty { obstacle = "a body repeats a credential" }
      return nil
    }
    let replaced = text(inner, .plain, depth: depth + 1)
    guard replaced != inner else { return nil }
    if opened != nil { obstacle = "a body repeats a credential" }
    return Edit(run.range, run.spelled(replaced))
  }

  /// Bytes in a coding of their own, without secrets: maps, and UTF-16; `nil` for what is in none.
  private mutating func coded(_ bytes: Bytes, isOpened: Bool, _ depth: Int) -> Bytes? {
    if !isOpened, BinaryMaps.mayBegin(bytes) {
      let maps = 0x81...0x8F ~= bytes[0] ? BinaryMaps.messagePack : BinaryMaps.cbor
      if let replaced = rewritten(bytes, by: maps, depth: depth) { return replaced }
    }
    guard Self.isWide(bytes) else { return nil }
    let wide = Recoded.utf16(isLittle: bytes[1] == 0, type: "text/plain")
    return rewritten(bytes, by: wide, depth: depth)
  }
}
