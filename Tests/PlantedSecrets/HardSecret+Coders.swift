internal import Foundation

/// Codings in which a secret of ``HardSecret`` is hidden.
enum Coder {
  /// Text of two bytes a unit, without a mark at its beginning.
  static func utf16(_ text: String, big: Bool = false) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return big ? bytes.reversed() : bytes
    }
  }

  /// Text of four bytes a letter, the lowest first.
  static func utf32(_ text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in (0..<4).map { UInt8(scalar.value >> ($0 * 8) & 0xFF) } }
  }

  /// Text in base64.
  static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// Text in base64 of addresses, without padding.
  static func base64url(_ text: String) -> String {
    base64(text).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Text in the letters of RFC 4648 §6.
  static func base32(_ text: String) -> String {
    let letters = Array(Lot.capitals + "234567")
    let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    var result = ""
    for start in stride(from: 0, to: bits.count, by: 5) {
      let group = (start..<start + 5).map { $0 < bits.count ? Int(bits[$0]) : 0 }
      result.append(letters[group.reduce(0) { $0 * 2 + $1 }])
    }
    return result + String(repeating: "=", count: (8 - result.count % 8) % 8)
  }

  /// Text in lines of a width.
  static func wrapped(_ text: String, _ width: Int, _ between: String = "\n") -> String {
    let letters = Array(text)
    return stride(from: 0, to: letters.count, by: width).map { start in
      String(letters[start..<min(start + width, letters.count)])
    }.joined(separator: between)
  }

  /// Each byte as digits of a base, with something before and behind it.
  static func each(
    _ text: String,
    _ before: String,
    _ behind: String = "",
    radix: Int = 16,
    width: Int = 2,
    uppercase: Bool = false
  ) -> String {
    text.utf8.map { byte in
      let digits = String(byte, radix: radix, uppercase: uppercase)
      let zeros = String(repeating: "0", count: max(0, width - digits.count))
      return before + zeros + digits + behind
    }.joined()
  }

  /// How a text spells a secret letter by letter, in capitals, or in lines that break it.
  static func spellings(_ secret: String, in text: String) -> [String] {
    var all = [secret.uppercased()]
    for upper in [false, true] {
      for (before, behind) in [("", " "), ("", ":"), ("", ""), ("%", ""), ("%25", ""), ("\\x", "")]
      {
        all.append(each(secret, before, behind, uppercase: upper))
      }
      all.append(each(secret, "=", uppercase: upper))
      all.append(each(secret, "\\u", width: 4, uppercase: upper))
    }
    all += [each(secret, "%u", width: 4), each(secret, "&#x", ";")]
    all += [1, 5].map { each(secret, "&#", ";", radix: 10, width: $0) }
    all.append(each(secret, "\\", radix: 8, width: 3))
    all.append(String(each(secret, "", ",", radix: 10, width: 1).dropLast()))
    if !text.contains(secret) {
      let widths = [76, 64, 40, 20, 15, 12]
      all += widths.lazy.map { String(secret.prefix($0)) }.filter { text.contains($0) }.prefix(1)
    }
    return all.filter { $0 != secret && text.contains($0) }
  }

  /// A head of CBOR (RFC 8949 §3).
  private static func head(_ major: UInt8, _ count: Int) -> [UInt8] {
    if count < 24 { return [major << 5 | UInt8(count)] }
    if count < 256 { return [major << 5 | 24, UInt8(count)] }
    return [major << 5 | 25, UInt8(count >> 8), UInt8(count & 0xFF)]
  }

  /// A text string of CBOR.
  static func cbor(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }

  /// A byte string of CBOR.
  static func cbor(bytes text: String) -> [UInt8] { head(2, text.utf8.count) + Array(text.utf8) }

  /// A map of CBOR, its names as text.
  static func cbor(map: KeyValuePairs<String, [UInt8]>) -> [UInt8] {
    head(5, map.count) + map.flatMap { cbor($0.key) + $0.value }
  }

  /// An array of CBOR.
  static func cbor(array: [[UInt8]]) -> [UInt8] { head(4, array.count) + array.flatMap { $0 } }

  /// A string of MessagePack.
  static func pack(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    return (count < 32 ? [0xA0 | UInt8(count)] : [0xD9, UInt8(count)]) + Array(text.utf8)
  }

  /// Bytes of MessagePack.
  static func pack(bytes text: String) -> [UInt8] {
    [0xC4, UInt8(text.utf8.count)] + Array(text.utf8)
  }

  /// A small map of MessagePack.
  static func pack(map: KeyValuePairs<String, [UInt8]>) -> [UInt8] {
    [0x80 | UInt8(map.count)] + map.flatMap { pack($0.key) + $0.value }
  }

  /// A field of protobuf with a length.
  static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let count = bytes.count
    let length = count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F | 0x80), UInt8(count >> 7)]
    return [number << 3 | 2] + length + bytes
  }

  /// A field of protobuf that is a text.
  static func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  /// A frame of gRPC.
  static func frame(_ message: [UInt8], flag: UInt8 = 0) -> [UInt8] {
    let count = message.count
    return [flag, 0, 0, UInt8(count >> 8), UInt8(count & 0xFF)] + message
  }

  /// A document of BSON with texts only.
  static func bson(_ members: KeyValuePairs<String, String>) -> [UInt8] {
    var inner: [UInt8] = []
    for (name, value) in members {
      inner += [2] + Array(name.utf8) + [0]
      inner += count(value.utf8.count + 1) + Array(value.utf8) + [0]
    }
    return count(inner.count + 5) + inner + [0]
  }

  private static func count(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) }
  }

  /// A text with a break of quoted-printable lines in the middle of a secret.
  static func broken(_ secret: String, after count: Int = 12) -> String {
    String(secret.prefix(count)) + "=\r\n" + String(secret.dropFirst(count))
  }
}
