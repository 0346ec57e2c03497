extension StringProtocol {
  /// Whether two names are one but for the case of ASCII letters.
  package func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
    // The length rules most names out before a byte is compared.
    guard utf8.count == other.utf8.count else { return false }
    var bytes = other.utf8.makeIterator()
    for byte in utf8 where byte.asciiLowercased != bytes.next()?.asciiLowercased { return false }
    return true
  }

  /// Without the spaces and tabs around it: OWS of RFC 9110 §5.6.3.
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
  /// Whether this is a token of RFC 9110 §5.6.2: what methods and field names are made of.
  package var isHTTPToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        0x21...0x7E ~= byte && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
      }
  }
}

extension UInt8 {
  /// The same letter in lower case; every other byte as it is.
  package var asciiLowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }

  var isASCIILetter: Bool { 0x61...0x7A ~= asciiLowercased }

  var isASCIIDigit: Bool { 0x30...0x39 ~= self }
}

extension String {
  /// Makes a string of bytes, if they are valid UTF-8; nothing is repaired and a byte order mark is
  /// kept.
  ///
  /// `String(validating:as:)` needs macOS 15, and Foundation's initialiser drops byte order marks.
  package init?(utf8 bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}
