/// Percent-encoding (RFC 3986 §2.1) of the parts of a URL.
enum Escaping {
  /// RFC 3986 §3.3: `pchar` and the slash between segments.
  private static let inPath = unreserved.adding(".!$&'()*+,;=:@/")
  /// RFC 3986 §3.4.
  private static let inQuery = inPath.adding("?")
  /// RFC 3986 §2.3.
  private static let unreserved = ASCIISet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  /// Escapes a name or a value of a query item completely.
  static func ofItem(_ text: String) -> String { escape(text, keeping: unreserved) }

  /// Escapes what cannot stand in a path and keeps escapes; `nil` where a `%` begins none.
  static func ofPath(_ text: String) -> String? { escapeOnce(text, keeping: inPath) }

  /// Escapes what cannot stand in a query and keeps escapes; `nil` where a `%` begins none.
  static func ofQuery(_ text: String) -> String? { escapeOnce(text, keeping: inQuery) }

  private static func escapeOnce(_ text: String, keeping kept: ASCIISet) -> String? {
    if kept.containsAll(of: text) { return text }
    let bytes = Array(text.utf8)
    for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
      let escape = bytes[(place + 1)...].prefix(2)
      guard escape.count == 2, escape.allSatisfy(\.isHexadecimalDigit) else { return nil }
    }
    return escape(text, keeping: kept.adding("%"))
  }

  private static func escape(_ plain: String, keeping kept: ASCIISet) -> String {
    if kept.containsAll(of: plain) { return plain }
    var text = ""
    for byte in plain.utf8 {
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
