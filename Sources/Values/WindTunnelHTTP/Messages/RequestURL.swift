/// The URL of a request, parsed once and kept as it was written.
///
/// `Foundation.URL` normalises and differs between platforms, which matching must not. The parts
/// follow RFC 3986 §3. The fragment is dropped, because it is never sent.
public struct RequestURL: Sendable, Hashable, CustomStringConvertible {
  /// The scheme, `http` or `https` in lower case; `nil` if only a path was given.
  public var scheme: String? {
    get { site?.parts.scheme }
    set { edit { $0.scheme = newValue } }
  }
  /// The user information before the `@`, `user:password`, as it was written.
  public var userInfo: String? {
    get { site?.parts.userInfo }
    set { edit { $0.userInfo = newValue } }
  }
  /// The host in lower case, an IPv6 literal with its brackets; `nil` if only a path was given.
  public var host: String? {
    get { site?.parts.host }
    set { edit { $0.host = newValue } }
  }
  /// The port; `nil` if the URL contains none.
  public var port: Int? {
    get { site?.parts.port }
    set { edit { $0.port = newValue } }
  }
  /// The scheme and authority; `nil` if only a path was given.
  private var site: URLAuthority?
  /// The path as it was written, or `/` if it is missing. It is `*` if `OPTIONS` refers to the
  /// whole server (``init(_:askedBy:)``).
  public var path: String
  /// The query after the `?`, as it was written.
  public var query: String?

  /// Parses a URL. Without a scheme and `://`, the whole text is path and query.
  public init(_ text: String) {
    // All delimiters of a URL are ASCII, so the parser reads bytes rather than characters.
    var text = text
    self = text.withUTF8 { RequestURL($0[...]) }
  }

  /// The path of a request about the whole server.
  private static let wholeServerPath = "*"

  /// Parses the URL of a request with a method.
  ///
  /// `OPTIONS` with `*`, or with a URL without path and query, refers to the whole server (RFC 9112
  /// §3.2.4). Only such a request has the path `*`.
  public init(_ text: String, askedBy method: String) {
    self.init(text)
    guard method == "OPTIONS", query == nil, path == "/" || path == "/*" else { return }
    let authority = host == nil ? nil : text.firstRange(of: "://")?.upperBound
    let isWhole = authority.map { !text[$0...].contains("/") } ?? (text == Self.wholeServerPath)
    if isWhole { path = Self.wholeServerPath }
  }

  private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  private init(_ text: Bytes) {
    var rest = text
    if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      rest[colon...].starts(with: "://".utf8), Self.isScheme(rest[..<colon])
    {
      let scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
      rest = rest[(colon + 3)...]
      let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      site = URLAuthority(URLAuthority.Parts(scheme, rest[..<(end ?? rest.endIndex)]))
      rest = rest[(end ?? rest.endIndex)...]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
      rest = rest[..<mark]
    }
    path = String(decoding: rest, as: UTF8.self)
    if rest.first != UInt8(ascii: "/") { path = "/" + path }
  }

  /// Whether a text is a scheme (RFC 3986 §3.1): a letter, then letters, digits, `+`, `-` and `.`.
  private static func isScheme(_ text: Bytes) -> Bool {
    guard let first = text.first, first.isASCIILetter else { return false }
    return text.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
  }

  /// Changes the scheme or authority.
  private mutating func edit(_ change: (inout URLAuthority.Parts) -> Void) {
    var parts = site?.parts ?? URLAuthority.Parts()
    change(&parts)
    site = parts == URLAuthority.Parts() ? nil : URLAuthority(parts)
  }

  /// Shares the storage of scheme and authority with another URL if they are equal.
  package mutating func share(with other: RequestURL?) {
    if let site, let theirs = other?.site, site !== theirs, site == theirs { self.site = theirs }
  }

  /// The written port, or the scheme's default.
  public var effectivePort: Int? { port ?? (scheme == "https" ? 443 : scheme == "http" ? 80 : nil) }

  /// The origin, `scheme://host:port`, without the scheme's default port; `nil` if there is no
  /// host.
  public var origin: String? {
    host.map { "\(scheme ?? "http")://\($0)\(portOfItsOwn.map { ":\($0)" } ?? "")" }
  }

