internal import WindTunnel

/// The handler of a port that plays a deck under the names of the recorded servers. It forwards the
/// other requests to live servers, if any are set, and may record their responses.
struct ReplayHandler: RequestHandler {
  let context: PortContext

  func handle(_ head: RequestHead) -> RequestHandling {
    if let refusal = refusalOfStranger(head) { return .refuse(.notice(403, refusal)) }
    if let refusal = context.origins.plays?.refusal(of: head) { return .refuse(refusal) }
    return .play()
  }

  /// Returns the reason, as a sentence, for refusing a request; `nil` if the request is answered.
  private func refusalOfStranger(_ head: RequestHead) -> String? {
    guard let policy = context.policy else { return nil }
    let host = OriginPolicy.name(in: head.url, head.headers)
    switch policy.stranger(in: head.headers, askedAs: host, isOwn: isAsked) {
    case nil: return nil
    case .host(let host):
      return
        "This server accepts its own addresses, localhost and the hosts of its cassette, not "
        + "\"\(host.prefix(100))\". To allow that host, start the server with --allow-origin "
        + "http://\(host.prefix(100))."
    case .page(let origin):
      return
        "This server refuses requests of pages from \"\(origin.prefix(100))\". To allow them, start "
        + "it with --allow-origin \(origin.prefix(100))."
    }
  }

  /// Whether the server has this name, in addition to the names that every machine has.
  private func isAsked(by name: String) -> Bool {
    // HTTP/1.0 has no Host; a browser always sends one.
    if name.isEmpty { return true }
    let bare = name.withoutBrackets
    if let isAny = PrivateAddress.isAnyAddress(bare) {
      // A page's name cannot be an address, which always leads to the machine it denotes: an
      // emulator calls its host 10.0.2.2. The exception is the address that browsers take for their
      // own machine.
      return !isAny || SocketAddress.spelled(bare) == SocketAddress.spelled(context.host)
    }
    // A name on the Internet always has a dot; the upstream of a reverse proxy and a container can
    // have a name without one.
    if !name.contains(".") { return true }
    if Self.machineNames.contains(name) { return true }
    // Names of a local network: `local` (RFC 6762 §3), `home.arpa` (RFC 8375 §4) and `internal`,
    // which ICANN keeps out of the root. A machine that can assign such names on a network can also
    // send requests to a server that listens on that network.
    let isLocal = [".local", ".internal", ".home.arpa"].contains { name.hasSuffix($0) }
    if isLocal, !PrivateAddress.isLoopback(context.host) { return true }
    let origins = context.origins
    let places = [origins.recordedOrigin, origins.upstream?.url] + origins.ignoredHosts.map(\.url)
    return places.contains { $0?.host == name }
      || context.deck.interactions.contains { $0.request.url.host == name }
  }

  /// The names by which containers call the machine on which they run, whose loopback interface
  /// answers. They cannot be registered on the Internet.
  private static let machineNames: Set<String> = [
    "host.docker.internal", "gateway.docker.internal", "host.containers.internal",
  ]
}
