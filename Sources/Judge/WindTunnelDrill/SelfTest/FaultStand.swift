internal import Foundation
internal import WindTunnelServer

/// A test server for one kind of real fault, with the observation that is expected of it.
struct FaultStand: Sendable {
  private let kind: FaultKind
  let asked: ExpectedView
  /// The file of the authority that a client must trust to observe the fault itself.
  private(set) var authority: URL?
  private let place: Target
  /// The proxy of a live conversation, and its origin; `nil` for all other kinds.
  private var live: (proxy: ReplayServer, origin: ReplayServer)?

  /// The address at which the fault occurs.
  private enum Target: Sendable {
    case server(ReplayServer, scheme: String, hasPorts: Bool)
    case closed(ClosedPort)
    case nameless
  }

  private static let body = #"{"a":[1,2,3,{"b":"c"}]}"#
  private static let events = "id: a\ndata: 1\n\nid: b\ndata: 2\n\nid: c\ndata: 3\n\n"
  private static let path = "/n"

  init(_ kind: FaultKind) async throws {
    self.kind = kind
    let connection: ConnectionFault? =
      if case .connection(let fault) = kind.fault { fault } else { nil }
    asked = Self.asked(kind, connection)
    var options = ReplayServer.Options()
    switch connection {
    case .offline?, .refused?:
      place = .closed(try ClosedPort())
      return
    case .hostNotFound?:
      place = .nameless
      return
    case .tls(let fault)? where fault.needsCertificate:
      let tls = try ServerTLS()
      options.tls = tls
      let file = TemporaryPlace.new("pem")
      try Data(tls.authority.pem.utf8).write(to: file)
      authority = file
    case .connectTimeout?, .lostSYNs?:
      guard ReplayServer.canLoseSYNs else {
        throw DrillError.plan("A full accept queue drops connection attempts only on Linux")
      }
    case .tls?, nil: break
    }
    // A fault of an idle connection needs a connection that is kept open.
    if case .idle = kind.fault {} else { options.closesConnections = true }
    let server = try await ReplayServer(Self.deck(kind), options)
    let isTLS = if case .tls? = connection { true } else { false }
    place = .server(server, scheme: isTLS ? "https" : "http", hasPorts: connection != nil)
    if case .conversation = kind.fault { live = try await Self.live(kind) }
  }

  /// Starts an origin that plays the conversation without faults, and a proxy with the fault in
  /// front of it.
  private static func live(
    _ kind: FaultKind
  ) async throws -> (proxy: ReplayServer, origin: ReplayServer) {
    let tape = Cassette([StandConversation.recorded(at: path)])
    let origin = try await ReplayServer(Deck(tape, then: .repeat))
    let deck = Deck(
      Cassette(),
      scenario: [.on(RequestPattern("GET \(path)"), .always, kind.fault)],
      options: PlaybackOptions(isProxied: true)
    )
    var options = ReplayServer.Options()
    options.proxy = Proxying()
    return (try await ReplayServer(deck, options), origin)
  }

  private static func deck(_ kind: FaultKind) -> Deck {
    // All random parts of the fault are drawn once, so that every probe meets the same fault.
    let drawn = loaded(kind).decide(Request("GET", RequestURL(path))).decision.faults.first
    return drawn.map { loaded(FaultKind(kind.name, kind.layer, $0)) } ?? loaded(kind)
  }

  private static func loaded(_ kind: FaultKind) -> Deck {
    let scenario: Scenario =
      if case .connection = kind.fault { [.always(.always, kind.fault)] } else {
        [.on(RequestPattern("GET \(path)"), .always, kind.fault)]
      }
    let recorded: Interaction? =
      if case .conversation = kind.fault {
        StandConversation.recorded(at: path)
      } else if kind.fault.isOfEvents {
        Interaction(
          Request("GET", RequestURL(path)),
          Response(headers: ["Content-Type": "text/event-stream"], body: Body(events))
        )
      } else {
        nil
      }
    if let recorded { return Deck(Cassette([recorded]), scenario: scenario, then: .repeat) }
    let stubs: [Stub] = [
      .get(RequestURL(path)) { _ in .text(Body(body)) }, .get("/other", json: ["other": 1]),
    ]
    return Deck(stubs, scenario: scenario)
  }

  private static func asked(_ kind: FaultKind, _ connection: ConnectionFault?) -> ExpectedView {
    switch connection {
    case nil:
      let deck = deck(kind)
      let outcome = deck.decide(Request("GET", RequestURL(path)))
      let delivery = Delivery(outcome, on: .onTheWire)
      guard case .conversation(let fault) = kind.fault else { return ExpectedView(delivery) }
      return StandConversation.asked(delivery, deck.conversation(of: outcome), fault)
    case .offline?, .refused?: return ExpectedView(.refused)
    case .hostNotFound?: return ExpectedView(.nameless)
    case .connectTimeout?: return ExpectedView(.unanswered)
    case .lostSYNs(let count)?:
      var asked = ExpectedView(.finished, after: .seconds(count))
      (asked.status, asked.bytes) = (200, Data(body.utf8))
      return asked
    case .tls?: return ExpectedView(deck(kind).open(lane: .deck, on: .onTheWire))
    }
  }

