/// A template of paths that count as equal: `/users/{id}` stands for every path of two segments
/// that begins with `users`.
///
/// The variables are those of RFC 6570 level 1, each of them one whole segment that is not empty.
public struct PathTemplate: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral
{
  /// The text of the template, as it was written.
  public let description: String
  /// The canonical segments; `nil` is a variable.
  private let segments: [String?]

  /// Parses the text of a template.
  public init(_ text: String) {
    description = text.hasPrefix("/") ? text : "/\(text)"
    segments = Self.segments(description).map {
      Self.isVariable($0) ? nil : String($0).canonicalPath
    }
  }

  /// Makes a template from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Tells whether the template matches a path in canonical spelling.
  public func fits(_ path: String) -> Bool {
    let asked = Self.segments(path)
    return asked.count == segments.count
      && zip(segments, asked).allSatisfy { segment, asked in
        segment.map { $0 == asked } ?? !asked.isEmpty
      }
  }

  static func segments(_ path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// Whether a segment of a cassette or a template stands for any. `%7Bid%7D` is a text.
  static func isVariable(_ segment: some StringProtocol) -> Bool {
    segment.hasPrefix("{") && segment.hasSuffix("}")
  }
}

extension RequestURL {
  /// The address of a request as a cassette holds it, so that it stands for itself alone: the
  /// braces of a segment that would stand for any are escaped. `nil` if there is no such segment.
  ///
  /// To a parser of addresses both spellings are one (WHATWG URL §1.3, path percent-encode set).
  package var literal: RequestURL? {
    guard hasVariables else { return nil }
    var literal = self
    literal.path = PathTemplate.segments(path).map { PathTemplate.literal($0) }
      .joined(separator: "/")
    return literal
  }

  /// Whether a segment of the path stands for any.
  package var hasVariables: Bool {
    path.utf8.contains(UInt8(ascii: "{"))
      && PathTemplate.segments(path).contains { PathTemplate.isVariable($0) }
  }
}

extension PathTemplate {
  /// Returns the text of a segment that stands for itself.
  static func literal(_ segment: Substring) -> String {
    guard isVariable(segment) else { return String(segment) }
    return String(segment).replacing("{", with: "%7B").replacing("}", with: "%7D")
  }
}
