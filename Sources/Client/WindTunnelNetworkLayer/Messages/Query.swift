internal import Foundation

/// The query of a URL (RFC 3986 §3.4).
public struct Query: Sendable, Hashable {
  /// The query as it is written in the URL.
  public var encoded: String

  /// Creates a query from a text that is already escaped. Its escapes are kept.
  public init(encoded: String) { self.encoded = encoded }

  /// Creates a query with names and values in this order.
  ///
  /// All characters that are not unreserved are escaped. That includes `+`, which some servers read
  /// as a space.
  public init(_ items: [(name: String, value: String)]) {
    encoded = items.map { "\(Escaping.ofItem($0.name))=\(Escaping.ofItem($0.value))" }
      .joined(separator: "&")
  }

  /// Joins escaped queries, and skips empty ones.
  static func joined(_ parts: String?...) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "&")
  }
}

extension [Headers.Field] {
  /// The names and values in the format of queries and forms.
  package var encoded: String { Query(map { (name: $0.name, value: $0.value) }).encoded }
}

extension String {
  /// The text of a URL without its trailing slash.
  package var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

extension Query: ExpressibleByDictionaryLiteral {
  /// Creates a query with names and values in this order. A name may occur twice.
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
  private static let hexadecimal = ByteSet("0123456789ABCDEFabcdef")
  /// The characters that need no escape (RFC 3986 §2.3).
  private static let unreserved = ByteSet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  /// Escapes a name or a value of a query item completely.
  fileprivate static func ofItem(_ text: String) -> String { escape(text, keeping: unreserved) }

  /// Escapes characters that are not allowed in a path, and keeps existing escapes.
  ///
  /// `nil` if a `%` does not begin an escape.
  static func ofPath(_ text: String) -> String? { escapeOnce(text, keeping: inPath) }

  /// Escapes characters that are not allowed in a query, and keeps existing escapes.
  ///
  /// `nil` if a `%` does not begin an escape.
  static func ofQuery(_ text: String) -> String? { escapeOnce(text, keeping: inQuery) }

  private static func escapeOnce(_ text: String, keeping kept: ByteSet) -> String? {
    if kept.containsAll(of: text) { return text }
    let bytes = Array(text.utf8)
    for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
      let escape = bytes[(place + 1)...].prefix(2)
      guard escape.count == 2, escape.allSatisfy(hexadecimal.contains) else { return nil }
    }
    return escape(text, keeping: kept.adding("%"))
  }

  private static func escape(_ plain: String, keeping kept: ByteSet) -> String {
    if kept.containsAll(of: plain) { return plain }
    return plain.utf8.reduce(into: "") { text, byte in
      text += kept.contains(byte) ? "\(Unicode.Scalar(byte))" : String(format: "%%%02X", byte)
    }
  }
}
