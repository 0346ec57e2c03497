/// The part of a URL between `?` and its end (RFC 3986 §3.4).
public struct Query: Sendable, Hashable {
  /// The text as it stands in the URL.
  public var encoded: String

  /// Takes a text that is escaped already; escapes are kept.
  public init(encoded: String) { self.encoded = encoded }

  /// Joins names and values in their order.
  ///
  /// Whatever is not unreserved is escaped, `+` too: some servers read a bare one as a space.
  public init(_ items: [(name: String, value: String)]) {
    encoded = items.map { "\(Escaping.ofItem($0.name))=\(Escaping.ofItem($0.value))" }
      .joined(separator: "&")
  }
}

extension Query: ExpressibleByDictionaryLiteral {
  /// Joins names and values in their order; a name may come twice.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }
}
