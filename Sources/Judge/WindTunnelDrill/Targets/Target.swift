package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

/// The environment of calls: it gives each call its route to the deck.
protocol Target: Sendable {
  /// Opens a call's route.
  func open(_ lane: Lane) async throws -> CallRoute
  /// Releases all resources after the last call.
  func close() async
  /// The numbers of its connections so far, or `nil` if they are not counted.
  var connections: ConnectionCounts? { get }
  /// Returns the number of connections whose clients have not read all received bytes, or `nil` if
  /// that is unknown.
  func countUnread() async -> Int?
}

extension Target {
  var connections: ConnectionCounts? { nil }
  func countUnread() async -> Int? { nil }
  func close() async {}

  /// Counts the connections after some calls; `nil` if they are not counted. If nearly every call
  /// has left a connection open or data unread, the client gets some time. It may wait for a
  /// garbage collector.
  func settled(after calls: Int, unread: Bool) async -> ClientRun.Connections? {
    guard let end = await counted(after: calls, unread: unread) else { return nil }
    var seen = end
    let patience = ContinuousClock.now + ClientRun.Connections.patience
    while seen.mayLeak || seen.leftUnread ?? 0 > 0, .now < patience, !Task.isCancelled {
      // Only a cancellation ends the wait early, and it ends the loop, too.
      try? await Task.sleep(for: .milliseconds(100))
      seen = await counted(after: calls, unread: unread) ?? seen
    }
    return seen
  }

  private func counted(after calls: Int, unread: Bool) async -> ClientRun.Connections? {
    guard let counts = connections else { return nil }
    var seen = ClientRun.Connections(
      calls: calls,
      opened: counts.accepted,
      mostOpen: counts.most,
      leftOpen: counts.open
    )
    if unread { seen.leftUnread = await countUnread() }
    return seen
  }
}

/// One call's route to the deck.
struct CallRoute: Sendable {
  var baseURL: URL
  var session: CallSession
  /// The access to the deck without a session; `nil` on the wire.
  var exchange: DirectExchange?
  /// Creates a configuration with the same route.
  var configure: @Sendable () -> URLSessionConfiguration = { .wire() }
  /// Releases the call's own protocol class or port.
  var giveBack: @Sendable (_ isHung: Bool) -> Void = { _ in }
  /// The network of its address. `nil` means this process's own network.
  var network: PrivateNetwork?
  /// The servers of the cassette's start. Empty if it has none.
  var servers: [CallServer] = []

  /// Closes the route. The session stays valid if the call hangs: creating a task in an ended
  /// session would crash the process.
  func close(isHung: Bool) {
    if !isHung { session.end() }
    giveBack(isHung)
  }
}

/// A server of a cassette's start, with its address for one call.
package struct CallServer: Sendable, Hashable {
  /// The origin that an app uses for the server.
  package var origin: URL
  /// The address that requests to the server are sent to.
  package var base: URL

  /// Creates a server with its origin and its address for a call.
  package init(origin: URL, base: URL) { (self.origin, self.base) = (origin, base) }
}

/// The ports of a server: its own, for the origin of most of the cassette, and one for each other
/// server of the cassette's start.
struct ServerPorts: Sendable {
  /// The port of the server itself.
  let own: Int
  private let ports: [(origin: URL, port: Int)]

  /// Opens the server's own port (for `nil`), and one for each further server.
  init(
    of servers: [RequestURL],
    on deck: Deck,
    opening open: (RequestURL?) async throws -> Int
  ) async throws {
    own = try await open(nil)
    var ports: [(origin: URL, port: Int)] = []
    let ownOrigin = servers.isEmpty ? nil : deck.origin?.origin
    for server in servers {
      let isOwn = server.origin == ownOrigin
      ports.append((try url(server.origin ?? ""), isOwn ? own : try await open(server)))
    }
    self.ports = ports
  }

  /// All ports, the server's own first.
  var numbers: [Int] { [own] + ports.map(\.port).filter { $0 != own } }

  /// Returns the servers at addresses with these ports.
  func servers(at base: (Int) throws -> URL) rethrows -> [CallServer] {
    try ports.map { CallServer(origin: $0.origin, base: try base($0.port)) }
  }
}

/// The target in process: each call has a session with a protocol class of its own.
struct InProcessTarget: Target {
  let deck: Deck
  let errors: Symptom.Platform
  let origin: URL
  /// The servers, at their recorded addresses.
  private let servers: [CallServer]

  init(_ deck: Deck, errors: Symptom.Platform, servers: [RequestURL] = []) {
    self.deck = deck
    self.errors = errors
    self.servers = servers.compactMap { server in
      URL(string: server.origin ?? "").map { CallServer(origin: $0, base: $0) }
    }
    // No request is ever sent to this host, but a client needs one.
    origin = URL(string: deck.origin?.origin ?? "http://localhost") ?? URL(filePath: "/")
  }

  func open(_ lane: Lane) -> CallRoute {
    let own = CallProtocol(deck, lane, errors)
    let configure = { @Sendable () -> URLSessionConfiguration in .registered(own.type) }
    return CallRoute(
      baseURL: origin,
      session: CallSession { URLSession(configuration: configure()) },
      exchange: DirectExchange(deck, lane: lane, errors: errors),
      configure: configure,
      // A class that a hung call may still use is never reused.
      giveBack: { isHung in if !isHung { own.giveBack() } },
      servers: servers
    )
  }
}

