public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The first part of the layer: turns what a caller wants into what can be sent.
public protocol Builder: Sendable {
  /// Makes the request of an endpoint; the same endpoint makes the same request.
  func request(for endpoint: Endpoint) throws(RequestError) -> URLRequest
}

/// Puts endpoints under one base URL and gives every request the same fields.
public struct RequestBuilder: Builder {
  /// What every path is put under.
  ///
  /// Its own path is kept as a prefix, with or without a slash at its end.
  public var baseURL: URL
  /// Fields of every request; an endpoint's own replace them.
  public var commonHeaders: Headers
  /// Names and values in the query of every request, behind the endpoint's own.
  public var commonParameters: [Headers.Field]

  /// Builds under a base URL.
  public init(
    baseURL: URL,
    commonHeaders: Headers = [:],
    commonParameters: [Headers.Field] = []
  ) {
    self.baseURL = baseURL
    self.commonHeaders = commonHeaders
    self.commonParameters = commonParameters
  }

  /// Makes the request of an endpoint, or says what is impossible about it.
  public func request(for endpoint: Endpoint) throws(RequestError) -> URLRequest {
    let method = endpoint.method.rawValue
    guard method.isToken else { throw .method(method) }
    guard endpoint.body == nil || endpoint.method.mayCarryContent else {
      throw .bodyNotAllowed(method: method)
    }
    var request = URLRequest(url: try url(for: endpoint))
    request.httpMethod = method
    request.httpBody = endpoint.body
    for field in commonHeaders.replacing(with: endpoint.headers).fields {
      guard field.name.isToken else { throw .headerName(field.name) }
      guard field.value.isFieldValue else { throw .headerValue(name: field.name) }
      request.addValue(field.value, forHTTPHeaderField: field.name)
    }
    return request
  }

  /// Joins texts, not URLs: resolving against a base (RFC 3986 §5.2) would drop the base's path.
  private func url(for endpoint: Endpoint) throws(RequestError) -> URL {
    let base = baseURL.absoluteString
    guard let scheme = baseURL.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = baseURL.host, !host.isEmpty, baseURL.query == nil, baseURL.fragment == nil
    else { throw .baseURL(base) }
    let path = try escapedPath(endpoint.path)
    var text = path.isEmpty ? base : (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
    var query = try endpoint.query.map { query throws(RequestError) in
      try escapedQuery(query.encoded)
    }
    if !commonParameters.isEmpty {
      let common = Query(commonParameters.map { (name: $0.name, value: $0.value) }).encoded
      query = [query, common].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "&")
    }
    if let query { text += "?" + query }
    guard let url = URL(string: text) else { throw .baseURL(base) }
    return url
  }

  private func escapedPath(_ path: String) throws(RequestError) -> String {
    guard path.isEmpty || path.hasPrefix("/") else { throw .path(path, .relative) }
    if path.contains("?") { throw .path(path, .questionMark) }
    if path.contains("#") { throw .path(path, .fragment) }
    guard let escaped = Escaping.ofPath(path) else { throw .path(path, .strayPercent) }
    // RFC 3986 §6.2.2.2: an escaped dot is a dot.
    let segments = escaped.lowercased().replacingOccurrences(of: "%2e", with: ".")
      .split(separator: "/")
    guard !segments.contains("."), !segments.contains("..") else { throw .path(path, .dotSegment) }
    return escaped
  }

  private func escapedQuery(_ query: String) throws(RequestError) -> String {
    if query.contains("#") { throw .query(query, .fragment) }
    guard let escaped = Escaping.ofQuery(query) else { throw .query(query, .strayPercent) }
    return escaped
  }
}

extension String {
  /// RFC 9110 §5.6.2: one or more of `tchar`.
  fileprivate var isToken: Bool {
    !isEmpty
      && unicodeScalars.allSatisfy { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            || "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar))
      }
  }

  /// RFC 9110 §5.5: no control character but the tab.
  fileprivate var isFieldValue: Bool {
    unicodeScalars.allSatisfy { $0 == "\t" || ($0.value >= 0x20 && $0.value != 0x7F) }
  }
}
