internal import Foundation
internal import WindTunnel

/// The mapping between the server's own name and the recorded origin, for one request and its
/// response.
///
/// A client calls this server by the server's address, but the cassette has the recorded origin.
/// Before matching, the recorded origin replaces the server's address. In the response, the
/// server's address replaces the recorded origin: in the fields whose URLs clients follow
/// (``URLField``), in cookies and, by an option, in JSON.
struct OriginMapping {
  /// The name by which a client calls this server; most requests of a connection use the same one.
  final class Naming {
    let context: OriginContext
    /// The host in the request: from an absolute URL, which has precedence, or else from the `Host`
    /// field (RFC 9112 §3.2.2). Empty if there is neither.
    let host: String
    /// The scheme by which the client connects to this server.
    let scheme: String
    /// The origin that the client means by its name for this server.
    let meant: RequestURL?
    /// The origin of the cassette when this was determined; another cassette may have another
    /// origin.
    let cassetteOrigin: RequestURL?

    /// Whether the destination is fixed, regardless of the names in requests.
    let isSettled: Bool

    init(_ host: String, in context: OriginContext, by scheme: String) {
      (self.context, self.host, self.scheme) = (context, host, scheme)
      (isSettled, cassetteOrigin) = (false, OriginMapping.cassetteOrigin(context))
      guard context.proxy == nil else {
        meant = nil
        return
      }
      let named = RequestURL("\(scheme)://\(host)")
      meant =
        if host.isEmpty || OriginMapping.isOwn(named, context) {
          // A host that is ignored at every port may be this machine.
          cassetteOrigin
        } else if context.upstream != nil {
          // Uses the configured scheme of the host, which can differ from the client's.
          context.ignoredHost(named)?.url ?? cassetteOrigin
        } else {
          named
        }
    }

    /// Creates the name for an open tunnel: every request is meant for the tunnel's destination.
    init(tunnelTo url: RequestURL, in context: OriginContext) {
      (self.context, host, scheme, meant, cassetteOrigin) = (
        context, url.host ?? "", "https", url, nil
      )
      isSettled = true
    }
  }

  let naming: Naming
  /// The requested URL, as in the request line.
  private let asked: RequestURL
  /// The base path of another host that was requested by an address of this server.
  private let elsewhere: String?
  /// The play that the request names.
  private let play: Plays.Play?

  var context: OriginContext { naming.context }
  private var scheme: String { naming.scheme }
  private var meant: RequestURL? { naming.meant }

  /// Creates the mapping of a request; `last` is the name in the previous request of the
  /// connection.
  init(
    of head: RequestHead,
    in context: OriginContext,
    by scheme: String,
    after last: Naming? = nil
  ) {
    play = context.plays?.play(of: head)
    let url = play?.url ?? head.url
    let named = url.host.map { name in url.port.map { "\(name):\($0)" } ?? name }
    let host = named ?? head.headers["Host"] ?? ""
    if let last, last.host == host, last.scheme == scheme, last.context.pool === context.pool,
      last.cassetteOrigin == Self.cassetteOrigin(context)
    {
      naming = last
    } else {
      naming = Naming(host, in: context, by: scheme)
    }
    let place = context.leadsBack ? RedirectRewriting.url(of: url) : nil
    asked = place ?? url
    elsewhere = place.flatMap(RedirectRewriting.basePath)
  }

  /// Creates the mapping of a request whose destination is known.
  init(of head: RequestHead, named naming: Naming) {
    (self.naming, asked, elsewhere, play) = (naming, head.url, nil, nil)
  }

  /// The client's name for this server, such as `127.0.0.1:8080`.
  private var own: String { naming.host.isEmpty ? "127.0.0.1:\(context.port)" : naming.host }

  /// A name of this machine other than the client's name for it.
  private var otherName: String {
    let isNamed = own.hasPrefix("localhost")
    return "\(isNamed ? "127.0.0.1" : "localhost"):\(context.port)"
  }

  /// The name that the client used, with the port without TLS.
  private var plainName: String {
    guard let port = context.plainPort, let host = RequestURL("http://\(own)").host else {
      return own
    }
    return "\(host):\(port)"
  }

  private var cassetteOrigin: RequestURL? { Self.cassetteOrigin(context) }

  private static func cassetteOrigin(_ context: OriginContext) -> RequestURL? {
    context.recordedOrigin ?? context.upstream?.url ?? context.deck.origin
  }

