internal import Foundation
internal import WindTunnel

/// Whose name a request and its answer bear.
///
/// A client asks this server by its own address. On the tape stands the origin that was recorded,
/// so that one takes the other's place before matching, and this server's takes it back in
/// `Location` and nowhere else.
struct Authority {
  /// How the client calls this server, such as `127.0.0.1:8080`.
  private let own: String
  /// What the client means by it.
  private let meant: RequestURL?
  private var lane: Lane?
  private let port: Int
  private let origins: [String]

  init(of head: RequestHead, in house: House) {
    let host = head.headers["Host"] ?? ""
    port = house.port
    own = host.isEmpty ? "127.0.0.1:\(house.port)" : host
    let options = house.options
    let tape = options.recordedOrigin ?? options.upstream?.url ?? house.deck.origin
    let named = RequestURL("http://\(host)")
    let isOwn = Self.isOwn(named, port: house.port)
    meant = isOwn || host.isEmpty || options.upstream != nil ? tape : named
    origins = [tape?.origin, options.upstream?.url.origin, "http://\(own)", Self.told(options)]
      .compactMap { $0 }
    var probe = Request(head.method, head.url)
    lane = Lane.take(from: &probe)
  }

  /// What a recorded upstream calls itself: it is told the recorded name, but asked over plain HTTP.
  private static func told(_ options: ReplayServer.Options) -> String? {
    guard options.upstream != nil, var url = options.recordedOrigin else { return nil }
    url.scheme = "http"
    return url.origin
  }

  private static func isOwn(_ url: RequestURL, port: Int) -> Bool {
    guard (url.port ?? 80) == port else { return false }
    return url.host == "localhost" || url.host == "[::1]" || url.host?.hasPrefix("127.") == true
  }

  /// The request as it is matched and recorded: with the origin it is meant for, without what
  /// belongs to this connection (RFC 9110 §7.6.1).
  func request(_ head: RequestHead, _ body: Data) -> Request {
    var url = head.url
    // RFC 9112 §3.2.2: the target may be a whole URL, to this server, too.
    if url.host == nil || Self.isOwn(url, port: port) {
      (url.scheme, url.host, url.port) = (meant?.scheme, meant?.host, meant?.port)
    }
    var headers = head.headers
    headers.removeConnectionFields()
    headers.remove("Host")
    headers.remove("Expect")
    return Request(head.method, url, headers: headers, body: Body(body))
  }

  /// Lets a redirect come back to this server and, if the request named one, to its lane.
  func localise(_ head: inout ResponseHead) {
    guard let location = head.headers["Location"] else { return }
    let base = lane?.basePath ?? ""
    if location.hasPrefix("/"), !location.hasPrefix("//") {
      if !base.isEmpty { head.headers["Location"] = base + location }
      return
    }
    let url = RequestURL(location)
    guard let origin = url.origin, origins.contains(origin) else { return }
    head.headers["Location"] = "http://\(own)\(base)\(url.target)\(Self.fragment(of: location))"
  }

  /// Puts the tape's origin where an upstream's redirect names itself.
  func recorded(_ head: ResponseHead) -> ResponseHead {
    guard let location = head.headers["Location"], let meant else { return head }
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
  /// Takes out what speaks of one connection only (RFC 9110 §7.6.1), but for the mark of content
  /// that had no length beforehand, which may stay at its place.
  mutating func removeConnectionFields(keepingCoding keepsCoding: Bool = false) {
    for name in values("Connection").flatMap({ $0.split(separator: ",") }) {
      let name = String(name.trimmingOptionalWhitespace())
      // `Connection: close` names no field.
      if !name.equalsIgnoringASCIICase("close") { remove(name) }
    }
    for name in ["Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade"] {
      remove(name)
    }
    if keepsCoding { self["Transfer-Encoding"] = "chunked" } else { remove("Transfer-Encoding") }
  }
}
