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

/// The ports of the servers of a cassette's start: the origin of most of the cassette is at the
/// port that there is anyway, and each other at one more.
struct ServerPorts: Sendable {
  private let ports: [(origin: URL, port: Int)]
  private let own: Int

  /// Opens a port for each of the servers that is not at the one that there is.
  init(
    of servers: [RequestURL],
    on deck: Deck,
    besides own: Int,
    opening open: (RequestURL) async throws -> Int
  ) async throws {
    var ports: [(origin: URL, port: Int)] = []
    let ownOrigin = servers.isEmpty ? nil : deck.origin?.origin
    for server in servers {
      let isOwn = server.origin == ownOrigin
      ports.append((try url(server.origin ?? ""), isOwn ? own : try await open(server)))
    }
    (self.ports, self.own) = (ports, own)
  }

  /// The ports, with the one that there was first.
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
protocol ServedTarget: Target {
  var server: ReplayServer { get }
  var names: LateNames? { get }
}

extension ServedTarget {
  /// Returns the route of a call to a port, and to those of further servers.
  fileprivate func route(
    of lane: Lane,
    to port: Int,
    _ ports: ServerPorts,
    scheme: String = "http",
    path: String = ""
  ) throws -> CallRoute {
    let host = names?.host(of: lane) ?? "127.0.0.1"
    func base(_ port: Int) throws -> URL { try url("\(scheme)://\(host):\(port)\(path)") }
    var route = CallRoute(baseURL: try base(port), session: .wire())
    route.network = names?.network
    route.servers = try ports.servers(at: base)
    return route
  }

  func close() async {
    await server.stop(grace: .zero)
    await names?.stop()
  }
}

/// On the wire where a base URL for each call names its lane.
struct WireTarget: ServedTarget {
  let server: ReplayServer
  let names: LateNames?
  private let ports: ServerPorts

  var connections: ConnectionCounts? { server.connections }

  func countUnread() async -> Int? { await server.countUnread() }

  init(
    _ server: ReplayServer,
    _ names: LateNames?,
    _ deck: Deck,
    servers: [RequestURL]
  ) async throws {
    (self.server, self.names) = (server, names)
    ports = try await ServerPorts(of: servers, on: deck, besides: server.port) {
      try await server.openPort(lane: .deck, origin: $0)
    }
  }

  func open(_ lane: Lane) throws -> CallRoute {
    try route(of: lane, to: server.port, ports, path: lane.basePath)
  }
}

/// On the wire where connections fail or are late before a request could name a lane: each call has
/// a port of its own.
struct PortTarget: ServedTarget {
  let server: ReplayServer
  let scheme: String
  let names: LateNames?
  let deck: Deck
  let servers: [RequestURL]

  func open(_ lane: Lane) async throws -> CallRoute {
    let port = try await server.openPort(lane: lane)
    let ports = try await ServerPorts(of: servers, on: deck, besides: port) {
      try await server.openPort(lane: lane, origin: $0)
    }
    var route = try route(of: lane, to: port, ports, scheme: scheme)
    route.giveBack = { [server] _ in ports.numbers.forEach(server.closePort) }
    return route
  }
}

/// On the wire where a client may know an answer again by its address: calls have ports one after
/// the other, so that those which follow each other ask at the same.
struct LentPortTarget: ServedTarget {
  private struct Port: Sendable {
    let number: Int
    let lane: Locked<Lane>
    let servers: ServerPorts
  }

  let server: ReplayServer
  let names: LateNames?
  let deck: Deck
  let servers: [RequestURL]
  private let free = Locked<[Port]>([])

  var connections: ConnectionCounts? { server.connections }

  func open(_ lane: Lane) async throws -> CallRoute {
    let port = try await port(of: lane)
    var route = try route(of: lane, to: port.number, port.servers)
    // Whatever a call that hangs still sends is never another's.
    route.giveBack = { [free] isHung in if !isHung { free.withLock { $0.append(port) } } }
    return route
  }

  private func port(of lane: Lane) async throws -> Port {
    if let port = free.withLock({ $0.popLast() }) {
      port.lane.withLock { $0 = lane }
      return port
    }
    let owner = Locked(lane)
    let number = try await server.openPort(lentTo: owner)
    let servers = try await ServerPorts(of: servers, on: deck, besides: number) {
      try await server.openPort(lentTo: owner, origin: $0)
    }
    return Port(number: number, lane: owner, servers: servers)
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