  /// The origins that a response may use for the requested server.
  private var origins: [String] {
    [
      cassetteOrigin?.origin, context.upstream?.url.origin,
      RequestURL("\(scheme)://\(own)").origin, Self.ownName(of: context),
    ].compactMap { $0 }
  }

  /// The path in front of the paths of the request's play or lane.
  private var base: String {
    if let play { return play.basePath }
    var probe = Request("GET", asked)
    return Lane.take(from: &probe)?.basePath ?? ""
  }

  /// Returns the origin that a recorded upstream uses for itself: requests to it have the recorded
  /// host, but the upstream's own scheme.
  private static func ownName(of context: OriginContext) -> String? {
    guard let upstream = context.upstream, var url = context.recordedOrigin else { return nil }
    url.scheme = upstream.url.scheme
    return url.origin
  }

  private static func isOwn(_ url: RequestURL, _ context: OriginContext) -> Bool {
    guard (url.effectivePort ?? 80) == context.port else { return false }
    if let domain = context.domain, url.host?.hasSuffix(".\(domain)") == true { return true }
    return url.host == "localhost" || url.host == "[::1]" || url.host?.hasPrefix("127.") == true
  }

  /// Returns the request for matching and recording: with the origin that it is meant for, and
  /// without the fields of this connection (RFC 9110 §7.6.1).
  func request(_ head: RequestHead, _ body: Data) -> Request {
    var url = asked
    // RFC 9112 §3.2.2: the target may be an absolute URL, even for this server.
    if url.host == nil || naming.isSettled || Self.isOwn(url, context) {
      (url.scheme, url.host, url.port) = (meant?.scheme, meant?.host, meant?.port)
    }
    var headers = head.headers
    headers.removeConnectionFields(asServer: true)
    for place in headers.indices where context.proxy == nil && headers[place].isNamed("Cookie") {
      headers[place].value = CookieRewriting.recorded(headers[place].value)
    }
    if let play { context.plays?.name(play, in: &headers) }
    return Request(head.method, url, headers: headers, body: Body(body))
  }

  /// Leads the client back to this server and, if the request named one, to its play or lane.
  func localise(_ head: inout ResponseHead) {
    // A client of a proxy calls every server by its own name.
    guard context.proxy == nil else { return }
    for place in head.headers.indices {
      let field = head.headers[place]
      if field.isNamed("Set-Cookie") {
        let (host, isSecure) = (RequestURL("http://\(own)").host ?? "", scheme == "https")
        head.headers[place].value =
          CookieRewriting.played(field.value, at: host, isSecure: isSecure)
      } else if let kind = URLField(field) {
        let isRedirect = field.isNamed("Location")
        head.headers[place].value = kind.replacing(in: field.value) {
          localised($0, isRedirect: isRedirect)
        }
      }
    }
  }

  /// Returns the head of a live response for the client.
  func shown(_ start: ResponseStart) -> ResponseHead {
    var head = start.head
    localise(&head)
    // RFC 9110 §7.6.1: connection fields apply to the origin's connection, not to the client's.
    head.headers.removeConnectionFields(keepingCoding: start.framing == .chunked)
    return head
  }

  /// Whether a response has the same fields for every client, regardless of its name for the
  /// server.
  static func isSameForAll(_ headers: HeaderFields, in context: OriginContext) -> Bool {
    headers.allSatisfy { field in
      if field.isNamed("Set-Cookie") {
        return CookieRewriting.played(field.value, at: "", isSecure: false) == field.value
      }
      guard let kind = URLField(field) else { return true }
      var areElsewhere = !field.isNamed("Location")
      _ = kind.replacing(in: field.value) {
        areElsewhere = areElsewhere && isElsewhere(RequestURL($0), context)
        return $0
      }
      return areElsewhere
    }
  }

  /// Returns whether a reference is an absolute URL of another server. A URL with this server's
  /// port may have a client's name for this server.
  private static func isElsewhere(_ url: RequestURL, _ context: OriginContext) -> Bool {
    guard url.scheme != nil, let origin = url.origin else { return false }
    let (cassette, upstream) = (cassetteOrigin(context)?.origin, context.upstream?.url.origin)
    let names = [cassette, upstream, ownName(of: context)]
    return url.effectivePort != context.port && !names.contains(origin)
  }

