/// A name, or all names with a prefix: `page`, `utm_*`, `*`.
public struct NamePattern: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text of the pattern, as it was written.
  public let description: String
  /// The name in three spellings: as written, percent-encoded, and form-encoded.
  private let spellings: [String]
  private let isPrefix: Bool

  /// Parses a pattern; a `*` at the end matches any suffix.
  public init(_ text: String) {
    description = text
    isPrefix = text.hasSuffix("*")
    let plain = isPrefix ? String(text.dropLast()) : text
    spellings = [plain, plain.canonicalPercentEncoding, plain.canonicalFormName]
  }

  /// Creates a pattern from a literal, like ``init(_:)``.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether the pattern matches a name, either as it is or percent-encoded.
  public func fits(_ name: String) -> Bool {
    spellings.contains { spelling in
      isPrefix ? name.utf8.starts(with: spelling.utf8) : name.utf8.elementsEqual(spelling.utf8)
    }
  }
}

/// A normalisation of field names, so that `X-Api-Key`, `x_api_key` and `xApiKey` are equal.
package enum FieldName {
  /// Returns the letters and digits of a name's last 80 bytes, in lower case.
  package static func normalised(_ name: some StringProtocol) -> String {
    var bytes: Bytes = []
    for byte in name.utf8.suffix(80) {
      let lower = byte.asciiLowercased
      if 0x61...0x7A ~= lower || 0x30...0x39 ~= lower || lower >= 0x80 { bytes.append(lower) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
