// RFC 8259 §7: strings and their escapes.

extension JSONParser {
  mutating func string() throws(Failure) -> JSON.Text {
    position += 1
    let start = position
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if current == UInt8(ascii: "\"") {
      defer { position += 1 }
      guard let plain = String(utf8: bytes[start..<position]) else {
        throw failure("the string is not valid UTF-8")
      }
      return JSON.Text(plain)
    }
    return try escapedString(from: start)
  }

  private mutating func escapedString(from start: Int) throws(Failure) -> JSON.Text {
    var decoded = Array(bytes[start..<position])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        guard let value = String(utf8: decoded),
          let spelling = String(utf8: bytes[start..<position])
        else { throw failure("the string is not valid UTF-8") }
        position += 1
        return JSON.Text(value, spelling: JSON.escaped(value) == spelling ? nil : spelling)
      case UInt8(ascii: "\\"): try escape(into: &decoded)
      case 0..<0x20: throw failure("a control character must be escaped in a string")
      default:
        decoded.append(byte)
        position += 1
      }
    }
    throw failure("the string does not end")
  }

  private mutating func escape(into decoded: inout [UInt8]) throws(Failure) {
    position += 1
    guard let kind = current else { throw failure("the string does not end") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(kind)
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "u"): decoded.append(contentsOf: Array(String(try scalar()).utf8))
    default: throw failure("\\\(Character(UnicodeScalar(kind))) is no escape of JSON")
    }
  }

  /// A `\u` escape; a pair of surrogates is one scalar. A lone surrogate stands for U+FFFD in the
  /// value, while the spelling keeps what was written.
  private mutating func scalar() throws(Failure) -> Unicode.Scalar {
    let first = try hexadecimal()
    if 0xD800...0xDBFF ~= first, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      let before = position
      position += 2
      let second = try hexadecimal()
      if 0xDC00...0xDFFF ~= second {
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)) ?? "\u{FFFD}"
      }
      position = before
    }
    return Unicode.Scalar(first) ?? "\u{FFFD}"
  }

  private mutating func hexadecimal() throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = current.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
        throw failure("\\u wants four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