  /// Whether a client must trust an authority.
  var needsTrust: Bool {
    if case .connection(.tls(let fault)) = kind.fault { fault.needsTrust } else { false }
  }

  /// Whether the fault takes time by its nature.
  var takesTime: Bool {
    asked.pauses >= SelfTest.atOnce || asked.ending == .open || asked.ending == .unanswered
  }

  /// Returns the address to probe. Each probe of a failing connection has a port of its own.
  func url() async throws -> URL {
    let (scheme, host, port) = try await address()
    guard let url = URL(string: "\(scheme)://\(host):\(port)\(Self.path)") else {
      throw DrillError.harness("\(host) is not valid in a URL")
    }
    return url
  }

  /// Probes once by a raw socket. A conversation is probed played and live, and the view that does
  /// not match is returned.
  func wireView() async throws -> WireProbe.View {
    let (scheme, host, port) = try await address()
    let opening = scheme == "https" ? ClientHello.bytes : request(for: Self.path, host, port)
    let probe = WireProbe(host: host, port: port, opening: opening, asked: asked)
    let view = await Thread.result { probe.look() }
    guard let live, view.matches(asked) else { return view }
    let target = "http://\(host):\(live.origin.port)\(Self.path)"
    let second = WireProbe(
      host: host,
      port: live.proxy.port,
      opening: request(for: target, host, live.origin.port),
      asked: asked
    )
    return await Thread.result { second.look() }
  }

  private func request(for target: String, _ host: String, _ port: Int) -> [UInt8] {
    if case .conversation(let fault) = kind.fault {
      return StandConversation.opening(target, host: "\(host):\(port)", fault)
    }
    return Array("GET \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n".utf8)
  }

  private func address() async throws -> (scheme: String, host: String, port: Int) {
    switch place {
    case .closed(let closed): return ("http", "127.0.0.1", closed.port)
    case .nameless: return ("http", Targets.unknownName, 80)
    case .server(let server, let scheme, hasPorts: true):
      return (scheme, "127.0.0.1", try await server.openPort(lane: .deck))
    case .server(let server, let scheme, hasPorts: false): return (scheme, "127.0.0.1", server.port)
    }
  }

  /// Stops the servers after the last probe.
  func close() async {
    if case .server(let server, _, _) = place { await server.stop(grace: .zero) }
    await live?.proxy.stop(grace: .zero)
    await live?.origin.stop(grace: .zero)
    // The file is in the system's folder for temporary files, and it does not matter if it was
    // removed.
    if let authority { try? FileManager.default.removeItem(at: authority) }
  }
}

extension Fault {
  /// Whether the fault applies to a stream of events.
  fileprivate var isOfEvents: Bool {
    switch self {
    case .cut(.event, _): true
    case .alter(.body(let content)): content.isOfEvents
    default: false
    }
  }
}

/// The beginning of a TLS 1.2 handshake (RFC 5246 §7.4.1.2), independent of any library. The first
/// records of a server can therefore be read as they are.
private enum ClientHello {
  static let bytes: [UInt8] = [
    // A record with the message, its version, its random number and no session.
    22, 3, 1, 0, 105, 1, 0, 0, 101, 3, 3, 0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 91, 98,
    105, 112, 119, 126, 133, 140, 147, 154, 161, 168, 175, 182, 189, 196, 203, 210, 217, 0,
    // ECDHE with AES-GCM, which every server of the last ten years supports, and with AES-CBC, as
    // in TLS 1.1 (RFC 8422 §6, RFC 5289 §3.2).
    0, 16, 0xC0, 0x2F, 0xC0, 0x30, 0xC0, 0x2B, 0xC0, 0x2C, 0xC0, 0x13, 0xC0, 0x14, 0xC0, 0x09, 0xC0,
    0x0A,
    // No compression, and three extensions.
    1, 0, 0, 44,
    // supported_groups: x25519, P-256, P-384 (RFC 8422 §5.1.1).
    0, 10, 0, 8, 0, 6, 0, 29, 0, 23, 0, 24,
    // ec_point_formats: uncompressed.
    0, 11, 0, 2, 1, 0,
    // signature_algorithms: ECDSA, RSA-PSS and RSA with SHA-256 to SHA-512, and SHA-1.
    0, 13, 0, 22, 0, 20, 4, 3, 8, 4, 4, 1, 5, 3, 8, 5, 5, 1, 8, 6, 6, 1, 2, 3, 2, 1,
  ]
}
