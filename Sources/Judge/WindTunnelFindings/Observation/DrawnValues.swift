internal import Foundation
internal import WindTunnel

// Values that a client creates anew for each attempt, recognised by their form.

extension JSON {
  /// The value with `null` in place of times and random values.
  var withoutDrawnValues: JSON {
    switch self {
    case .string(let text): text.value.isDrawn ? .null : self
    case .number(let digits): digits.isDrawn ? .null : self
    case .array(let items): .array(items.map(\.withoutDrawnValues))
    case .object(let members):
      .object(members.map { JSON.Member($0.name, $0.value.withoutDrawnValues) })
    case .null, .bool: self
    }
  }
}

extension String {
  /// Whether the text is a date or a Unix time. Times do not identify a request, because two
  /// requests may have the same.
  var isMoment: Bool {
    // Seconds, milliseconds or microseconds of the years from 2017 to 2039.
    if let number = Int64(self), [10, 13, 16].contains(utf8.count) {
      let seconds = Double(number) / [10: 1, 13: 1e3, 16: 1e6][utf8.count, default: 1]
      if 1.5e9..<2.2e9 ~= seconds { return true }
    }
    return utf8.prefix(4).allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      && utf8.dropFirst(4).first == UInt8(ascii: "-") && contains(":")
  }

  /// Whether the text looks like a time, a UUID or a long random value in hexadecimal digits or
  /// base64. A number may be of a card or an item, and a name may have digits and hyphens.
  fileprivate var isDrawn: Bool {
    if String(prefix { $0 != "." }).isMoment || hasSuffix(" GMT") { return true }
    if UUID(uuidString: self) != nil { return true }
    guard contains(where: \.isNumber), contains(where: \.isLetter) else { return false }
    // At least 8 and 15 bytes.
    return wholeMatch(of: #/[0-9A-Fa-f]{16,}/#) != nil
      || wholeMatch(of: #/[0-9A-Za-z+/]{20,}=*/#) != nil && contains(where: \.isLowercase)
        && contains(where: \.isUppercase)
  }
}
