/// A pattern of requests: a method or `*`, then a path, such as `GET /users/*`.
///
/// Segments of the path may be `*` or `{name}`, which match any one segment. A last segment `**`
/// matches the rest of any path. `OPTIONS *` is matched by the same text, and by no path pattern
/// except `/**`.
///
/// A tunnel is matched by its host: `CONNECT api.example.com:443`, `CONNECT *.example.com` at any
/// port, `CONNECT *`. A host before a path may also begin with `*.`.
public struct RequestPattern: Sendable, Hashable, CustomStringConvertible,
  ExpressibleByStringInterpolation
{
  private let method: String?
  private var host: HostPattern?
  private let segments: [Segment]
  private var query: String?

  /// The text of the pattern, as it was written.
  public let description: String

  /// Parses a pattern. Without a method it matches any method.
  ///
  /// With a host (`GET https://a.example/x`) or a query (`GET /x?page=2`) it matches only that one.
  public init(_ text: String) {
    description = text
    let words = text.split(separator: " ", maxSplits: 1)
    let hasMethod = words.count == 2
    method = hasMethod && words[0] != "*" ? String(words[0]) : nil
    let named = String(words.last ?? "/**")
    // A star matches every path, except for two methods for which it is the target itself.
    let isAny = named == "*" && method != "CONNECT" && method != "OPTIONS"
    let target = isAny ? "/**" : named
    if method == "CONNECT", !target.contains("/") {
      // `host`, `host:port`, `[::1]:port` or `*`.
      let url = RequestURL("http://\(target)")
      host = HostPattern(name: url.host ?? target, port: url.port)
      (query, segments) = (nil, Segment.all)
      return
    }
    let url = RequestURL(target, askedBy: method ?? "")
    host = url.host.map { HostPattern(name: $0) }
    query = url.query.map(Matcher.canonical)
    segments = url.path.split(separator: "/", omittingEmptySubsequences: false).map { Segment($0) }
  }

  /// A segment of a path; an escaped star or brace is literal text.
  private enum Segment: Sendable, Hashable {
    case text(String)
    /// Any segment that is not empty.
    case any
    /// Any number of segments, to the end of the path.
    case rest

    static let all: [Segment] = [.text(""), .rest]

    init(_ text: Substring) {
      switch text {
      case "**": self = .rest
      case "*": self = .any
      default:
        let isVariable = text.hasPrefix("{") && text.hasSuffix("}")
        self = isVariable ? .any : .text(String(text).canonicalPath)
      }
    }
  }

  /// Creates a pattern from a literal, which may have interpolations.
  public init(stringLiteral value: String) { self.init(value) }

  /// Whether the pattern is for tunnels only.
  var isForTunnels: Bool { method == "CONNECT" }

  /// Returns the method of RFC 9110 §9.3 or RFC 5789 that differs from a text only in case.
  package static func meant(_ method: String) -> String? {
    let capitals = method.uppercased()
    return method != capitals && methods.contains(capitals[...]) ? capitals : nil
  }

  /// Returns whether a request may match if its query is unknown, and its host as well if it has
  /// none.
  package func mayMatch(_ request: Request) -> Bool {
    var part = self
    part.query = nil
    if request.url.host == nil { part.host = nil }
    return part.matches(request)
  }

  /// Returns whether a request matches the pattern.
  public func matches(_ request: Request) -> Bool {
    if let method, method != request.method { return false }
    if let host, !host.matches(request.url) { return false }
    // A tunnel has no path, so a pattern for a part of a host does not match it.
    if request.method == "CONNECT" { return segments == Segment.all && query == nil }
    // A star alone is the target that names the whole server.
    if request.url.isWholeServer { return segments == [.any] || segments == Segment.all }
    if let query, query != Matcher.canonical(query: request.url.query ?? "") { return false }
    let asked = request.url.path.canonicalPath.split(
      separator: "/",
      omittingEmptySubsequences: false
    )
    for (index, segment) in segments.enumerated() {
      if segment == .rest { return true }
      guard index < asked.count else { return false }
      let isSame = if case .text(let text) = segment { text == asked[index] } else { true }
      if !isSame || segment == .any && asked[index].isEmpty { return false }
    }
    return segments.count == asked.count
  }
}

/// A pattern of hosts: a name, any subdomain (`*.example.com`), or any host (`*`).
private struct HostPattern: Sendable, Hashable {
  private let name: String
  private let port: Int?

  init(name: String, port: Int? = nil) {
    self.name = name.lowercased()
    self.port = port
  }

  func matches(_ url: RequestURL) -> Bool {
    if let port, port != url.effectivePort { return false }
    if name == "*" { return true }
    guard let host = url.host else { return false }
    return name.hasPrefix("*.") ? host.hasSuffix(name.dropFirst()) : host == name
  }
}

extension RequestPattern {
  /// The reason why a pattern that a user wrote matches no real request, and the probable
  /// intention.
  package struct Problem: Sendable, Hashable {
    package var problem: String
    package var fix: String
  }

  private static let methods: Set<Substring> = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
  ]

  /// Returns the problem of a pattern that a user wrote; `nil` if it has none.
  ///
  /// A pattern can be created from any text, and some texts match nothing, which users should
  /// learn.
  package static func problem(with text: String) -> Problem? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count <= 2, let target = words.last, !target.isEmpty else {
      return Problem(
        problem: "\"\(text)\" is not a request pattern",
        fix: "Write a method or *, one space, and a path, such as \"GET /home\"."
      )
    }
    if words.count == 2, !methods.contains(words[0]),
      methods.contains(Substring(words[0].uppercased()))
    {
      return Problem(
        problem: "\"\(words[0])\" is not a method that clients send: methods are case-sensitive",
        fix: "Write \"\(words[0].uppercased()) \(target)\"."
      )
    }
    if words.count == 2, words[0] == "CONNECT" { return nil }
    guard target == "*" || target == "**" || target.hasPrefix("/") || target.contains("://") else {
      return Problem(
        problem: "\"\(target)\" is not a path: it does not begin with /",
        fix: "Write for example \"GET /home\", or a whole URL."
      )
    }
    let path = RequestURL(String(target)).path
    let odd = path.split(separator: "/").first { $0.contains("*") && $0 != "*" && $0 != "**" }
    guard let odd else { return nil }
    return Problem(
      problem: "\"\(odd)\" matches only itself: * is a whole segment",
      fix: "Write * for one segment, or ** for the rest of a path."
    )
  }
}
