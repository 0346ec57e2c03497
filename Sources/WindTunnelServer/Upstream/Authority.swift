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
    let context: PortContext
    /// Whom the request names: the host of a whole URL, which prevails, else the `Host` field
    /// (RFC 9112 §3.2.2); empty where there is neither.
    let host: String
    /// By which scheme the client speaks to this server.
    let scheme: String
    /// What the client means by its name for this server.
    let meant: RequestURL?
    /// Whose recordings were played when that was settled: another tape may be of another origin.
    let tape: RequestURL?

    /// Whether the place is settled whatever a request names.
    let isSettled: Bool

    init(_ host: String, in context: PortContext, by scheme: String) {
      (self.context, self.host, self.scheme) = (context, host, scheme)
      tape = Authority.tape(context)
      meant = Authority.meant(host, context, scheme, tape)
      isSettled = false
    }

    /// In an open tunnel every request is meant for the place that the tunnel leads to.
    init(tunnelTo url: RequestURL, in context: PortContext) {
      (self.context, host, scheme, meant, tape) = (context, url.host ?? "", "https", url, nil)
      isSettled = true
    }
  }

  let naming: Naming
  /// What was asked for, as the request line has it.
  let asked: RequestURL
  /// In front of the paths of another host that is asked by an address of this server.
  let elsewhere: String?

  var context: PortContext { naming.context }
  var scheme: String { naming.scheme }
  var meant: RequestURL? { naming.meant }

  /// Reads a request; `last` is how the one before it on the connection was named.
  init(of head: RequestHead, in context: PortContext, by scheme: String, after last: Naming? = nil)
  {
    let url = head.url
    let named = url.host.map { name in url.port.map { "\(name):\($0)" } ?? name }
    let host = named ?? head.headers["Host"] ?? ""
    if let last, last.host == host, last.scheme == scheme, last.context === context,
      last.tape == Self.tape(context)
    {
      naming = last
    } else {
      naming = Naming(host, in: context, by: scheme)
    }
    let place = context.options.leadsBack ? RedirectRewriting.url(of: url) : nil
    asked = place ?? url
    elsewhere = place.flatMap(RedirectRewriting.basePath)
  }

  /// Reads a request of which is known whom it is meant for.
  init(of head: RequestHead, named naming: Naming) {
    (self.naming, asked, elsewhere) = (naming, head.url, nil)
  }

  /// How the client calls this server, such as `127.0.0.1:8080`.
  var own: String { naming.host.isEmpty ? "127.0.0.1:\(context.port)" : naming.host }

  private var tape: RequestURL? { Self.tape(context) }

  private static func tape(_ context: PortContext) -> RequestURL? {
    context.options.recordedOrigin ?? context.options.upstream?.url ?? context.deck.origin
  }

  private static func meant(
    _ host: String,
    _ context: PortContext,
    _ scheme: String,
    _ tape: RequestURL?
  ) -> RequestURL? {
    if context.options.proxy != nil { return nil }
    if host.isEmpty { return tape }
    let named = RequestURL("\(scheme)://\(host)")
    if context.options.upstream != nil {
      // A host that is ignored at every port may be this machine.
      if isOwn(named, context) { return tape }
      // By the scheme that the host is asked by, which need not be the client's.
      return context.options.ignoredHost(named)?.url ?? tape
    }
    return isOwn(named, context) ? tape : named
  }

  /// What an answer may call the place that was asked.
  private var origins: [String] {
    let options = context.options
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

  private static func isOwn(_ url: RequestURL, _ context: PortContext) -> Bool {
    guard (url.effectivePort ?? 80) == context.port else { return false }
    if let domain = context.options.domain, url.host?.hasSuffix(".\(domain)") == true {
      return true
    }
    return url.host == "localhost" || url.host == "[::1]" || url.host?.hasPrefix("127.") == true
  }

  /// The request as it is matched and recorded: with the origin it is meant for, without what
  /// belongs to this connection (RFC 9110 §7.6.1).
  func request(_ head: RequestHead, _ body: Data) -> Request {
    var url = asked
    // RFC 9112 §3.2.2: the target may be a whole URL, to this server, too.
    if url.host == nil || naming.isSettled || Self.isOwn(url, context) {
      (url.scheme, url.host, url.port) = (meant?.scheme, meant?.host, meant?.port)
    }
    var headers = head.headers
    headers.removeConnectionFields(asServer: true)
    return Request(head.method, url, headers: headers, body: Body(body))
  }

  /// Lets a redirect come back to this server and, if the request named one, to its lane.
  func localise(_ head: inout ResponseHead) {
    // A proxy's client calls everybody by their own names.
    guard context.options.proxy == nil, let location = head.headers["Location"] else { return }
    let base = lane?.basePath ?? ""
    if location.hasPrefix("/"), !location.hasPrefix("//") {
      let base = elsewhere ?? base
      if !base.isEmpty { head.headers["Location"] = base + location }
      return
    }
    guard let url = Self.url(of: location, amongst: origins) else { return leadBack(&head) }
    head.headers["Location"] =
      "\(scheme)://\(own)\(base)\(url.target)\(Self.fragment(of: location))"
  }

  /// Where a redirect leads, if that is one of these places. Without a scheme it keeps the one that
  /// the origin was asked by (RFC 3986 §4.2).
  private static func url(of location: String, amongst origins: [String]) -> RequestURL? {
    let spellings = location.hasPrefix("//") ? ["http:", "https:"] : [""]
    return spellings.lazy.map { RequestURL($0 + location) }
      .first { $0.origin.map(origins.contains) ?? false }
  }

  /// Puts the tape's origin where an upstream names itself: in redirects, and where the tape has
  /// another origin than the upstream's, wherever else a field has an address.
  func recorded(_ head: ResponseHead) -> ResponseHead {
    guard context.options.proxy == nil, let meant else { return head }
    var head = head
    let origins = origins
    func named(_ value: String) -> String {
      OriginRenaming.rename(value, origins, to: meant)
    }
    if context.options.recordedOrigin != nil {
      head.headers = HeaderFields(
        head.headers.map { HeaderField($0.name, named($0.value)) }
      )
    } else if let location = head.headers["Location"] {
      head.headers["Location"] = named(location)
    }
    return head
  }

  /// A failure's own words as the tape has them: without an address of this machine.
  func recorded(_ text: String, of upstream: Upstream) -> String {
    guard let name = context.options.recordedOrigin, let host = name.host else { return text }
    let port = upstream.url.effectivePort ?? 80
    let places = upstream.addresses.map { "\($0)" } + ["\(upstream.url.host ?? ""):\(port)"]
    let authority = host + (name.port.map { ":\($0)" } ?? "")
    return places.reduce(text) { $0.replacing($1, with: authority) }
  }

  /// A fragment is the client's affair, and a redirect may bring one (RFC 9110 §10.2.2).
  static func fragment(of location: String) -> Substring {
    location.firstIndex(of: "#").map { location[$0...] } ?? ""
  }
}
