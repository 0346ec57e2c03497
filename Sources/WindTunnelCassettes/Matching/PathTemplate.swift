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
      Self.isVariable($0) ? nil : String($0).canonicalPercentEncoding
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

  static func isVariable(_ segment: some StringProtocol) -> Bool {
    segment.hasPrefix("{") && segment.hasSuffix("}")
  }
}
