public import Foundation

/// The first part of the layer: it builds requests for endpoints.
public protocol Builder: Sendable {
  /// Returns the request for an endpoint. Equal endpoints have equal requests.
  func request(for endpoint: Endpoint) throws(RequestError) -> URLRequest
}

/// A builder that appends paths to one base URL and adds common header fields to every request.
public struct RequestBuilder: Builder {
  /// The URL that every path is appended to.
  ///
  /// Its own path is kept as a prefix, with or without a trailing slash.
  public var baseURL: URL { didSet { base = Self.base(baseURL) } }
  /// The header fields of every request. An endpoint's own fields replace them.
  public var commonHeaders: Headers
  /// The query parameters of every request, after the endpoint's own.
  public var commonParameters: [Headers.Field]
  /// The links that requests may use, checked before any middleware; `nil` allows any.
  public var links: LinkRules?
  /// The base URL as text; `nil` if paths cannot be appended to it.
  private var base: String?

  /// Creates a builder with a base URL.
  public init(
    baseURL: URL,
    commonHeaders: Headers = [:],
    commonParameters: [Headers.Field] = [],
    links: LinkRules? = nil
  ) {
    self.baseURL = baseURL
    base = Self.base(baseURL)
    (self.commonHeaders, self.commonParameters) = (commonHeaders, commonParameters)
    self.links = links
  }

  /// Returns the request for an endpoint, or throws the reason if it is invalid.
  public func request(for endpoint: Endpoint) throws(RequestError) -> URLRequest {
    let method = endpoint.method.rawValue
    guard method.isToken else { throw .method(method) }
    guard endpoint.body == nil || endpoint.method.mayCarryContent else {
      throw .bodyNotAllowed(method: method)
    }
    let url = try url(for: endpoint)
    if let links, !links.allows(url) {
      // The query may contain a secret.
      throw .link(String(url.absoluteString.prefix { $0 != "?" }))
    }
    var request = URLRequest(url: url)
    // Values that a request has by default are not set again, because each change costs time.
    if method != "GET" { request.httpMethod = method }
    var headers = commonHeaders
    if let body = endpoint.body {
      request.httpBody = body.data
      if let type = body.contentType { headers["Content-Type"] = type }
    }
    for field in headers.replacing(with: endpoint.headers).fields {
      guard field.name.isToken else { throw .headerName(field.name) }
      guard field.value.isFieldValue else { throw .headerValue(name: field.name) }
      request.addValue(field.value, forHTTPHeaderField: field.name)
    }
    return request
  }

  /// Joins strings, not URLs: resolving against a base (RFC 3986 §5.2) would drop the base's path.
  private func url(for endpoint: Endpoint) throws(RequestError) -> URL {
    guard let base else { throw .baseURL(baseURL.absoluteString) }
    let path = try escapedPath(endpoint.path)
    var text = path.isEmpty ? base : base.withoutSlash + path
    var query = try endpoint.query.map { query throws(RequestError) in
      try escapedQuery(query.encoded)
    }
    if !commonParameters.isEmpty { query = Query.joined(query, commonParameters.encoded) }
    if let query { text += "?" + query }
    guard let url = URL(string: text) else { throw .baseURL(base) }
    return url
  }

  private static func base(_ url: URL) -> String? {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil
    else { return nil }
    return url.absoluteString
  }

  private func escapedPath(_ path: String) throws(RequestError) -> String {
    // Compares bytes, because iterating over characters takes far longer.
    let bytes = path.utf8
    guard bytes.first.map({ $0 == UInt8(ascii: "/") }) ?? true else { throw .path(path, .relative) }
    if bytes.contains(UInt8(ascii: "?")) { throw .path(path, .questionMark) }
    if bytes.contains(UInt8(ascii: "#")) { throw .path(path, .fragment) }
    guard let escaped = Escaping.ofPath(path) else { throw .path(path, .strayPercent) }
    guard !escaped.hasDotSegment else { throw .path(path, .dotSegment) }
    return escaped
  }

  private func escapedQuery(_ query: String) throws(RequestError) -> String {
    if query.contains("#") { throw .query(query, .fragment) }
    guard let escaped = Escaping.ofQuery(query) else { throw .query(query, .strayPercent) }
    return escaped
  }
}

extension String {
  /// Whether the string is a token: one or more `tchar` (RFC 9110 §5.6.2).
  var isToken: Bool { !isEmpty && Self.tokenCharacters.containsAll(of: self) }

  private static let tokenCharacters = ByteSet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"
  )

  /// Whether a segment is `.` or `..` (RFC 3986 §3.3). An escaped dot counts as a dot (§6.2.2.2).
  fileprivate var hasDotSegment: Bool {
    // Only paths with a segment that begins with a dot or an escape are split, and few have one.
    var isStart = true
    let isSuspect = utf8.contains { byte in
      defer { isStart = byte == UInt8(ascii: "/") }
      return isStart && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%"))
    }
    guard isSuspect else { return false }
    let segments = lowercased().replacingOccurrences(of: "%2e", with: ".").split(separator: "/")
    return segments.contains(".") || segments.contains("..")
  }

  /// Whether the string has no control character except the tab (RFC 9110 §5.5).
  var isFieldValue: Bool {
    unicodeScalars.allSatisfy { $0 == "\t" || ($0.value >= 0x20 && $0.value != 0x7F) }
  }
}
