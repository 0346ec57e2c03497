package import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The place in which calls are flown: it gives each call its route to the deck.
protocol Target: Sendable {
  /// Opens a call's route.
  func open(_ lane: Lane) async throws -> CallRoute
  /// Clears up behind the last call.
  func close() async
  /// The connections to it so far; `nil` where nobody counts them.
  var connections: ConnectionCounts? { get }
  /// Counts the connections whose clients have not read all that was said to them; `nil` where
  /// nobody can.
  func countUnread() async -> Int?
}

extension Target {
  var connections: ConnectionCounts? { nil }
  func countUnread() async -> Int? { nil }
  func close() async {}

  /// Counts the connections after some calls; `nil` if nobody counts them. If nearly every call has
  /// left one open, or something unread, its client gets some time to close them: one may wait for
  /// a garbage collector.
  func settled(after calls: Int, unread: Bool) async -> ClientRun.Connections? {
    guard let end = await counted(after: calls, unread: unread) else { return nil }
    var seen = end
    let patience = ContinuousClock.now + ClientRun.Connections.patience
    while seen.mayLeak || seen.leftUnread ?? 0 > 0, .now < patience, !Task.isCancelled {
      // Only a cancellation ends it early, which ends the loop, too.
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
  /// The way to the deck without a session; `nil` on the wire.
  var exchange: DirectExchange?
  /// Makes a configuration that leads the same way.
  var configure: @Sendable () -> URLSessionConfiguration = { .wire() }
  /// Gives back a protocol class or a port of the call's own.
  var giveBack: @Sendable (_ isHung: Bool) -> Void = { _ in }
  /// The network in which its address is; `nil`: this process's own.
  var network: PrivateNetwork?
  /// The servers of the cassette's start; empty where it has none.
  var servers: [CallServer] = []

  /// Closes the route. A call that hangs may still be on it, and a task that it makes in a session
  /// that has ended would end the process.
  func close(isHung: Bool) {
    if !isHung { session.end() }
    giveBack(isHung)
  }
}

/// A server of a cassette's start, and where it is for one call.
package struct CallServer: Sendable, Hashable {
  /// The origin that an app knows it by.
  package var origin: URL
  /// The address that its requests go to.
  package var base: URL

  /// Creates a server with its origin and its address for a call.
  package init(origin: URL, base: URL) { (self.origin, self.base) = (origin, base) }
}

/// The ports of a server: its own, where the origin of most of the cassette is, and one for each
/// other server of the cassette's start.
struct ServerPorts: Sendable {
  /// The port of the server itself.
  let own: Int
  private let ports: [(origin: URL, port: Int)]

  /// Opens the server's own port (`nil`), and one for each further server.
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

  /// Returns the servers at addresses that are made of their ports.
  func servers(at base: (Int) throws -> URL) rethrows -> [CallServer] {
    try ports.map { CallServer(origin: $0.origin, base: try base($0.port)) }
  }
}

/// In process: each call has a session with a protocol class of its own.
struct InProcessTarget: Target {
  let deck: Deck
  let errors: Symptom.Platform
  let origin: URL
  /// In process they are where they were recorded.
  private let servers: [CallServer]

  init(_ deck: Deck, errors: Symptom.Platform, servers: [RequestURL] = []) {
    self.deck = deck
    self.errors = errors
    self.servers = servers.compactMap { server in
      URL(string: server.origin ?? "").map { CallServer(origin: $0, base: $0) }
    }
    // Nothing is ever sent there, but a client wants a host.
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
      // A class that a hung call may still use is never another's.
      giveBack: { isHung in if !isHung { own.giveBack() } },
      servers: servers
    )
  }
}

/// A protocol class of a call's own, which is taken when the call first makes a session: a client
/// that has no use for one needs none.
final class CallProtocol: Sendable {
  private let deck: Deck
  private let lane: Lane
  private let errors: Symptom.Platform
  /// The class, if it was taken, and whether the call is over.
  private let state = Locked<(type: AnyClass?, isOver: Bool)>((nil, false))

  init(_ deck: Deck, _ lane: Lane, _ errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// The class, taken by now; when the call is over it leads nowhere.
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

  /// Gives the class back, if it was taken: another call may have it.
  func giveBack() {
    state.withLock { state in
      if let type = state.type { ProtocolClassPool.giveBack(type) }
      state = (nil, true)
    }
  }
}

extension URLSessionConfiguration {
  /// Returns a configuration of sessions that talk to real sockets and share nothing with any
  /// other.
  static func wire() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 1024
    return configuration
  }
}

/// A call's session, which is made when the call first asks for it: a client that has no use for
/// one would pay for it more than for all the rest.
final class CallSession: Sendable {
  private let make: @Sendable () -> URLSession
  private let made = Locked<URLSession?>(nil)

  init(_ make: @escaping @Sendable () -> URLSession) { self.make = make }

  /// Returns a session that talks to real sockets and shares nothing with any other.
  static func wire() -> CallSession { CallSession { URLSession(configuration: .wire()) } }

  /// The session, made by now.
  var session: URLSession { made.value(orMade: make) }

  /// Ends the session and its tasks at once, if there is one.
  func cancel() { made.withLock { $0 }?.invalidateAndCancel() }

  /// Ends the session with its last task, if there is one.
  func end() { made.withLock { $0 }?.finishTasksAndInvalidate() }
}

/// On the wire: a loopback server, and the name server that clients ask for it, if there is one.
struct ServedTarget: Target {
  /// The way in which a connection or a request shows the call that it belongs to.
  enum Naming: Sendable {
    /// By the path of a base URL of the call's own, at the same ports for all calls.
    case path(ServerPorts)
    /// By a port of the call's own: connections fail or are late before a request names a lane.
    case port(scheme: String)
    /// By a port that calls have one after the other, so that a client knows a response again by
    /// its address.
    case lentPort
  }

  /// Ports that a call has, and later another one.
  private struct LentPorts: Sendable {
    let lane: Locked<Lane>
    let ports: ServerPorts
  }

  let server: ReplayServer
  let naming: Naming
  let names: LateNames?
  let deck: Deck
  let servers: [RequestURL]
  /// The ports that no call has.
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
      // A call that hangs may still send there, so no other call gets its ports.
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

/// On the wire where there is nobody to connect to: what a client tries there, nobody sees.
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
