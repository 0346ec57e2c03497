internal import Foundation

/// What a file is packed or spelled in that is no HAR yet, by its first bytes.
struct HARWrapping {
  let words: String
  let remedy: String

  private init(_ words: String, _ remedy: String) { (self.words, self.remedy) = (words, remedy) }

  /// `nil` for what may be a text in UTF-8.
  init?(of data: Data) {
    let head = [UInt8](data.prefix(4))
    if let mark = Self.marks.first(where: { head.starts(with: $0.bytes) }) {
      self = mark.wrapping
      return
    }
    // A JSON text begins with a character of ASCII, so zeros tell how wide one is.
    switch head.map({ $0 == 0 }) {
    case [true, true, true, false], [false, true, true, true]: self = Self.utf32
    case [true, false, true, false], [false, true, false, true]: self = Self.utf16
    default: return nil
    }
  }

  private static let utf16 = Self("in UTF-16", "Save it in UTF-8 (RFC 8259 §8.1).")
  private static let utf32 = Self("in UTF-32", "Save it in UTF-8 (RFC 8259 §8.1).")
  private static let zlib = Self("packed with zlib", "Unpack it first.")

  /// The narrower ones stand in front.
  private static let marks: [(bytes: [UInt8], wrapping: Self)] = [
    ([0x1F, 0x8B], Self("packed with gzip", "Unpack it first.")),
    // RFC 1950 §2.2; one proxy exports such files.
    ([0x78, 0x01], zlib), ([0x78, 0x5E], zlib), ([0x78, 0x9C], zlib), ([0x78, 0xDA], zlib),
    // APPNOTE.TXT §4.3.7, and §4.3.16 for one with nothing in it.
    (Array("PK\u{3}\u{4}".utf8), Self("a zip archive", "Unpack it, and convert the .har in it.")),
    (Array("PK\u{5}\u{6}".utf8), Self("an empty zip archive", "Export it anew.")),
    ([0xFF, 0xFE, 0, 0], utf32), ([0, 0, 0xFE, 0xFF], utf32),
    ([0xFF, 0xFE], utf16), ([0xFE, 0xFF], utf16),
  ]
}
