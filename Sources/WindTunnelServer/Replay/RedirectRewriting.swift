internal import WindTunnel

/// Places of other hosts by addresses of this server: `/.windtunnel-elsewhere/https/a.example:8443/x`
/// stands for `https://a.example:8443/x`.
///
/// Where redirects are led back here, a client that follows one to another host asks this server for
/// it, and so never leaves.
enum RedirectRewriting {
  private static let prefix = "/.windtunnel-elsewhere/"

  /// The path in front of every path of a host.
  static func basePath(of url: RequestURL) -> String? {
    guard let scheme = url.scheme, scheme == "http" || scheme == "https", let host = url.host
    else { return nil }
    return "\(prefix)\(scheme)/\(host)\(url.port.map { ":\($0)" } ?? "")"
  }

  /// The place that an address of this server stands for.
  static func url(of asked: RequestURL) -> RequestURL? {
    guard asked.path.hasPrefix(prefix) else { return nil }
    let parts = asked.path.dropFirst(prefix.count)
      .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0] == "http" || parts[0] == "https", !parts[1].isEmpty else {
      return nil
    }
    let path = parts.count == 3 ? parts[2] : ""
    return RequestURL("\(parts[0])://\(parts[1])/\(path)\(asked.query.map { "?\($0)" } ?? "")")
  }
}

extension Authority {
  /// Lets a redirect to another host come back to this server, where nothing may leave it.
  func leadBack(_ head: inout ResponseHead) {
    guard context.options.leadsBack, let location = head.headers["Location"] else { return }
    // RFC 3986 §4.2: by the scheme of the place that was asked.
    let here = elsewhere == nil ? meant?.scheme : asked.scheme
    let url = RequestURL(location.hasPrefix("//") ? "\(here ?? scheme):\(location)" : location)
    guard !context.deck.ignores(url), let base = RedirectRewriting.basePath(of: url) else { return }
    head.headers["Location"] =
      "\(scheme)://\(own)\(base)\(url.target)\(Self.fragment(of: location))"
  }
}
