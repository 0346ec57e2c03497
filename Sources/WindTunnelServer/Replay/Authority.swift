internal import Foundation
internal import WindTunnel

/// Whose name a request and its answer bear.
///
/// A client asks this server by its own address. On the tape stands the origin that was recorded,
/// so that one takes the other's place before matching, and this server's takes it back in
/// `Location` and nowhere else.
struct Authority {
  /// By what name a client speaks to this server: the same for most requests of a connection.
  final class Naming {
    let house: House
    /// Whom the request names: the host of a whole URL, which prevails, else the `Host` field
    /// (RFC 9112 §3.2.2); empty where there is neither.
    let host: String
    /// By which scheme the client speaks to this server.
    let scheme: String
    /// What the client means by its name for this server.
    let meant: RequestURL?

    /// Whether the place is settled whatever a request names.
    let isSettled: Bool

    init(_ host: String, in house: House, by scheme: String) {
      (self.house, self.host, self.scheme) = (house, host, scheme)
      meant = Authority.meant(host, house, scheme)
      isSettled = false
    }

    /// In an open tunnel every request is meant for the place that the tunnel leads to.
    init(tunnelTo url: RequestURL, in house: House) {
      (self.house, host, scheme, meant) = (house, url.host ?? "", "https", url)
      isSettled = true
    }
  }

  let naming: Naming
  /// What was asked for, as the request line has it.
  private let asked: RequestURL

  private var house: House { naming.house }
  private var scheme: String { naming.scheme }
  private var meant: RequestURL? { naming.meant }

  /// Reads a request; `last` is how the one before it on the connection was named.
  init(of head: RequestHead, in house: House, by scheme: String, after last: Naming? = nil) {
    let url = head.url
    let named = url.host.map { name in url.port.map { "\(name):\($0)" } ?? name }
    let host = named ?? head.headers["Host"] ?? ""
    if let last, last.host == host, last.scheme == scheme, last.house === house {
      naming = last
    } else {
      naming = Naming(host, in: house, by: scheme)
    }
    asked = url
  }

  /// Reads a request of which is known whom it is meant for.
  init(of head: RequestHead, named naming: Naming) {
    (self.naming, asked) = (naming, head.url)
  }

  /// How the client calls this server, such as `127.0.0.1:8080`.
  private var own: String { naming.host.isEmpty ? "127.0.0.1:\(house.port)" : naming.host }

  private var tape: RequestURL? { Self.tape(house) }

  private static func tape(_ house: House) -> RequestURL? {
    house.options.recordedOrigin ?? house.options.upstream?.url ?? house.deck.origin
  }

  private static func meant(_ host: String, _ house: House, _ scheme: String) -> RequestURL? {
    if house.options.proxy != nil { return nil }
    if host.isEmpty { return tape(house) }
    let named = RequestURL("\(scheme)://\(host)")
    if house.options.upstream != nil {
      // By the scheme that the host is asked by, which need not be the client's.
      return house.options.ignoredHost(named)?.url ?? tape(house)
    }
    return isOwn(named, port: house.port) ? tape(house) : named
  }

  /// What an answer may call the place that was asked.
  private var origins: [String] {
    let options = house.options
    return [
      tape?.origin, options.upstream?.url.origin, RequestURL("\(scheme)://\(own)").origin,
      Self.told(options),
    ].compactMap { $0 }
  }

  private var lane: Lane? {
    var probe = Request("GET", asked)
    return Lane.take(from: &probe)
  }

  /// What a recorded upstream calls itself: it is told the recorded name, but asked by its own
  /// scheme.
  private static func told(_ options: ReplayServer.Options) -> String? {
    guard let upstream = options.upstream, var url = options.recordedOrigin else { return nil }
    url.scheme = upstream.url.scheme
    return url.origin
  }

