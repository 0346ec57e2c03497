/// Which requests are meant: a method or `*`, then a path whose segments may be `*` or `{name}`
/// (any one segment) or end in `**` (any rest), such as `GET /users/*`.
public struct RequestPattern: Sendable, Hashable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  private let method: String?
  private let host: String?
  private let segments: [String]
  private let query: String?

  /// The pattern as it was written.
  public let description: String

  /// Reads a pattern. Without a method any is meant; with a host (`GET https://a.example/x`) or a
  /// query (`GET /x?page=2`) only that one.
  public init(_ text: String) {
    description = text
    let words = text.split(separator: " ", maxSplits: 1)
    let hasMethod = words.count == 2
    method = hasMethod && words[0] != "*" ? String(words[0]) : nil
    let url = RequestURL(String(words.last ?? "/**"))
    host = url.host
    query = url.query.map(Matcher.canonical)
    segments = url.path.canonicalPercentEncoding.split(
      separator: "/",
      omittingEmptySubsequences: false
    ).map(String.init)
  }

  /// Reads a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether a request is meant.
  public func matches(_ request: Request) -> Bool {
    if let method, method != request.method { return false }
    if let host, host != request.url.host { return false }
    if let query, query != Matcher.canonical(query: request.url.query ?? "") { return false }
    let asked = request.url.path.canonicalPercentEncoding.split(
      separator: "/",
      omittingEmptySubsequences: false
    )
    for (index, segment) in segments.enumerated() {
      if segment == "**" { return true }
      guard index < asked.count else { return false }
      if segment == "*" || (segment.hasPrefix("{") && segment.hasSuffix("}")) {
        if asked[index].isEmpty { return false }
      } else if segment != asked[index] {
        return false
      }
    }
    return segments.count == asked.count
  }
}