  /// Whether ``origin`` equals a text. Compares without building a string, because this is checked
  /// for every request.
  package func isOf(_ origin: String) -> Bool {
    guard let host else { return false }
    var origin = origin
    return origin.withUTF8 { bytes in
      var rest = bytes[...]
      return Self.skip(scheme ?? "http", &rest) && Self.skip("://", &rest)
        && Self.skip(host, &rest)
        && (portOfItsOwn.map { Self.skip(":\($0)", &rest) } ?? true) && rest.isEmpty
    }
  }

  private static func skip(_ part: String, _ rest: inout Bytes) -> Bool {
    var part = part
    return part.withUTF8 { part in
      guard rest.count >= part.count else { return false }
      for place in part.indices where part[place] != rest[rest.startIndex + place] { return false }
      rest = rest.dropFirst(part.count)
      return true
    }
  }

  /// The port; `nil` if it is missing or the scheme's default.
  private var portOfItsOwn: Int? { port == (scheme == "https" ? 443 : 80) ? nil : port }

  /// Whether the request refers to the whole server.
  public var isWholeServer: Bool { path == Self.wholeServerPath }

  /// The path and the query, as in a request line (RFC 9112 §3.2.1).
  public var target: String { query.map { "\(path)?\($0)" } ?? path }

  /// The whole URL, or the target if there is no host.
  public var description: String {
    guard let host else { return target }
    let user = userInfo.map { $0 + "@" } ?? ""
    // The URL for a whole server has no path (RFC 9112 §3.2.4).
    let target = isWholeServer ? "" : target
    return "\(scheme ?? "http")://\(user)\(host)\(port.map { ":\($0)" } ?? "")\(target)"
  }
}

extension RequestURL: ExpressibleByStringInterpolation {
  /// Creates a URL from a literal, which may contain interpolations.
  public init(stringLiteral value: String) { self.init(value) }
}

extension RequestURL {
  /// Returns the most frequent origin. If several are equally frequent, the first one is returned,
  /// so the result is deterministic.
  package static func mostFrequentOrigin(of requests: [Request]) -> RequestURL? {
    var places: [Origin: Int] = [:]
    var found: [(address: RequestURL, count: Int)] = []
    for request in requests {
      let address = request.url
      guard let origin = Origin(address) else { continue }
      if let place = places[origin] {
        found[place].count += 1
      } else {
        places[origin] = found.count
        found.append((address, 1))
      }
    }
    // If there are several maxima, this is the first.
    guard var origin = found.max(by: { $0.count < $1.count })?.address else { return nil }
    (origin.userInfo, origin.path, origin.query) = (nil, "/", nil)
    return origin
  }

  /// The parts of ``origin`` as a hashable value, without building a string.
  private struct Origin: Hashable {
    var scheme: String
    var host: String
    var port: Int?

    init?(_ address: RequestURL) {
      guard let host = address.host else { return nil }
      self.host = host
      scheme = address.scheme ?? "http"
      port = address.portOfItsOwn
    }
  }
}

/// The scheme and authority of a URL. A cassette has many URLs but few authorities, so they are
/// shared.
private final class URLAuthority: Sendable, Hashable {
  /// The parts, as in ``RequestURL``.
  struct Parts: Sendable, Hashable {
    var scheme: String?
    var userInfo: String?
    var host: String?
    var port: Int?

    init() {}

    /// Parses an authority (RFC 3986 §3.2): `[userinfo "@"] host [":" port]`.
    init(_ scheme: String, _ text: Slice<UnsafeBufferPointer<UInt8>>) {
      self.scheme = scheme
      var rest = text
      if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
        userInfo = String(decoding: rest[..<at], as: UTF8.self)
        rest = rest[(at + 1)...]
      }
      // An IPv6 literal contains colons.
      let isLiteral = rest.first == UInt8(ascii: "[")
      let literal = isLiteral ? rest.firstIndex(of: UInt8(ascii: "]")) : nil
      let behind = rest[(literal ?? rest.startIndex)...]
      if let colon = behind.lastIndex(of: UInt8(ascii: ":")) {
        let digits = rest[(colon + 1)...]
        port =
          digits.allSatisfy(\.isASCIIDigit)
          ? UInt16(String(decoding: digits, as: UTF8.self)).map(Int.init) : nil
        // An invalid port stays part of the host, because a silently changed URL is hard to debug.
        if port != nil || digits.isEmpty { rest = rest[..<colon] }
      }
      host = String(decoding: rest, as: UTF8.self).lowercased()
    }
  }

  let parts: Parts

  init(_ parts: Parts) { self.parts = parts }

  static func == (left: URLAuthority, right: URLAuthority) -> Bool {
    left === right || left.parts == right.parts
  }

  func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
