internal import Foundation

extension StringProtocol {
  /// Whether two names are equal, ignoring the case of ASCII letters.
  package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
    // Different lengths exclude most names without a comparison of bytes.
    guard utf8.count == other.utf8.count else { return false }
    var bytes = other.utf8.makeIterator()
    for byte in utf8 where byte.asciiLowercased != bytes.next()?.asciiLowercased { return false }
    return true
  }

  /// Returns the text without surrounding spaces and tabs (OWS of RFC 9110 §5.6.3).
  package func trimmingOptionalWhitespace() -> SubSequence {
    let isText: (Character) -> Bool = { $0 != " " && $0 != "\t" }
    guard let first = firstIndex(where: isText) else { return self[endIndex...] }
    var end = endIndex
    while true {
      let before = index(before: end)
      if isText(self[before]) { return self[first..<end] }
      end = before
    }
  }
}

extension String {
  /// The elements of a comma-separated list, without the white space around them. Empty elements
  /// are ignored (RFC 9110 §5.6.1.2).
  package var listElements: [Substring] {
    split(separator: ",").map { $0.trimmingOptionalWhitespace() }.filter { !$0.isEmpty }
  }

  /// Whether two names are equal, ignoring the case of ASCII letters.
  package func equalsIgnoringASCIICase(_ other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Fast path: most names have the same spelling, and short strings are compared as two words.
    if self == other { return true }
    var (mine, theirs) = (self, other)
    return mine.withUTF8 { mine in
      theirs.withUTF8 { theirs in
        mine.indices.allSatisfy { mine[$0].asciiLowercased == theirs[$0].asciiLowercased }
      }
    }
  }

  /// Whether this is a token (RFC 9110 §5.6.2), as in methods and field names.
  package var isHTTPToken: Bool { !isEmpty && utf8.allSatisfy(\.isHTTPTokenByte) }

  /// Whether this is invalid as a field value, because it would end the line (RFC 9110 §5.5).
  package var breaksFieldLine: Bool { utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D } }

  /// Creates a string from bytes; `nil` if they are not valid UTF-8. Nothing is repaired, and a
  /// byte order mark is kept.
  ///
  /// `String(validating:as:)` needs macOS 15, and Foundation's initialiser drops byte order marks.
  package init?(utf8 bytes: some Collection<UInt8>) {
    if let isValid = bytes.withContiguousStorageIfAvailable(\.isUTF8) {
      guard isValid else { return nil }
      self = String(decoding: bytes, as: UTF8.self)
      return
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the buffer contains a byte. Uses the C library, because whole bodies are searched.
  package func has(_ byte: UInt8) -> Bool {
    baseAddress.map { memchr($0, Int32(byte), count) != nil } ?? false
  }
}

extension Bytes {
  /// Whether the bytes contain a byte.
  package func has(_ byte: UInt8) -> Bool {
    withContiguousStorageIfAvailable { $0.has(byte) } ?? false
  }
}

extension UInt8 {
  /// The same letter in lower case; any other byte unchanged.
  package var asciiLowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }

  package var isASCIILetter: Bool { 0x61...0x7A ~= asciiLowercased }
  /// Whether this is an ASCII letter or digit.
  package var isWord: Bool { 0x61...0x7A ~= asciiLowercased || 0x30...0x39 ~= self }

  package var isASCIIDigit: Bool { 0x30...0x39 ~= self }

  package var isHexadecimalDigit: Bool { hexadecimalDigit != nil }

  /// The value of `0` to `9`, `a` to `f` and `A` to `F`; `nil` for any other byte.
  package var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether this is a `tchar` (RFC 9110 §5.6.2).
  var isHTTPTokenByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
      UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "`"),
      UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
