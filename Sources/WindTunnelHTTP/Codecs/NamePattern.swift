/// A name, or every name that begins alike: `page`, `utm_*`, `*`.
public struct NamePattern: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The pattern as it was written.
  public let description: String
  private let plain: String
  private let canonical: String
  private let isPrefix: Bool

  /// Reads a pattern; a `*` at the end stands for anything.
  public init(_ text: String) {
    description = text
    isPrefix = text.hasSuffix("*")
    plain = isPrefix ? String(text.dropLast()) : text
    canonical = plain.canonicalPercentEncoding
  }

  /// Reads a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether a name is meant, as it is or percent-encoded.
  public func fits(_ name: String) -> Bool {
    isPrefix
      ? name.utf8.starts(with: plain.utf8) || name.utf8.starts(with: canonical.utf8)
      : name.utf8.elementsEqual(plain.utf8) || name.utf8.elementsEqual(canonical.utf8)
  }
}
