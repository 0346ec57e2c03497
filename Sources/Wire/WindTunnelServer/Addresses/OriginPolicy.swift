public import WindTunnel

/// A policy of the host names by which a server may be addressed, and of the web pages that may
/// send requests to it.
///
/// Any web page can make its reader's browser send requests to a server of this machine: by the
/// server's own address, or by a name of the page's owner that points to 127.0.0.1 for the moment
/// (DNS rebinding). The browser reports both: the page in `Origin` (RFC 6454 §7) and, in requests
/// without it, in `Sec-Fetch-Site` and `Referer`; the name in `Host` (RFC 9110 §7.2). Other
/// programs send no `Origin`.
public struct OriginPolicy: Sendable, Hashable {
  /// An origin that is allowed beside this machine's own.
  public enum Allowed: Sendable, Hashable {
    /// Every page and every name, written `*`.
    case every
    /// Pages without an origin, such as a file's, for which a browser sends `null`.
    case opaque
    /// Pages of this origin; its host is allowed as a name of this server, at every port.
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

  /// A request that came from elsewhere.
  enum Stranger: Sendable, Hashable {
    /// The request names another host than this server, written like this.
    case host(String)
    /// The request comes from a page of this origin.
    case page(String)
  }

  private let allowed: [Allowed]

  /// Makes a policy that allows this machine's own names and pages, and some others.
  public init(allowing allowed: [Allowed] = []) { self.allowed = allowed }

  /// Returns in what a request is a stranger's; `nil` for one that is answered.
  ///
  /// `host` is the name that the server was asked by, with its port if there was one, and `isOwn`
  /// tells whether the server has a name beside those of this machine.
  func stranger(
    in headers: HeaderFields,
    askedAs host: String,
    isOwn: (String) -> Bool = { _ in false }
  ) -> Stranger? {
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

  /// Returns the name that a request asks a server by, with its port if there is one.
  static func name(in url: RequestURL, _ headers: HeaderFields) -> String {
    // RFC 9112 §3.2.2: a whole URL prevails.
    url.host.map { $0 + (url.port.map { ":\($0)" } ?? "") } ?? headers["Host"] ?? ""
  }

  /// Returns in what a request is a stranger's at a port that serves no page but its own: a page at
  /// another port of this machine is another's, too. The port may have a name of its own beside the
  /// machine's.
  static func strangerAtOwnPort(_ url: RequestURL, _ headers: HeaderFields, own: String? = nil)
    -> Stranger?
  {
    let name = name(in: url, headers)
    let page = headers["Origin"].flatMap {
      $0.lowercased() == "http://\(name.lowercased())" ? nil : Stranger.page($0)
    }
    return OriginPolicy().stranger(in: headers, askedAs: name, isOwn: { $0 == own }) ?? page
  }

  /// Tells whether a name is this machine's by itself: `localhost` and what ends in it (RFC 6761
  /// §6.3), and loopback addresses.
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
    // The server's own pages are of the name that it was asked by.
    if Self.isThisMachine(host) || host == name { return true }
    return allowed.contains {
      if case .origin(let other) = $0 { other.origin == url.origin } else { false }
    }
  }

  /// Returns the origin of the page that a request is of; `nil` where it is no page's.
  ///
  /// An image and a script are asked for without an `Origin`, but with the mark that another site
  /// does it. Whoever follows a link to the server has left that site.
  private static func page(of headers: HeaderFields) -> String? {
    if let origin = headers["Origin"] { return origin }
    guard headers["Sec-Fetch-Site"] == "cross-site" else { return nil }
    if headers["Sec-Fetch-Mode"] == "navigate", headers["Sec-Fetch-Dest"] == "document" {
      return nil
    }
    return headers["Referer"].flatMap { RequestURL($0).origin } ?? "null"
  }
}
