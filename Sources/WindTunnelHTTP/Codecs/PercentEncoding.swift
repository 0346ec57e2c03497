extension String {
  /// RFC 3986 §6.2.2: escapes in upper case, none for characters that need none, and all that
  /// cannot stand in an address escaped, so that `/café` written by hand is what a client sends.
  package var canonicalPercentEncoding: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "%") || !$0.isVisibleASCII }) else {
      return self
    }
    var result: [UInt8] = []
    result.reserveCapacity(utf8.count)
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = Character(UnicodeScalar(rest[rest.startIndex])).hexDigitValue,
        let low = Character(UnicodeScalar(rest[rest.startIndex + 1])).hexDigitValue
      else {
        if byte.isVisibleASCII { result.append(byte) } else { Self.escape(byte, into: &result) }
        continue
      }
      rest = rest.dropFirst(2)
      let value = UInt8(high << 4 | low)
      switch value {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.append(value)
      default: Self.escape(value, into: &result)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func escape(_ byte: UInt8, into result: inout [UInt8]) {
    let digits = String(byte, radix: 16, uppercase: true)
    result.append(contentsOf: "%\(digits.count == 1 ? "0" : "")\(digits)".utf8)
  }
}

extension UInt8 {
  fileprivate var isVisibleASCII: Bool { 0x21...0x7E ~= self }
}
