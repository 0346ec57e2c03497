// RFC 8259 §7: strings and their escapes.

extension JSONParser {
  /// Parses a string, beginning at its quote.
  package mutating func string() throws(Failure) -> JSON.Text {
    let start = position
    let span = try skipString()
    guard span.hasEscapes else { return JSON.Text(text(span.range)) }
    position = start
    let value = String(decoding: try unescaped(), as: UTF8.self)
    let spelling = text(span.range)
    return JSON.Text(value, spelling: JSON.escaped(value) == spelling ? nil : spelling)
  }

  /// Returns the decoded bytes of a valid string, beginning at its quote.
  mutating func unescaped() throws(Failure) -> [UInt8] {
    position += 1
    var decoded: [UInt8] = []
    while let byte = current, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        decoded.append(contentsOf: UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter)
      } else {
        decoded.append(byte)
        position += 1
      }
    }
    position += 1
    return decoded
  }

  /// Parses an escape, beginning at its backslash.
  mutating func escape() throws(Failure) -> Unicode.Scalar {
    position += 1
    guard let kind = current else { throw failure("the string does not end") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UnicodeScalar(kind)
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try scalar()
    default: throw failure("\\\(Character(UnicodeScalar(kind))) is not an escape of JSON")
    }
  }

  /// Parses a `\u` escape; a pair of surrogates is one scalar.
  ///
  /// A lone surrogate becomes U+FFFD in the value, while the spelling keeps the original.
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
      guard let digit = current?.hexadecimalDigit else {
        throw failure("\\u requires four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
