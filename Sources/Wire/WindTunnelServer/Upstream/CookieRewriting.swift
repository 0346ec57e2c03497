internal import WindTunnel

/// The rewriting of cookies of a recorded origin for a client of this server, as reverse proxies
/// do. The cassette has the original.
enum CookieRewriting {
  /// The prefix that is added, over clear text, to a name that requires TLS (RFC 6265bis §4.1.3).
  private static let mark = "windtunnel"

  /// Returns the value of `Set-Cookie` for a client that uses this host name for the server.
  ///
  /// `Domain` is removed if it does not cover the host (RFC 6265 §5.1.3). Over clear text, `Secure`
  /// is also removed, with the attributes that browsers accept only together with it.
  static func played(_ cookie: String, at host: String, isSecure: Bool) -> String {
    let parts = cookie.split(separator: ";", omittingEmptySubsequences: false)
    let attributes = parts.dropFirst().filter { keeps($0, at: host, isSecure: isSecure) }
    let demandsTLS = ["__host-", "__secure-"].contains { parts[0].lowercased().hasPrefix($0) }
    let pair = demandsTLS && !isSecure ? mark + parts[0] : String(parts[0])
    return ([pair] + attributes.map(String.init)).joined(separator: ";")
  }

  private static func keeps(_ attribute: Substring, at host: String, isSecure: Bool) -> Bool {
    let words = attribute.lowercased().split(separator: "=", maxSplits: 1).map {
      String($0.trimmingOptionalWhitespace())
    }
    switch (words.first, words.last) {
    case ("domain", let domain?):
      let domain = domain.drop { $0 == "." }
      return host == domain || host.hasSuffix(".\(domain)")
    case ("secure", _), ("partitioned", _), ("samesite", "none"): return isSecure
    default: return true
    }
  }

  /// Returns the value of `Cookie` with the recorded names.
  static func recorded(_ cookies: String) -> String {
    guard cookies.contains("\(mark)__") else { return cookies }
    return cookies.split(separator: "; ", omittingEmptySubsequences: false).map { pair in
      let isMarked =
        pair.lowercased().hasPrefix("\(mark)__host-")
        || pair.lowercased().hasPrefix("\(mark)__secure-")
      return isMarked ? pair.dropFirst(mark.count) : pair
    }.joined(separator: "; ")
  }
}
