internal import Foundation

/// A text as a whole in another charset or transfer encoding.
struct Recoded: Decoder, Sendable {
  let decode: @Sendable (Bytes) -> Bytes?
  let encode: @Sendable (Bytes) -> Bytes
  var type = "text/plain"

  func spans(in bytes: Bytes) -> [Span]? {
    decode(bytes).map { [Span(range: 0..<bytes.count, meaning: $0, role: .content(type: type))] }
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes { encode(meaning) }

  /// UTF-16 in a byte order (RFC 2781), without a byte order mark. `decode` returns `nil` for
  /// invalid text.
  static func utf16(isLittle: Bool, type: String) -> Recoded {
    Recoded(
      decode: { bytes in
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: 0, to: bytes.count, by: 2).map { place -> UInt16 in
          let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
          return isLittle ? first | second << 8 : first << 8 | second
        }
        let text = String(decoding: units, as: UTF16.self)
        return text.unicodeScalars.contains("\u{FFFD}") ? nil : Bytes(text.utf8)
      },
      encode: { meaning in
        meaning.text.utf16.reduce(into: []) { bytes, unit in
          let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
          bytes += isLittle ? [low, high] : [high, low]
        }
      },
      type: type
    )
  }

  /// Returns a charset that the system supports, by its name; `nil` if it is unknown.
  static func named(_ charset: String, type: String) -> Recoded? {
    let codings: KeyValuePairs<String, String.Encoding> = [
      "iso-8859-1 latin1 iso-8859-15": .isoLatin1, "iso-8859-2": .isoLatin2,
      "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
      "windows-1252": .windowsCP1252, "windows-1253": .windowsCP1253,
      "windows-1254": .windowsCP1254, "shift_jis shift-jis sjis windows-31j": .shiftJIS,
      "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP, "macintosh": .macOSRoman,
      "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
    ]
    let known = codings.first { $0.key.split(separator: " ").contains(charset[...]) }
    guard let coding = known?.value else { return nil }
    return Recoded(
      decode: { String(data: Data($0), encoding: coding).map { Bytes($0.utf8) } },
      encode: { meaning in
        meaning.text.data(using: coding, allowLossyConversion: true).map { Bytes($0) } ?? meaning
      },
      type: type
    )
  }

  /// Frames of gRPC in base64, each with its own padding (PROTOCOL-WEB.md).
  static let base64Frames = Recoded(
    decode: { bytes in
      var (decoded, letters): (Bytes, Bytes) = ([], [])
      let all = bytes.filter { $0 > 0x20 }
      for (index, byte) in all.enumerated() {
        letters.append(byte)
        let next = index + 1 < all.count ? all[index + 1] : nil
        guard next == nil || byte == "=" && next != byte else { continue }
        guard let part = Base64Text.decoded(letters) else { return nil }
        decoded += part
        letters = []
      }
      return decoded
    },
    encode: { Bytes(Data($0).base64EncodedString().utf8) },
    type: "application/grpc-web"
  )
}
