internal import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// One kind of fault, made for real: where it can be looked at, and what should be seen there.
struct FaultStand: Sendable {
  let kind: FaultKind
  let asked: AskedSight
  /// The file of the authority that a client has to trust to meet the fault for what it is.
  let authority: URL?
  private let place: Place

  /// Where it is.
  private enum Place: Sendable {
    case server(ReplayServer, scheme: String, hasDoors: Bool)
    case closed(ClosedPort)
    case nameless
  }

  private static let body = #"{"a":[1,2,3,{"b":"c"}]}"#
  private static let path = "/n"

  init(_ kind: FaultKind) async throws {
    self.kind = kind
    let connection: ConnectionFault? =
      if case .connection(let fault) = kind.fault { fault } else { nil }
    asked = Self.asked(kind, connection)
    var options = ReplayServer.Options()
    var authority: URL?
    switch connection {
    case .offline?, .refused?:
      place = .closed(try ClosedPort())
      self.authority = nil
      return
    case .hostNotFound?:
      place = .nameless
      self.authority = nil
      return
    case .tls(let fault)? where fault.needsCertificate:
      let tls = try ServerTLS()
      options.tls = tls
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("windtunnel-ca-\(UUID().uuidString).pem")
      try Data(tls.authority.pem.utf8).write(to: file)
      authority = file
    case .connectTimeout?, .lostSYNs?:
      guard ReplayServer.canLoseSYNs else {
        throw DrillError.plan("A full accept queue drops attempts to connect on Linux alone")
      }
    case .tls?, nil: break
    }
    // What ends an idle connection wants one that is kept.
    if case .idle = kind.fault {} else { options.closesConnections = true }
    let server = try await ReplayServer(Self.deck(kind), options)
    let isTLS = if case .tls? = connection { true } else { false }
    place = .server(server, scheme: isTLS ? "https" : "http", hasDoors: connection != nil)
    self.authority = authority
  }

  private static func deck(_ kind: FaultKind) -> Deck {
    // With everything random in it drawn, so that every look meets the same.
    let drawn = loaded(kind).decide(Request("GET", RequestURL(path))).decision.faults.first
    return drawn.map { loaded(FaultKind(kind.name, kind.layer, $0)) } ?? loaded(kind)
  }

  private static func loaded(_ kind: FaultKind) -> Deck {
    let scenario: Scenario =
      if case .connection = kind.fault { [.always(.always, kind.fault)] } else {
        [.on(RequestPattern("GET \(path)"), .always, kind.fault)]
      }
    return Deck([.get(RequestURL(path)) { _ in .text(Body(body)) }], scenario: scenario)
  }

  private static func asked(_ kind: FaultKind, _ connection: ConnectionFault?) -> AskedSight {
    switch connection {
    case nil:
      let outcome = deck(kind).decide(Request("GET", RequestURL(path)))
      return AskedSight(Delivery(outcome, on: .onTheWire))
    case .offline?, .refused?: return AskedSight(.refused)
    case .hostNotFound?: return AskedSight(.nameless)
    case .connectTimeout?: return AskedSight(.unanswered)
    case .lostSYNs(let count)?:
      var asked = AskedSight(.finished, after: .seconds(count))
      (asked.status, asked.bytes) = (200, Data(body.utf8))
      return asked
    case .tls?: return AskedSight(deck(kind).open(lane: .deck, on: .onTheWire))
    }
  }

  /// Whether a client has to be told of an authority.
  var needsTrust: Bool {
    if case .connection(.tls(let fault)) = kind.fault { fault.needsTrust } else { false }
  }

  /// Whether it takes its time by nature.
  var takesTime: Bool {
    asked.pauses >= SelfTest.atOnce || asked.ending == .open || asked.ending == .unanswered
  }

  /// Where to look; each look at a connection that fails has a port of its own.
  func url() async throws -> URL {
    let (scheme, host, port) = try await address()
    guard let url = URL(string: "\(scheme)://\(host):\(port)\(Self.path)") else {
      throw DrillError.harness("\(host) makes no URL")
    }
    return url
  }

  /// Looks once by a raw socket.
  func rawSight() async throws -> RawLook.Sight {
    let (scheme, host, port) = try await address()
    let request = Array("GET \(Self.path) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n".utf8)
    let look = RawLook(
      host: host,
      port: port,
      opening: scheme == "https" ? ClientHello.bytes : request,
      asked: asked
    )
    return await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: look.look()) }.start()
    }
  }

  private func address() async throws -> (scheme: String, host: String, port: Int) {
    switch place {
    case .closed(let closed): return ("http", "127.0.0.1", closed.port)
    case .nameless: return ("http", Sites.unknownName, 80)
    case .server(let server, let scheme, hasDoors: true):
      return (scheme, "127.0.0.1", try await server.openPort(lane: .deck))
    case .server(let server, let scheme, hasDoors: false): return (scheme, "127.0.0.1", server.port)
    }
  }

  /// Clears everything up.
  func close() async {
    if case .server(let server, _, _) = place { await server.stop(grace: .zero) }
    // It lies in the system's folder for such files; one that is gone is gone.
    if let authority { try? FileManager.default.removeItem(at: authority) }
  }
}
