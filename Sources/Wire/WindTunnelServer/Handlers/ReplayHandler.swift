internal import WindTunnel

/// The role of a port that plays a deck under the names of the recorded servers, and asks live ones
/// for the rest where there are any, be it to record them.
struct ReplayHandler: RequestHandler {
  let context: PortContext

  func handle(_ head: RequestHead) -> RequestHandling {
    if let refusal = refusalOfStranger(head) { return .refuse(.notice(403, refusal)) }
    if let refusal = context.origins.plays?.refusal(of: head) { return .refuse(refusal) }
    return .play()
  }

  /// Returns the reason, as a sentence, why a request is not answered here; `nil` for one that is.
  private func refusalOfStranger(_ head: RequestHead) -> String? {
    guard let policy = context.policy else { return nil }
    let host = OriginPolicy.name(in: head.url, head.headers)
    switch policy.stranger(in: head.headers, askedAs: host, isOwn: isAsked) {
    case nil: return nil
    case .host(let host):
      return
        "This server is asked by an address of its own, by localhost or by a host that it plays, "
        + "and not by \"\(host.prefix(100))\". To let that in, start it with --allow-origin "
        + "http://\(host.prefix(100))."
    case .page(let origin):
      return
        "This server does not answer pages of \"\(origin.prefix(100))\". To let them in, start it "
        + "with --allow-origin \(origin.prefix(100))."
    }
  }

  /// Tells whether the server has a name beside those of the machine by itself.
  private func isAsked(by name: String) -> Bool {
    // HTTP/1.0 has no Host; a browser always sends one.
    if name.isEmpty { return true }
    let bare = name.withoutBrackets
    if let isAny = PrivateAddress.isAnyAddress(bare) {
      // No page's name is an address, which leads where it says: an emulator calls its host
      // 10.0.2.2. All but the one that browsers take for the machine they run on.
      return !isAny || SocketAddress.spelled(bare) == SocketAddress.spelled(context.host)
    }
    // Nobody on the Internet has a name without a dot; a reverse proxy's upstream and a container
    // have.
    if !name.contains(".") { return true }
    if Self.machineNames.contains(name) { return true }
    if !PrivateAddress.isLoopback(context.host), Self.isLocalName(name) { return true }
    let origins = context.origins
    let places = [origins.recordedOrigin, origins.upstream?.url] + origins.ignoredHosts.map(\.url)
    return places.contains { $0?.host == name }
      || context.deck.interactions.contains { $0.request.url.host == name }
  }

  /// The names by which containers ask for the machine that they run on, whose loopback interface
  /// answers; nobody on the Internet can have one.
  private static let machineNames: Set<String> = [
    "host.docker.internal", "gateway.docker.internal", "host.containers.internal",
  ]

  /// Tells whether a name is a local network's: `local` (RFC 6762 §3), `home.arpa` (RFC 8375 §4)
  /// and `internal`, which ICANN keeps out of the root.
  ///
  /// Whoever gives such names there can ask a server himself that listens to that network.
  private static func isLocalName(_ name: String) -> Bool {
    [".local", ".internal", ".home.arpa"].contains { name.hasSuffix($0) }
  }
}
