/// The query of a URL (RFC 3986 §3.4).
public struct Query: Sendable, Hashable {
  /// The query as it stands in the URL.
  public var encoded: String

  /// Makes a query of a text that is already escaped; its escapes are kept.
  public init(encoded: String) { self.encoded = encoded }

  /// Makes a query of names and values in their order.
  ///
  /// Whatever is not unreserved is escaped, `+` too: some servers read a bare one as a space.
  public init(_ items: [(name: String, value: String)]) {
    encoded = items.map { "\(Escaping.ofItem($0.name))=\(Escaping.ofItem($0.value))" }
      .joined(separator: "&")
  }

  /// Joins escaped queries, without those that are empty.
  static func joined(_ parts: String?...) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "&")
  }
}

extension [Headers.Field] {
  /// The names and values as a query or a form has them.
  var encoded: String { Query(map { (name: $0.name, value: $0.value) }).encoded }
}

extension String {
  /// The text of a URL without the slash at its end.
  var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

extension Query: ExpressibleByDictionaryLiteral {
  /// Makes a query of names and values in their order; a name may occur twice.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }
}

/// Percent-encoding (RFC 3986 §2.1) of the parts of a URL.
enum Escaping {
  /// The characters of a path (RFC 3986 §3.3): `pchar` and the slash between segments.
  private static let inPath = unreserved.adding(".!$&'()*+,;=:@/")
  /// The characters of a query (RFC 3986 §3.4).
  private static let inQuery = inPath.adding("?")
  /// The digits of an escape (RFC 3986 §2.1).
  private static let hexadecimal = ASCIISet("0123456789ABCDEFabcdef")
  /// The characters that need no escape (RFC 3986 §2.3).
  private static let unreserved = ASCIISet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  /// Escapes a name or a value of a query item completely.
  fileprivate static func ofItem(_ text: String) -> String { escape(text, keeping: unreserved) }

  /// Escapes what cannot stand in a path and keeps escapes; `nil` where a `%` begins none.
  static func ofPath(_ text: String) -> String? { escapeOnce(text, keeping: inPath) }

  /// Escapes what cannot stand in a query and keeps escapes; `nil` where a `%` begins none.
  static func ofQuery(_ text: String) -> String? { escapeOnce(text, keeping: inQuery) }

  private static func escapeOnce(_ text: String, keeping kept: ASCIISet) -> String? {
    if kept.containsAll(of: text) { return text }
    let bytes = Array(text.utf8)
    for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
      let escape = bytes[(place + 1)...].prefix(2)
      guard escape.count == 2, escape.allSatisfy(hexadecimal.contains) else { return nil }
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

/// A set of ASCII characters as bits, which is fast, since all texts of each request are checked.
struct ASCIISet: Sendable, Hashable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// Takes the characters of a text; what is not ASCII is in no set.
  init(_ characters: String) {
    for byte in characters.utf8 {
      if byte < 64 { low |= 1 << byte } else if byte < 128 { high |= 1 << (byte - 64) }
    }
  }

  /// Returns this set with the characters of a text.
  func adding(_ characters: String) -> ASCIISet {
    var set = ASCIISet(characters)
    set.low |= low
    set.high |= high
    return set
  }

  func contains(_ byte: UInt8) -> Bool {
    byte < 64 ? low >> byte & 1 == 1 : byte < 128 && high >> (byte - 64) & 1 == 1
  }

  /// Returns whether a text has no other characters.
  func containsAll(of text: String) -> Bool { text.utf8.allSatisfy(contains) }
}
