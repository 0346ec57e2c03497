internal import Foundation

/// The texts in bytes of a format that has them: names and members of archives, and the words that
/// cameras and programs write into pictures.
struct EmbeddedTexts {
  enum Form: String { case gzip, zlib, zip }

  /// A file that deflate packed.
  typealias File = (form: Form, bytes: ByteSlice)

  private(set) var files: [File] = []
  /// Whether there are texts between the bytes.
  let isKnown: Bool

  init(_ bytes: Bytes) {
    if bytes.starts(with: [0x1F, 0x8B]) || Self.isInZLib(bytes) {
      files = [(bytes[0] == 0x1F ? .gzip : .zlib, bytes[...])]
      // Without flags there is no name and no comment (RFC 1952 §2.3.1).
      isKnown = bytes[0] == 0x1F && bytes.count > 10 && bytes[3] > 3
    } else if Self.media.contains(where: { bytes.dropFirst($0.place).starts(with: $0.mark) }) {
      isKnown = true
    } else {
      files = Self.members(of: bytes)
      isKnown = !files.isEmpty
    }
  }

  /// The marks of pictures, sound and film.
  private static let media: [(place: Int, mark: Bytes)] = [
    (0, [0x89] + "PNG".utf8), (0, [0xFF, 0xD8, 0xFF]), (0, Bytes("GIF8".utf8)),
    (0, Bytes("RIFF".utf8)), (0, Bytes("II*\0".utf8)), (0, Bytes("MM\0*".utf8)),
    (0, Bytes("ID3".utf8)), (4, Bytes("ftyp".utf8)),
  ]

  /// Whether bytes begin as zlib does: the number of deflate, and a check of two bytes.
  private static func isInZLib(_ bytes: Bytes) -> Bool {
    bytes.count > 6 && bytes[0] & 0x0F == 8 && bytes[0] <= 0x78
      && (Int(bytes[0]) << 8 | Int(bytes[1])).isMultiple(of: 31)
  }

  /// Returns the deflated members of a zip archive (APPNOTE.TXT §4.3.7), also behind a program.
  ///
  /// A member ends at the next mark, so none is read twice, and a stored archive adds its own.
  private static func members(of bytes: Bytes) -> [File] {
    let marks = bytes.ranges(of: Bytes("PK".utf8)).filter { mark in
      [[3, 4], [7, 8], [1, 2]].contains { bytes[mark.upperBound...].starts(with: $0) }
    }
    return bytes.ranges(between: marks).dropFirst().compactMap { range in
      func number(_ place: Int, _ width: Int) -> Int {
        bytes[range].dropFirst(place).prefix(width).reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      // Neither an entry of the directory, nor encrypted, nor in another method.
      guard number(0, 1) == 3, number(4, 1) & 1 == 0, number(6, 2) == 8 else { return nil }
      let data = bytes[range].dropFirst(28 + number(24, 2) + number(26, 2))
      // If the length is behind it, so is a mark (§4.3.9).
      return (.zip, number(4, 1) & 8 == 0 ? data.prefix(number(16, 4)) : data)
    }
  }

  /// The length of the shortest text between bytes that no text has; a shorter one is by
  /// chance.
  private static let runBytesMin = 8

  /// Returns stretches of printable ASCII, each a line; those in UTF-16, too.
  static func lines(of bytes: Bytes) -> Bytes {
    func isZero(_ place: Int) -> Bool { bytes.indices.contains(place) && bytes[place] == 0 }
    var (lines, start): (Bytes, Int) = ([], 0)
    for (place, byte) in bytes.enumerated() {
      if isPrintable(byte) {
        lines.append(byte)
      } else if byte != 0 || !isZero(place - 2) && !isZero(place + 2) {
        // A shorter stretch is there by chance.
        let isShort = lines.count - start < runBytesMin
        if isShort { lines.removeLast(lines.count - start) } else { lines.append(0x0A) }
        start = lines.count
      }
    }
    return lines
  }

  static func isPrintable(_ byte: UInt8) -> Bool {
    0x20...0x7E ~= byte || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
