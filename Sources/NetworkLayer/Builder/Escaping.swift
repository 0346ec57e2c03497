/// Percent-encoding (RFC 3986 §2.1) of the parts of a URL.
enum Escaping {
  /// RFC 3986 §3.3: `pchar` and the slash between segments.
  private static let inPath = unreserved.union(".!$&'()*+,;=:@/".utf8)
  /// RFC 3986 §3.4.
  private static let inQuery = inPath.union("?".utf8)
  /// RFC 3986 §2.3.
  private static let unreserved = Set<UInt8>(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8
  )

  /// Escapes a name or a value of a query item completely.
  static func ofItem(_ text: String) -> String { escape(text.utf8, keeping: unreserved) }

  /// Escapes what cannot stand in a path and keeps escapes; `nil` where a `%` begins none.
  static func ofPath(_ text: String) -> String? { escapeOnce(text, keeping: inPath) }

  /// Escapes what cannot stand in a query and keeps escapes; `nil` where a `%` begins none.
  static func ofQuery(_ text: String) -> String? { escapeOnce(text, keeping: inQuery) }

  private static func escapeOnce(_ text: String, keeping kept: Set<UInt8>) -> String? {
    let bytes = Array(text.utf8)
    for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
      let escape = bytes[(place + 1)...].prefix(2)
      guard escape.count == 2, escape.allSatisfy(\.isHexadecimalDigit) else { return nil }
    }
    return escape(bytes, keeping: kept.union("%".utf8))
  }

  private static func escape(_ bytes: some Sequence<UInt8>, keeping kept: Set<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      if kept.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "a")...UInt8(ascii: "f"):
      true
    default: false
    }
  }
}
