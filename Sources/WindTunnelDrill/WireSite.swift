internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension URLSessionConfiguration {
  /// A configuration of sessions that talk to real sockets and share nothing with any other.
  static func wire() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 1024
    return configuration
  }
}

extension URLSession {
  /// A session that talks to real sockets and shares nothing with any other.
  static func wire() -> URLSession { URLSession(configuration: .wire()) }
}

/// On the wire: a loopback server, and a base URL for each call that names its lane.
struct WireSite: Site {
  private let server: ReplayServer
  private let names: LateNames?

  init(_ server: ReplayServer, _ names: LateNames?) { (self.server, self.names) = (server, names) }

  func enter(_ lane: Lane) throws -> Way {
    var way = Way(
      baseURL: try url(
        (names.map { "http://\($0.host(of: lane)):\(server.port)" } ?? server.url) + lane.basePath
      ),
      session: .wire(),
      belongings: .nothing
    )
    way.network = names?.network
    return way
  }

  func leave(_ way: Way, isHung: Bool) { if !isHung { way.session.finishTasksAndInvalidate() } }

  func close() async {
    await server.stop(grace: .zero)
    await names?.stop()
  }
}

/// On the wire where connections fail or are late before a request could name a lane: each call has
/// a port of its own.
struct DoorSite: Site {
  private let server: ReplayServer
  private let scheme: String
  private let names: LateNames?

  init(_ server: ReplayServer, scheme: String, _ names: LateNames?) {
    (self.server, self.scheme, self.names) = (server, scheme, names)
  }

  func enter(_ lane: Lane) async throws -> Way {
    let port = try await server.openPort(lane: lane)
    let host = names?.host(of: lane) ?? "127.0.0.1"
    var way = Way(
      baseURL: try url("\(scheme)://\(host):\(port)"),
      session: .wire(),
      belongings: .port(port)
    )
    way.network = names?.network
    return way
  }

  func leave(_ way: Way, isHung: Bool) {
    if !isHung { way.session.finishTasksAndInvalidate() }
    if case .port(let port) = way.belongings { server.closePort(port) }
  }

  func close() async {
    await server.stop(grace: .zero)
    await names?.stop()
  }
}

/// On the wire where there is nobody to connect to: what a client tries there, nobody sees.
struct UnreachableSite: Site {
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

  func enter(_ lane: Lane) -> Way { Way(baseURL: baseURL, session: .wire(), belongings: .nothing) }

  func leave(_ way: Way, isHung: Bool) { if !isHung { way.session.finishTasksAndInvalidate() } }
}

private func url(_ text: String) throws -> URL {
  guard let url = URL(string: text) else { throw DrillError.harness("\(text) is no URL") }
  return url
}
