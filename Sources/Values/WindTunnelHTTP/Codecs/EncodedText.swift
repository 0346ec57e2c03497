internal import Foundation

/// Detection and decoding of bytes that are encoded in base64 or in hexadecimal digits (RFC 4648).
package enum EncodedText {
  /// Returns the decoded bytes; `nil` if the text is neither base64 nor hexadecimal.
  ///
  /// Hexadecimal digits are also letters of base64. They are decoded as hexadecimal only if the
  /// result is text.
  package static func decoded(_ text: some BidirectionalCollection<UInt8>) -> Bytes? {
    hexadecimal(text) ?? Base64Text.decoded(text)
  }

  /// Returns the UTF-8 text that hexadecimal digits encode; `nil` if they encode no text.
  private static func hexadecimal(_ text: some BidirectionalCollection<UInt8>) -> Bytes? {
    guard text.count >= Base64Text.lengthMin, text.count.isMultiple(of: 2) else { return nil }
    var bytes: Bytes = []
    var high: UInt8?
    for letter in text {
      guard let digit = letter.hexadecimalDigit else { return nil }
      if let first = high {
        let byte = first << 4 | digit
        // Text contains no control characters, but nearly every hash contains such a byte.
        if byte < 0x20, ![0x09, 0x0A, 0x0D].contains(byte) { return nil }
        bytes.append(byte)
        high = nil
      } else {
        high = digit
      }
    }
    return String(utf8: bytes) == nil ? nil : bytes
  }

  /// Returns the two hexadecimal digits of a byte, in lower case.
  package static func digits(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// Returns bytes in the encoding of another text: hexadecimal in the same case, or base64.
  package static func encoded(_ bytes: Bytes, like other: some BidirectionalCollection<UInt8>)
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

/// Base64 in either alphabet (RFC 4648 §4, §5), with or without padding.
package enum Base64Text {
  /// Returns the decoded bytes; `nil` if the text is not base64.
  package static func decoded(_ text: some Collection<UInt8>) -> Bytes? {
    var decoded: Bytes = []
    decoded.reserveCapacity(text.count / 4 * 3 + 3)
    return values.withUnsafeBufferPointer { values -> Bytes? in
      var (bits, count): (UInt32, Int) = (0, 0)
      var isOver = false
      for byte in text {
        if byte == UInt8(ascii: "=") {
          isOver = true
          continue
        }
        let value = values[Int(byte)]
        guard value < 64, !isOver else { return nil }
        bits = bits << 6 | UInt32(value)
        count += 1
        if count & 3 == 0 {
          decoded.append(UInt8(truncatingIfNeeded: bits >> 16))
          decoded.append(UInt8(truncatingIfNeeded: bits >> 8))
          decoded.append(UInt8(truncatingIfNeeded: bits))
        }
      }
      guard count > 0, count % 4 != 1 else { return nil }
      if count % 4 == 2 { decoded.append(UInt8(truncatingIfNeeded: bits >> 4)) }
      if count % 4 == 3 {
        decoded.append(UInt8(truncatingIfNeeded: bits >> 10))
        decoded.append(UInt8(truncatingIfNeeded: bits >> 2))
      }
      return decoded
    }
  }

  /// The value of each byte in either alphabet; 64 if the byte is not a letter of base64.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  /// Returns bytes in the alphabet and with the padding of another base64 text.
  package static func encoded(_ bytes: Bytes, like other: some Collection<UInt8>) -> String {
    var text = Data(bytes).base64EncodedString()
    let isForURLs = other.contains(UInt8(ascii: "-")) || other.contains(UInt8(ascii: "_"))
    if isForURLs { text = text.replacing("+", with: "-").replacing("/", with: "_") }
    // Encoders for URLs seldom add padding (RFC 4648 §3.2).
    let isPadded = other.count % 4 == 0 && (!isForURLs || other.contains(UInt8(ascii: "=")))
    return isPadded ? text : text.replacing("=", with: "")
  }

  /// Whether a text is canonical base64 (RFC 4648 §4): padded, and with zero pad bits.
  package static func isCanonical(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count.isMultiple(of: 4) else { return false }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let letters = text.dropLast(padding)
    guard letters.allSatisfy({ isLetter($0) && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") })
    else { return false }
    guard let last = letters.last, padding > 0 else { return true }
    return (padding == 1 ? "AEIMQUYcgkosw048" : "AQgw").utf8.contains(last)
  }

  package static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  /// The minimum length of a run; a shorter run is treated as a word.
  package static let lengthMin = 16

  /// Returns the ranges of a text that may be base64 and are long enough to decode.
  package static func runs(in bytes: Bytes, lengthMin: Int = lengthMin) -> [Range<Int>] {
    bytes.withUnsafeBufferPointer { bytes in
      values.withUnsafeBufferPointer { values in
        var runs: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
          guard values[Int(bytes[start])] < 64 else {
            start += 1
            continue
          }
          var end = start
          while end < bytes.count, values[Int(bytes[end])] < 64 { end += 1 }
          var padded = end
          while padded < bytes.count, padded < end + 2, bytes[padded] == UInt8(ascii: "=") {
            padded += 1
          }
          if end - start >= lengthMin { runs.append(start..<padded) }
          start = padded
        }
        return runs
      }
    }
  }
}