  private static func isOwn(_ url: RequestURL, port: Int) -> Bool {
    guard (url.effectivePort ?? 80) == port else { return false }
    return url.host == "localhost" || url.host == "[::1]" || url.host?.hasPrefix("127.") == true
  }

  /// The request as it is matched and recorded: with the origin it is meant for, without what
  /// belongs to this connection (RFC 9110 §7.6.1).
  func request(_ head: RequestHead, _ body: Data) -> Request {
    var url = asked
    // RFC 9112 §3.2.2: the target may be a whole URL, to this server, too.
    if url.host == nil || naming.isSettled || Self.isOwn(url, port: house.port) {
      (url.scheme, url.host, url.port) = (meant?.scheme, meant?.host, meant?.port)
    }
    var headers = head.headers
    headers.removeConnectionFields(asServer: true)
    return Request(head.method, url, headers: headers, body: Body(body))
  }

  /// Lets a redirect come back to this server and, if the request named one, to its lane.
  func localise(_ head: inout ResponseHead) {
    // A proxy's client calls everybody by their own names.
    guard house.options.proxy == nil, let location = head.headers["Location"] else { return }
    let base = lane?.basePath ?? ""
    if location.hasPrefix("/"), !location.hasPrefix("//") {
      if !base.isEmpty { head.headers["Location"] = base + location }
      return
    }
    let url = RequestURL(location)
    guard let origin = url.origin, origins.contains(origin) else { return }
    head.headers["Location"] =
      "\(scheme)://\(own)\(base)\(url.target)\(Self.fragment(of: location))"
  }

  /// Puts the tape's origin where an upstream's redirect names itself.
  func recorded(_ head: ResponseHead) -> ResponseHead {
    guard house.options.proxy == nil, let location = head.headers["Location"], let meant else {
      return head
    }
    var url = RequestURL(location)
    guard let origin = url.origin, origins.contains(origin) else { return head }
    (url.scheme, url.host, url.port) = (meant.scheme, meant.host, meant.port)
    var head = head
    head.headers["Location"] = "\(url)\(Self.fragment(of: location))"
    return head
  }

  /// A fragment is the client's affair, and a redirect may bring one (RFC 9110 §10.2.2).
  private static func fragment(of location: String) -> Substring {
    location.firstIndex(of: "#").map { location[$0...] } ?? ""
  }
}

extension HeaderFields {
  /// Takes out what speaks of one connection only (RFC 9110 §7.6.1) and what a client and its proxy
  /// have between themselves (RFC 9110 §11.7), but for the mark of content
  /// that had no length beforehand, which may stay at its place.
  ///
  /// A server has read `Host` and `Expect`, too, and passes neither on.
  mutating func removeConnectionFields(
    keepingCoding keepsCoding: Bool = false,
    asServer isServer: Bool = false
  ) {
    let named = values("Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingOptionalWhitespace() }
      // `Connection: close` names no field.
      .filter { !$0.equalsIgnoringASCIICase("close") }
    self = HeaderFields(
      filter { field in
        if named.contains(where: { field.name.equalsIgnoringASCIICase($0) }) { return false }
        // The length rules most names out before a byte is compared.
        switch field.name.utf8.count {
        case 2: return !field.isNamed("TE")
        case 4: return !isServer || !field.isNamed("Host")
        case 6: return !isServer || !field.isNamed("Expect")
        case 7: return !field.isNamed("Trailer") && !field.isNamed("Upgrade")
        case 10: return !field.isNamed("Connection") && !field.isNamed("Keep-Alive")
        case 16: return !field.isNamed("Proxy-Connection")
        case 18: return !field.isNamed("Proxy-Authenticate")
        case 19: return !field.isNamed("Proxy-Authorization")
        case 25: return !field.isNamed("Proxy-Authentication-Info")
        case 17: return keepsCoding || !field.isNamed("Transfer-Encoding")
        default: return true
        }
      }
    )
    if keepsCoding { self["Transfer-Encoding"] = "chunked" }
  }
}
