internal import WindTunnelHTTP

extension UInt8 {
  package static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20

  /// Whether the byte may occur in a method or a field name (`tchar` of RFC 9110 §5.6.2).
  @inline(__always) var isToken: Bool {
    // One bit for each character: a table would require access to a lazy global.
    if self < 64 { return (0x03FF_6CFA_0000_0000 as UInt64) >> UInt64(self) & 1 == 1 }
    return self < 128 && (0x57FF_FFFF_C7FF_FFFE as UInt64) >> UInt64(self - 64) & 1 == 1
  }

  /// Whether the byte may occur in a field value: visible, space, tab or `obs-text` (RFC 9110
  /// §5.5).
  @inline(__always) var isFieldContent: Bool {
    self >= 0x20 && self != 0x7F || self == .tab
  }

  /// Whether the byte may occur in a request target.
  ///
  /// Bytes above 127 are not in the grammar of RFC 3986, but some clients send them unencoded.
  @inline(__always) var isTarget: Bool { self > 0x20 && self != 0x7F }

  @inline(__always) var isBlank: Bool { self == .space || self == .tab }

  @inline(__always) package var digit: Int? { 0x30...0x39 ~= self ? Int(self) - 0x30 : nil }

  /// Whether the byte may occur in `reg-name` of RFC 3986 §3.2.2: unreserved, a sub-delimiter, or
  /// part of an escape.
  fileprivate var isRegisteredName: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // - . _ ~ %
    case 0x2D, 0x2E, 0x5F, 0x7E, 0x25: true
    // ! $ & ' ( ) * + , ; =
    case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
    default: false
    }
  }
}

/// Bytes of a message in the parser's own buffer, valid until more bytes are fed.
package typealias Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
  /// Returns a part of the same memory, counted from zero.
  @inline(__always) package func part(_ range: Range<Int>) -> Self { Self(rebasing: self[range]) }

  /// Returns the bytes without spaces and tabs at both ends (OWS of RFC 9110 §5.6.3).
  package var trimmed: Self {
    var (first, last) = (0, count)
    while first < last, self[first].isBlank { first += 1 }
    while last > first, self[last - 1].isBlank { last -= 1 }
    return part(first..<last)
  }

  /// Whether the bytes equal a lower-case ASCII text, ignoring case.
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

  /// The text of a part of a head, without loss.
  package var text: String { String(octets: self) }

  /// The beginning for use in a sentence, without control characters.
  package var quoted: String {
    var text = ""
    for scalar in self.text.unicodeScalars.prefix(60) {
      text.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "?" : scalar)
    }
    return text
  }

  /// The value of decimal digits; `nil` for other text, `Int.max` if the number is too large.
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

  /// Whether the bytes are `uri-host [ ":" port ]` (RFC 9110 §7.2) or empty. `Host` may be empty if
  /// the target has no authority.
  var isHostField: Bool { isEmpty || hasAuthoritySyntax(needsPort: false) }

  /// Whether the bytes are `uri-host ":" port`, as in `CONNECT` (RFC 9112 §3.2.3).
  var isAuthorityForm: Bool { hasAuthoritySyntax(needsPort: true) }

  private func hasAuthoritySyntax(needsPort: Bool) -> Bool {
    let end: Int
    if first == 0x5B {
      guard let close = firstIndex(of: 0x5D), close > 1 else { return false }
      // RFC 3986 §3.2.2: hexadecimal digits, colons and a dotted end; `v1.` for future versions;
      // and a zone after a percent sign (RFC 6874).
      guard part(1..<close).allSatisfy({ $0 == 0x3A || $0.isRegisteredName }) else { return false }
      end = close + 1
    } else {
      end = firstIndex(of: 0x3A) ?? count
      guard end > 0, part(0..<end).allSatisfy(\.isRegisteredName) else { return false }
    }
    if end == count { return !needsPort }
    guard self[end] == 0x3A else { return false }
    let port = part(end + 1..<count)
    // A port may be empty unless it is required (RFC 3986 §3.2.3).
    if port.isEmpty { return !needsPort }
    return port.decimal.map { (needsPort ? 1 : 0)...65_535 ~= $0 } ?? false
  }
}
