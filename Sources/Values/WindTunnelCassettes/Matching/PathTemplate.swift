/// A template of paths that count as equal: `/users/{id}` matches every path of two segments that
/// begins with `users`.
///
/// Each variable is an expression of RFC 6570 level 1 and matches one whole segment that is not
/// empty.
public struct PathTemplate: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral
{
  /// The text of the template, as it was written.
  public let description: String
  /// The canonical segments; `nil` for a variable.
  private let segments: [String?]

  /// Parses the text of a template.
  public init(_ text: String) {
    description = text.hasPrefix("/") ? text : "/\(text)"
    segments = Self.segments(description).map {
      Self.isVariable($0) ? nil : String($0).canonicalPath
    }
  }

  /// Creates a template from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether the template matches a path in canonical spelling.
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

  /// Whether a segment of a cassette or a template is a variable. `%7Bid%7D` is a literal text.
  static func isVariable(_ segment: some StringProtocol) -> Bool {
    segment.hasPrefix("{") && segment.hasSuffix("}")
  }
}

extension RequestURL {
  /// The URL with escaped braces, so that a recorded URL only matches itself; `nil` if no segment
  /// is a variable.
  ///
  /// A URL parser treats both spellings as equal (WHATWG URL §1.3, path percent-encode set).
  package var literal: RequestURL? {
    guard hasVariables else { return nil }
    var literal = self
    literal.path = PathTemplate.segments(path).map { PathTemplate.literal($0) }
      .joined(separator: "/")
    return literal
  }

  /// Whether a segment of the path is a variable.
  package var hasVariables: Bool {
    path.utf8.contains(UInt8(ascii: "{"))
      && PathTemplate.segments(path).contains { PathTemplate.isVariable($0) }
  }
}

extension PathTemplate {
  /// Returns a segment with escaped braces, so that it is not a variable.
  static func literal(_ segment: Substring) -> String {
    guard isVariable(segment) else { return String(segment) }
    return String(segment).replacing("{", with: "%7B").replacing("}", with: "%7D")
  }
}
