internal import Foundation

/// The texts within binary formats: names and members of archives, and metadata in images.
struct EmbeddedTexts {
  enum Form: String { case gzip, zlib, zip, deflate }

  /// A file in deflate.
  typealias File = (form: Form, bytes: ByteSlice)

  private(set) var files: [File] = []
  /// Whether the format contains texts between other bytes.
  let isKnown: Bool
  /// Whether the content may be deflate without a container, which has no signature.
  let mayBeDeflate: Bool

  init(_ bytes: Bytes) {
    if bytes.starts(with: [0x1F, 0x8B]) || Self.isInZLib(bytes) {
      files = [(bytes[0] == 0x1F ? .gzip : .zlib, bytes[...])]
      // Without flags, there is no name and no comment (RFC 1952 §2.3.1).
      isKnown = bytes[0] == 0x1F && bytes.count > 10 && bytes[3] > 3
    } else if Self.media.contains(where: { bytes.dropFirst($0.place).starts(with: $0.mark) }) {
      isKnown = true
    } else {
      files = Self.members(of: bytes)
      isKnown = !files.isEmpty
    }
    mayBeDeflate = files.isEmpty && !isKnown && bytes.count >= Self.deflateBytesMin
  }

  /// The minimum size of deflate data without a container; shorter data is a coincidence.
  private static let deflateBytesMin = 32

  /// The signatures of gzip, of zip archives, and of Zstandard (RFC 8878 §3.1.1).
  private static let signatures: [Bytes] = [
    [0x1F, 0x8B, 8], [0x50, 0x4B, 3, 4], [0x28, 0xB5, 0x2F, 0xFD],
  ]

  /// The maximum growth of a file that is decompressed; a larger growth indicates a decompression
  /// bomb.
  static let growthMax = 64

  /// The maximum size in bytes of all gzip contents within the texts of one body. A few kilobytes
  /// of gzip expand to megabytes, and a body may contain thousands of such texts.
  static let unpackedBytesMax = 16 << 20

  /// Returns the maximum size of everything that is unpacked from bytes.
  static func unpackedBytesMax(of bytes: Bytes) -> Int {
    min(Inflate.bytesMax, max(unpackedBytesMax, bytes.count * growthMax))
  }

  /// Whether content consists of compressed data. After the two bytes of zlib it must not be
  /// damaged. Without a signature it must be complete, and its content must be text.
  static func isCompressed(_ bytes: Bytes) -> Bool {
    if signatures.contains(where: { bytes.starts(with: $0) }) { return true }
    if String(utf8: bytes) != nil { return false }
    let (isZLib, bytesMax) = (isInZLib(bytes), unpackedBytesMax(of: bytes))
    guard isZLib || bytes.count >= deflateBytesMin else { return false }
    let opened = Inflate.beginning(of: Data(bytes), isRaw: !isZLib, bytesMax: bytesMax)
    if opened.count > bytesMax { return true }
    guard let content = opened.content else { return false }
    return isZLib || opened.isWhole && String(utf8: content) != nil
  }

  /// The signatures of images, audio and video.
  private static let media: [(place: Int, mark: Bytes)] = [
    (0, [0x89] + "PNG".utf8), (0, [0xFF, 0xD8, 0xFF]), (0, Bytes("GIF8".utf8)),
    (0, Bytes("RIFF".utf8)), (0, Bytes("II*\0".utf8)), (0, Bytes("MM\0*".utf8)),
    (0, Bytes("ID3".utf8)), (4, Bytes("ftyp".utf8)),
  ]

  /// Whether bytes begin with a zlib header: the method deflate, and a checksum of two bytes.
  private static func isInZLib(_ bytes: Bytes) -> Bool {
    bytes.count > 6 && bytes[0] & 0x0F == 8 && bytes[0] <= 0x78
      && (Int(bytes[0]) << 8 | Int(bytes[1])).isMultiple(of: 31)
  }

  /// Returns the deflated members of a zip archive (APPNOTE.TXT §4.3.7), even after a program.
  ///
  /// A member ends at the next signature, so none is read twice. A stored archive within it adds
  /// its own members.
  private static func members(of bytes: Bytes) -> [File] {
    let marks = bytes.ranges(of: Bytes("PK".utf8)).filter { mark in
      [[3, 4], [7, 8], [1, 2]].contains { bytes[mark.upperBound...].starts(with: $0) }
    }
    return bytes.ranges(between: marks).dropFirst().compactMap { range in
      func number(_ place: Int, _ width: Int) -> Int {
        bytes[range].dropFirst(place).prefix(width).reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      // Skips directory entries, encrypted members and other compression methods.
      guard number(0, 1) == 3, number(4, 1) & 1 == 0, number(6, 2) == 8 else { return nil }
      let data = bytes[range].dropFirst(28 + number(24, 2) + number(26, 2))
      // If the length follows the member, so does a signature (§4.3.9).
      return (.zip, number(4, 1) & 8 == 0 ? data.prefix(number(16, 4)) : data)
    }
  }

  /// The minimum length of a text in binary content; shorter texts are coincidental.
  private static let runBytesMin = 8

  /// Returns the stretches of printable ASCII as lines, including stretches in UTF-16.
  static func lines(of bytes: Bytes) -> Bytes {
    func isZero(_ place: Int) -> Bool { bytes.indices.contains(place) && bytes[place] == 0 }
    var (lines, start): (Bytes, Int) = ([], 0)
    for (place, byte) in bytes.enumerated() {
      if isPrintable(byte) {
        lines.append(byte)
      } else if byte != 0 || !isZero(place - 2) && !isZero(place + 2) {
        // A shorter stretch is a coincidence.
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