  private func localised(_ reference: String, isRedirect: Bool) -> String {
    let url = RequestURL(reference)
    if isRedirect, url.host == ReplacementResponse.otherHost {
      return "\(scheme)://\(otherName)\(elsewhere ?? base)\(url.target)"
    }
    if isRedirect, url.host == ReplacementResponse.plainHost {
      return "http://\(plainName)\(elsewhere ?? base)\(url.target)"
    }
    if reference.hasPrefix("/"), !reference.hasPrefix("//") {
      return (elsewhere ?? base) + reference
    }
    guard let url = Self.url(of: reference, amongst: origins) else {
      return isRedirect ? ledBack(reference) : reference
    }
    return "\(scheme)://\(own)\(base)\(url.target)\(Self.fragment(of: reference))"
  }

  /// Leads URLs of the recorded origin in a recorded JSON body back to this server, if the option
  /// is set.
  func leadBackURLs(in outcome: inout Outcome) {
    guard context.rewritesURLs, context.proxy == nil,
      case .recording(var interaction, let place) = outcome.source,
      interaction.replaceURLs(OriginURLs(origins), by: "\(scheme)://\(own)\(base)") > 0
    else { return }
    outcome.source = .recording(interaction, place: place)
    // A client that uses another name for the server gets another response.
    outcome.renderedKey = nil
  }

  /// Returns the URL of a redirect if its origin is one of these. A URL without a scheme takes the
  /// scheme of the origin (RFC 3986 §4.2).
  private static func url(of location: String, amongst origins: [String]) -> RequestURL? {
    let spellings = location.hasPrefix("//") ? ["http:", "https:"] : [""]
    return spellings.lazy.map { RequestURL($0 + location) }
      .first { $0.origin.map(origins.contains) ?? false }
  }

  /// Replaces an upstream's own name by the cassette's origin: in redirects and, if the cassette
  /// has a configured origin, in all other fields.
  func recorded(_ head: ResponseHead) -> ResponseHead {
    guard context.proxy == nil, let meant else { return head }
    var head = head
    let origins = origins
    for place in head.headers.indices
    where context.recordedOrigin != nil || head.headers[place].isNamed("Location") {
      head.headers[place].value = OriginRenaming.rename(head.headers[place], origins, to: meant)
    }
    return head
  }

  /// Does the same in a JSON body, if the cassette has a configured origin.
  func recorded(_ interaction: Interaction) -> Interaction {
    guard let origin = context.recordedOrigin?.origin else { return interaction }
    var interaction = interaction
    _ = interaction.replaceURLs(OriginURLs(origins.filter { $0 != origin }), by: origin)
    return interaction
  }

  /// Returns the text of a failure for the cassette, without addresses of this machine.
  func recorded(_ text: String, of upstream: Upstream) -> String {
    guard let name = context.recordedOrigin, let host = name.host else { return text }
    let port = upstream.url.effectivePort ?? 80
    let places = upstream.addresses.map { "\($0)" } + ["\(upstream.url.host ?? ""):\(port)"]
    let authority = host + (name.port.map { ":\($0)" } ?? "")
    return places.reduce(text) { $0.replacing($1, with: authority) }
  }

  /// Leads a redirect to another host back to this server, if clients must not leave it.
  private func ledBack(_ location: String) -> String {
    guard context.leadsBack else { return location }
    // RFC 3986 §4.2: by the scheme of the requested URL.
    let here = elsewhere == nil ? meant?.scheme : asked.scheme
    let url = RequestURL(location.hasPrefix("//") ? "\(here ?? scheme):\(location)" : location)
    guard !context.deck.ignores(url), let base = RedirectRewriting.basePath(of: url) else {
      return location
    }
    return "\(scheme)://\(own)\(base)\(url.target)\(Self.fragment(of: location))"
  }

  /// Returns the fragment of a redirect, which is for the client only (RFC 9110 §10.2.2).
  private static func fragment(of location: String) -> Substring {
    location.firstIndex(of: "#").map { location[$0...] } ?? ""
  }
}

/// The URLs of other hosts as addresses of this server:
/// `/.windtunnel-elsewhere/https/a.example:8443/x` represents `https://a.example:8443/x`.
///
/// If redirects lead back to this server, a client that follows one to another host sends its
/// request here, and so never leaves this server.
private enum RedirectRewriting {
  private static let prefix = "/.windtunnel-elsewhere/"

  /// Returns the path in front of every path of a host.
  static func basePath(of url: RequestURL) -> String? {
    guard let scheme = url.scheme, scheme == "http" || scheme == "https", let host = url.host
    else { return nil }
    return "\(prefix)\(scheme)/\(host)\(url.port.map { ":\($0)" } ?? "")"
  }

  /// Returns the URL that an address of this server represents; `nil` if it represents none.
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
