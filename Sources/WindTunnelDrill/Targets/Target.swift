internal import Foundation
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
  /// Closes a call's route. One that is hung may still be on it, and a task that it makes in a
  /// session that has ended would end the process.
  func close(_ route: CallRoute, isHung: Bool)
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
}

/// One call's route to the deck.
struct CallRoute: Sendable {
  var baseURL: URL
  var session: CallSession
  /// The way to the deck without a session; `nil` on the wire.
  var exchange: DirectExchange?
  /// Makes a configuration that leads the same way.
  var configure: @Sendable () -> URLSessionConfiguration = { .wire() }
  /// The thing that has to be given back: a protocol class, or a port of the call's own.
  var belongings: Belongings
  /// The network in which its address is; `nil`: this process's own.
  var network: PrivateNetwork?

  enum Belongings: Sendable {
    case nothing
    case protocolClass(CallProtocol)
    case port(Int)
  }
}

/// In process: each call has a session with a protocol class of its own.
struct InProcessTarget: Target {
  let deck: Deck
  let errors: Symptom.Platform
  let origin: URL

  init(_ deck: Deck, errors: Symptom.Platform) {
    self.deck = deck
    self.errors = errors
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
      belongings: .protocolClass(own)
    )
  }

  func close(_ route: CallRoute, isHung: Bool) {
    // A class that a hung call may still use is never another's.
    if isHung { return }
    route.session.end()
    if case .protocolClass(let own) = route.belongings { own.giveBack() }
  }
}

/// A protocol class of a call's own, which is taken when the call first makes a session: a client
/// that has no use for one needs none.
final class CallProtocol: Sendable {
  private enum State: Sendable {
    case unused
    case taken(AnyClass)
    case over
  }

  private let deck: Deck
  private let lane: Lane
  private let errors: Symptom.Platform
  private let state = Locked(State.unused)

  init(_ deck: Deck, _ lane: Lane, _ errors: Symptom.Platform) {
    (self.deck, self.lane, self.errors) = (deck, lane, errors)
  }

  /// The class, taken by now; when the call is over it leads nowhere.
  var type: AnyClass {
    state.withLock { state -> AnyClass in
      if case .taken(let type) = state { return type }
      let type: AnyClass = ProtocolClassPool.take(
        for: ProtocolRegistration(deck: deck, lane: lane, errors: errors)
      )
      if case .over = state { ProtocolClassPool.giveBack(type) } else { state = .taken(type) }
      return type
    }
  }

  /// Gives the class back, if it was taken: another call may have it.
  func giveBack() {
    state.withLock { state in
      if case .taken(let type) = state { ProtocolClassPool.giveBack(type) }
      state = .over
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
  var session: URLSession {
    made.withLock { made in
      let session = made ?? make()
      made = session
      return session
    }
  }

  /// Ends the session and its tasks at once, if there is one.
  func cancel() { made.withLock { $0 }?.invalidateAndCancel() }

  /// Ends the session with its last task, if there is one.
  func end() { made.withLock { $0 }?.finishTasksAndInvalidate() }
}

/// On the wire: a loopback server, and a base URL for each call that names its lane.
struct WireTarget: Target {
  private let server: ReplayServer
  private let names: LateNames?

  var connections: ConnectionCounts? { server.connections }

  func countUnread() async -> Int? { await server.countUnread() }

  init(_ server: ReplayServer, _ names: LateNames?) { (self.server, self.names) = (server, names) }

  func open(_ lane: Lane) throws -> CallRoute {
    var route = CallRoute(
      baseURL: try url(
        (names.map { "http://\($0.host(of: lane)):\(server.port)" } ?? server.url) + lane.basePath
      ),
      session: .wire(),
      belongings: .nothing
    )
    route.network = names?.network
    return route
  }

  func close(_ route: CallRoute, isHung: Bool) {
    if !isHung { route.session.end() }
  }

  func close() async {
    await server.stop(grace: .zero)
    await names?.stop()
  }
}

/// On the wire where connections fail or are late before a request could name a lane: each call has
/// a port of its own.
struct PortTarget: Target {
  private let server: ReplayServer
  private let scheme: String
  private let names: LateNames?

  init(_ server: ReplayServer, scheme: String, _ names: LateNames?) {
    (self.server, self.scheme, self.names) = (server, scheme, names)
  }

  func open(_ lane: Lane) async throws -> CallRoute {
    let port = try await server.openPort(lane: lane)
    let host = names?.host(of: lane) ?? "127.0.0.1"
    var route = CallRoute(
      baseURL: try url("\(scheme)://\(host):\(port)"),
      session: .wire(),
      belongings: .port(port)
    )
    route.network = names?.network
    return route
  }

  func close(_ route: CallRoute, isHung: Bool) {
    if !isHung { route.session.end() }
    if case .port(let port) = route.belongings { server.closePort(port) }
  }

  func close() async {
    await server.stop(grace: .zero)
    await names?.stop()
  }
}

/// On the wire where a client may know an answer again by its address: calls have ports one after
/// the other, so that those which follow each other ask at the same.
struct LentPortTarget: Target {
  private struct Port: Sendable {
    let number: Int
    let lane: Locked<Lane>
  }

  private let server: ReplayServer
  private let names: LateNames?
  private let ports = Locked<(all: [Port], free: [Port])>(([], []))

  var connections: ConnectionCounts? { server.connections }

  init(_ server: ReplayServer, _ names: LateNames?) { (self.server, self.names) = (server, names) }

  func open(_ lane: Lane) async throws -> CallRoute {
    let port = try await port(of: lane)
    let host = names?.host(of: lane) ?? "127.0.0.1"
    var route = CallRoute(
      baseURL: try url("http://\(host):\(port)"),
      session: .wire(),
      belongings: .port(port)
    )
    route.network = names?.network
    return route
  }

  private func port(of lane: Lane) async throws -> Int {
    if let port = ports.withLock({ $0.free.popLast() }) {
      port.lane.withLock { $0 = lane }
      return port.number
    }
    let owner = Locked(lane)
    let port = Port(number: try await server.openPort(lentTo: owner), lane: owner)
    ports.withLock { $0.all.append(port) }
    return port.number
  }

  func close(_ route: CallRoute, isHung: Bool) {
    // Whatever a call that hangs still sends is never another's.
    if isHung { return }
    route.session.end()
    guard case .port(let number) = route.belongings else { return }
    ports.withLock { ports in
      if let port = ports.all.first(where: { $0.number == number }) { ports.free.append(port) }
    }
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

  init(closed: ClosedPort) throws {
    baseURL = try url("http://127.0.0.1:\(closed.port)")
    self.closed = closed
  }

  init(name: String) throws {
    baseURL = try url("http://\(name)")
    closed = nil
  }

  func open(_ lane: Lane) -> CallRoute {
    CallRoute(baseURL: baseURL, session: .wire(), belongings: .nothing)
  }

  func close(_ route: CallRoute, isHung: Bool) {
    if !isHung { route.session.end() }
  }
}

private func url(_ text: String) throws -> URL {
  guard let url = URL(string: text) else { throw DrillError.harness("\(text) is no URL") }
  return url
}
