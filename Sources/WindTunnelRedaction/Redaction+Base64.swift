internal import Foundation

extension Redaction {
  /// The limit of what gzip within texts of one body may unpack to: a few kilobytes of it make
  /// megabytes, and a body has room for thousands of such texts.
  static let unpackedBytesMax = 16 << 20

  /// What base64 or hexadecimal digits spell, looked into and spelled again.
  mutating func unpacked(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) -> [Edit] {
    guard !bytes[range].starts(with: "REDACTED-".utf8) else { return [] }
    if let edit = unpackedWhole(bytes, range, depth: depth) { return [edit] }
    // A solidus may part what is base64 from what is a path.
    guard bytes[range].contains(UInt8(ascii: "/")) else { return [] }
    return bytes[range].split(separator: UInt8(ascii: "/")).filter { $0.count >= 16 }.compactMap {
      unpackedWhole(bytes, $0.startIndex..<$0.endIndex, depth: depth)
    }
  }

  private mutating func unpackedWhole(
    _ bytes: [UInt8],
    _ range: Range<Int>,
    depth: Int
  ) -> Edit? {
    guard let decoded = EncodedText.decoded(bytes[range]) else { return nil }
    let isPacked = decoded.starts(with: [0x1F, 0x8B])
    // What is left out need not be read.
    if isPacked, unpackedBytes > Self.unpackedBytesMax { return nil }
    let opened = isPacked ? Inflate.open(Data(decoded), coding: "gzip").map(Array.init) : nil
    unpackedBytes += opened?.count ?? 0
    if unpackedBytes > Self.unpackedBytesMax {
      obstacle = "a body holds more in gzip than can be looked through for credentials"
      return nil
    }
    let inner = opened ?? decoded
    guard String(utf8: inner) != nil, !inner.contains(0) else {
      if echoes?.found(in: inner).isEmpty == false { obstacle = "a body repeats a credential" }
      return nil
    }
    let replaced = text(inner, .plain, depth: depth + 1)
    guard replaced != inner else { return nil }
    if opened != nil { obstacle = "a body repeats a credential" }
    return Edit(range, Array(EncodedText.encoded(replaced, like: bytes[range]).utf8))
  }
}