/// The protocol class of a call. It is assigned when the call first creates a session, because some
/// clients never need one.
final class CallProtocol: Sendable {
  private let deck: Deck
  private let lane: Lane
  private let errors: Symptom.Platform
  /// The class, if it is assigned, and whether the call has ended.
  private let state = Locked<(type: AnyClass?, isOver: Bool)>((nil, false))

  init(_ deck: Deck, _ lane: Lane, _ errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// The class, assigned on first access. After the call has ended, its requests fail.
  var type: AnyClass {
    state.withLock { state -> AnyClass in
      if let type = state.type { return type }
      let type: AnyClass = ProtocolClassPool.take(
        for: ProtocolRegistration(deck: deck, lane: lane, errors: errors)
      )
      if state.isOver { ProtocolClassPool.giveBack(type) } else { state.type = type }
      return type
    }
  }

  /// Releases the class for other calls, if it was assigned.
  func giveBack() {
    state.withLock { state in
      if let type = state.type { ProtocolClassPool.giveBack(type) }
      state = (nil, true)
    }
  }
}

extension URLSessionConfiguration {
  /// Returns a configuration of sessions that use real sockets and share no state with other
  /// sessions.
  static func wire() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 1024
    return configuration
  }
}

/// A call's session, created on first access. For a client that never uses it, creating it would
/// cost more than everything else.
final class CallSession: Sendable {
  private let make: @Sendable () -> URLSession
  private let made = Locked<URLSession?>(nil)

  init(_ make: @escaping @Sendable () -> URLSession) { self.make = make }

  /// Returns a session that uses real sockets and shares no state with other sessions.
  static func wire() -> CallSession { CallSession { URLSession(configuration: .wire()) } }

  /// The session, created on first access.
  var session: URLSession { made.value(orMade: make) }

  /// Ends the session and its tasks at once, if there is one.
  func cancel() { made.withLock { $0 }?.invalidateAndCancel() }

  /// Ends the session after its last task, if there is one.
  func end() { made.withLock { $0 }?.finishTasksAndInvalidate() }
}

/// The target on the wire: a loopback server, and a name server if clients resolve names.
struct ServedTarget: Target {
  /// The way in which a connection or a request is assigned to a call.
  enum Naming: Sendable {
    /// By the path of the call's own base URL. All calls use the same ports.
    case path(ServerPorts)
    /// By a port of the call's own, because connections fail or are late before a request names a
    /// lane.
    case port(scheme: String)
    /// By a port that is reused for one call after the other, so that a client recognises responses
    /// by their URL.
    case lentPort
  }

  /// Ports that are lent to one call at a time.
  private struct LentPorts: Sendable {
    let lane: Locked<Lane>
    let ports: ServerPorts
  }

  let server: ReplayServer
  let naming: Naming
  let names: LateNames?
  let deck: Deck
  let servers: [RequestURL]
  /// The ports that no call uses.
  private let free = Locked<[LentPorts]>([])

  var connections: ConnectionCounts? {
    if case .port = naming { nil } else { server.connections }
  }

  func countUnread() async -> Int? {
    if case .path = naming { await server.countUnread() } else { nil }
  }

  func open(_ lane: Lane) async throws -> CallRoute {
    switch naming {
    case .path(let ports): return try route(of: lane, to: ports, path: lane.basePath)
    case .port(let scheme):
      let ports = try await ServerPorts(of: servers, on: deck) {
        try await server.openPort(lane: lane, origin: $0)
      }
      var route = try route(of: lane, to: ports, scheme: scheme)
      route.giveBack = { [server] _ in ports.numbers.forEach(server.closePort) }
      return route
    case .lentPort:
      let lent = try await lentPorts(for: lane)
      var route = try route(of: lane, to: lent.ports)
      // A call that hangs may still send to its ports, so no other call gets them.
      route.giveBack = { [free] isHung in if !isHung { free.withLock { $0.append(lent) } } }
      return route
    }
  }

  private func lentPorts(for lane: Lane) async throws -> LentPorts {
    if let lent = free.withLock({ $0.popLast() }) {
      lent.lane.withLock { $0 = lane }
      return lent
    }
    let owner = Locked(lane)
    let ports = try await ServerPorts(of: servers, on: deck) {
      try await server.openPort(lentTo: owner, origin: $0)
    }
    return LentPorts(lane: owner, ports: ports)
  }

  /// Returns the route of a call to its ports.
  private func route(
    of lane: Lane,
    to ports: ServerPorts,
    scheme: String = "http",
    path: String = ""
  ) throws -> CallRoute {
    let host = names?.host(of: lane) ?? "127.0.0.1"
    func base(_ port: Int) throws -> URL { try url("\(scheme)://\(host):\(port)\(path)") }
    var route = CallRoute(baseURL: try base(ports.own), session: .wire())
    route.network = names?.network
    route.servers = try ports.servers(at: base)
    return route
  }

  func close() async {
    await server.stop(grace: .zero)
    await names?.stop()
  }
}

/// The target on the wire if no server is reachable. Attempts of a client are not observed.
struct UnreachableTarget: Target {
  private let baseURL: URL
  private let closed: ClosedPort?
  private let servers: [CallServer]

  init(at address: String, _ closed: ClosedPort? = nil, servers: [RequestURL]) throws {
    let base = try url(address)
    (baseURL, self.closed) = (base, closed)
    self.servers = try servers.map { CallServer(origin: try url($0.origin ?? ""), base: base) }
  }

  func open(_ lane: Lane) -> CallRoute {
    CallRoute(baseURL: baseURL, session: .wire(), servers: servers)
  }
}

private func url(_ text: String) throws -> URL {
  guard let url = URL(string: text) else { throw DrillError.harness("\(text) is no URL") }
  return url
}
