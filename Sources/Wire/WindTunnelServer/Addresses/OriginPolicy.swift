public import WindTunnel

/// A policy of the host names by which a server may be addressed, and of the web pages that may
/// send requests to it.
///
/// Any web page can make a browser send requests to a local server. It uses the server's own
/// address, or a name of the page's owner that temporarily resolves to 127.0.0.1 (DNS rebinding).
/// The browser reports both. The page is in `Origin` (RFC 6454 §7) and, in requests without it, in
/// `Sec-Fetch-Site` and `Referer`. The name is in `Host` (RFC 9110 §7.2). Other programs send no
/// `Origin`.
public struct OriginPolicy: Sendable, Hashable {
  /// An origin that is allowed in addition to this machine's own.
  public enum Allowed: Sendable, Hashable {
    /// Every page and every name, written as `*`.
    case every
    /// Pages without an origin, such as a file's, for which a browser sends `null`.
    case opaque
    /// Pages of this origin; its host is allowed as a name of this server, on every port.
    case origin(RequestURL)

    /// Parses `https://app.example.com`, `null` or `*`; `nil` for anything else.
    public init?(_ text: String) {
      switch text {
      case "*": self = .every
      case "null": self = .opaque
      default:
        let url = RequestURL(text)
        guard let scheme = url.scheme, ["http", "https"].contains(scheme),
          url.host?.isEmpty == false, url.userInfo == nil, url.target == "/"
        else { return nil }
        self = .origin(url)
      }
    }
  }

  /// A request that is not allowed.
  enum ForeignRequest: Sendable, Hashable {
    /// The request addresses another host than this server, with this name.
    case host(String)
    /// The request is from a page of this origin.
    case page(String)
  }

  private let allowed: [Allowed]

  /// Creates a policy that allows this machine's own names and pages, and some others.
  public init(allowing allowed: [Allowed] = []) { self.allowed = allowed }

  /// Returns why a request is not allowed; `nil` if it is.
  ///
  /// `host` is the name by which the server was addressed, with its port if there was one. `isOwn`
  /// returns whether a name belongs to the server. The names of this machine always do.
  func stranger(
    in headers: HeaderFields,
    askedAs host: String,
    isOwn: (String) -> Bool = { _ in false }
  ) -> ForeignRequest? {
    if allowed.contains(.every) { return nil }
    let name = RequestURL("http://\(host)").host ?? ""
    guard Self.isThisMachine(name) || isOwn(name) || isAllowed(asHost: name) else {
      return .host(host)
    }
    guard let page = Self.page(of: headers), !isAllowed(page: page, asking: name) else {
      return nil
    }
    return .page(page)
  }

  /// Returns the name by which a request addresses a server, with its port if there is one.
  static func name(in url: RequestURL, _ headers: HeaderFields) -> String {
    // An absolute URL takes precedence (RFC 9112 §3.2.2).
    url.host.map { $0 + (url.port.map { ":\($0)" } ?? "") } ?? headers["Host"] ?? ""
  }

  /// Returns why a request is not allowed at a port that serves only its own page; `nil` if it is.
  ///
  /// Pages at other ports of this machine are also rejected. The port may have a name in addition
  /// to the machine's.
  static func strangerAtOwnPort(_ url: RequestURL, _ headers: HeaderFields, own: String? = nil)
    -> ForeignRequest?
  {
    let name = name(in: url, headers)
    let page = headers["Origin"].flatMap {
      $0.lowercased() == "http://\(name.lowercased())" ? nil : ForeignRequest.page($0)
    }
    return OriginPolicy().stranger(in: headers, askedAs: name, isOwn: { $0 == own }) ?? page
  }

  /// Whether a name always means this machine: `localhost` and its subdomains (RFC 6761 §6.3), and
  /// loopback addresses.
  private static func isThisMachine(_ name: String) -> Bool {
    name == "localhost" || name.hasSuffix(".localhost")
      || PrivateAddress.isLoopback(name.withoutBrackets)
  }

  private func isAllowed(asHost name: String) -> Bool {
    allowed.contains { if case .origin(let url) = $0 { url.host == name } else { false } }
  }

  private func isAllowed(page: String, asking name: String) -> Bool {
    let url = RequestURL(page)
    guard let host = url.host else { return page == "null" && allowed.contains(.opaque) }
    // A page of the server itself has the name by which the server is addressed.
    if Self.isThisMachine(host) || host == name { return true }
    return allowed.contains {
      if case .origin(let other) = $0 { other.origin == url.origin } else { false }
    }
  }

  /// Returns the origin of the page that sent a request; `nil` if no page did.
  ///
  /// Images and scripts are requested without `Origin`, but with a marker that another site
  /// requests them. Following a link to the server counts as leaving that site.
  private static func page(of headers: HeaderFields) -> String? {
    if let origin = headers["Origin"] { return origin }
    guard headers["Sec-Fetch-Site"] == "cross-site" else { return nil }
    if headers["Sec-Fetch-Mode"] == "navigate", headers["Sec-Fetch-Dest"] == "document" {
      return nil
    }
    return headers["Referer"].flatMap { RequestURL($0).origin } ?? "null"
  }
}
