internal import Foundation

extension UInt8 {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20

  /// A character of a method or a field name: `tchar` of RFC 9110 §5.6.2.
  @inline(__always) var isToken: Bool {
    // One bit a character: a table would cost an access to a lazy global.
    if self < 64 { return (0x03FF_6CFA_0000_0000 as UInt64) >> UInt64(self) & 1 == 1 }
    return self < 128 && (0x57FF_FFFF_C7FF_FFFE as UInt64) >> UInt64(self - 64) & 1 == 1
  }

  /// A character of a field value: visible, space, tab or `obs-text` (RFC 9110 §5.5).
  @inline(__always) var isFieldContent: Bool {
    self >= 0x20 && self != 0x7F || self == .tab
  }

  /// A character of a request target.
  ///
  /// Bytes above 127 are not in the grammar of RFC 3986 but in the requests of clients that do not
  /// encode.
  @inline(__always) var isTarget: Bool { self > 0x20 && self != 0x7F }

  @inline(__always) var isBlank: Bool { self == .space || self == .tab }

  @inline(__always) var digit: Int? { 0x30...0x39 ~= self ? Int(self) - 0x30 : nil }

  @inline(__always) var hexDigit: Int? {
    switch self {
    case 0x30...0x39: Int(self) - 0x30
    case 0x41...0x46: Int(self) - 0x41 + 10
    case 0x61...0x66: Int(self) - 0x61 + 10
    default: nil
    }
  }
}

/// Bytes of a message in the parser's own buffer, valid as long as nothing is fed.
typealias Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
  /// A part of the same memory, counted from zero.
  @inline(__always) func part(_ range: Range<Int>) -> Self { Self(rebasing: self[range]) }

  /// Without the spaces and tabs at both ends: OWS of RFC 9110 §5.6.3.
  var trimmed: Self {
    var (first, last) = (0, count)
    while first < last, self[first].isBlank { first += 1 }
    while last > first, self[last - 1].isBlank { last -= 1 }
    return part(first..<last)
  }

  /// Tells whether this is an ASCII text that is given in lower case.
  func equalsLowercase(_ other: StaticString) -> Bool {
    guard count == other.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] | caseBit(index) != other.utf8Start[index] {
      return false
    }
    return true
  }

  @inline(__always) private func caseBit(_ index: Int) -> UInt8 {
    0x41...0x5A ~= self[index] ? 0x20 : 0
  }

  /// The text: UTF-8 where it is valid, else Latin-1, which RFC 9110 §5.5 remembers; both keep
  /// every byte apart.
  var text: String {
    if allSatisfy({ $0 < 128 }) { return String(decoding: self, as: UTF8.self) }
    if let text = String(bytes: self, encoding: .utf8) { return text }
    var text = ""
    for byte in self { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  /// The beginning, for a sentence: nothing that a terminal would obey.
  var quoted: String {
    var text = ""
    for scalar in self.text.unicodeScalars.prefix(60) {
      text.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "?" : scalar)
    }
    return text
  }

  /// A number of decimal digits and nothing else; `Int.max` for one that is too large to hold.
  var decimal: Int? {
    guard !isEmpty else { return nil }
    var value = 0
    for byte in self {
      guard let digit = byte.digit else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(digit)
      value = overflow || carry ? .max : sum
    }
    return value
  }
}
