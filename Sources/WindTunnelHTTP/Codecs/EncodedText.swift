/// What is spelled in base64 or in hexadecimal digits (RFC 4648), whichever it is.
package enum EncodedText {
  /// The bytes that a text spells; `nil` if it spells none.
  ///
  /// Hexadecimal digits are also letters of base64. They are taken for what they are only where they
  /// spell a text.
  package static func decoded(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    hexadecimal(text) ?? Base64Text.decoded(text)
  }

  /// The text in UTF-8 that hexadecimal digits spell; `nil` if they spell none.
  private static func hexadecimal(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    guard text.count >= Base64Text.lengthMin, text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for letter in text {
      guard let digit = value(letter) else { return nil }
      if let first = high {
        let byte = first << 4 | digit
        // No text holds a zero, and hardly a hash is without a byte of the kind.
        if byte < 0x20, ![0x09, 0x0A, 0x0D].contains(byte) { return nil }
        bytes.append(byte)
        high = nil
      } else {
        high = digit
      }
    }
    return String(utf8: bytes) == nil ? nil : bytes
  }

  private static func value(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 0x30...0x39: letter - 0x30
    case 0x41...0x46: letter - 0x41 + 10
    case 0x61...0x66: letter - 0x61 + 10
    default: nil
    }
  }

  /// The spelling of bytes in the manner of another spelling.
  package static func encoded(_ bytes: [UInt8], like other: some BidirectionalCollection<UInt8>)
    -> String
  {
    guard hexadecimal(other) != nil else { return Base64Text.encoded(bytes, like: other) }
    let isUppercase = other.contains { 0x41...0x46 ~= $0 }
    let digits = Array((isUppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}
