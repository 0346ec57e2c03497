internal import Foundation

extension Redaction {
  /// Returns the edits for an encoded run: its bytes are decoded, searched and encoded again.
  mutating func unpacked(_ bytes: Bytes, _ run: EncodedRun, depth: Int) -> [Edit] {
    guard !run.letters.starts(with: "REDACTED-".utf8) else { return [] }
    if let edit = unpacked(run, depth: depth) { return [edit] }
    // A slash may separate base64 from a path.
    guard run.range.count == run.letters.count, run.letters.count <= Self.pathBytesMax else {
      return []
    }
    let parts = bytes[run.range].split { $0 == "/" }
    return parts.count == 1 && parts[0].count == run.letters.count
      ? [] : parts.filter { $0.count >= 16 }.compactMap { unpacked(EncodedRun($0), depth: depth) }
  }

  /// The maximum length of a run that may be a path (RFC 9110 §4.1 recommends 8000 bytes for a
  /// URL).
  private static let pathBytesMax = 8000

  private mutating func unpacked(_ run: EncodedRun, depth: Int) -> Edit? {
    guard let decoded = EncodedText.decoded(run.letters) else { return nil }
    if depth < Self.depthMax, let closed = coded(decoded, depth + 1) {
      return closed == decoded ? nil : Edit(run.range, run.spelled(closed))
    }
    guard String(utf8: decoded) != nil, !decoded.contains(0) else {
      binary(decoded, isQuiet: true, "a body", depth: max(depth + 1, 2))
      return nil
    }
    let replaced = text(decoded, .plain, depth: depth + 1)
    return replaced == decoded ? nil : Edit(run.range, run.spelled(replaced))
  }

  /// Returns bytes in a binary format without secrets: maps and UTF-16; `nil` for other bytes.
  private mutating func coded(_ bytes: Bytes, _ depth: Int) -> Bytes? {
    if BinaryMaps.mayBegin(bytes) {
      let maps = 0x81...0x8F ~= bytes[0] ? BinaryMaps.messagePack : BinaryMaps.cbor
      if let replaced = rewritten(bytes, by: maps, depth: depth) { return replaced }
    }
    guard Self.isWide(bytes) else { return nil }
    let wide = Recoded.utf16(isLittle: bytes[1] == 0, type: "text/plain")
    return rewritten(bytes, by: wide, depth: depth)
  }
}
