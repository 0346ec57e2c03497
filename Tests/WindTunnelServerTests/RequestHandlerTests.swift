import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// The handling of a request in each role of a connection, by its head alone.
@Suite struct RequestHandlerTests {
  static func head(
    _ method: String,
    _ target: String,
    _ headers: HeaderFields = ["Host": "x"]
  ) -> RequestHead {
    RequestHead(
      method: method,
      target: target,
      version: .http11,
      headers: headers,
      framing: .none,
      keepsAlive: true,
      expectsContinue: false
    )
  }

  private static func context(_ options: ReplayServer.Options = .init()) -> PortContext {
    PortContext(deck: Deck(Cassette()), owner: .fixed(.deck), options: options, port: 80)
  }

  @Test func `a server plays, and refuses strangers by their heads`() {
    var options = ReplayServer.Options()
    options.origins = OriginPolicy()
    let handler = ReplayHandler(context: Self.context(options))
    expectNil(handler.handle(Self.head("GET", "/a", ["Host": "localhost"])).status)
    let foreign: HeaderFields = ["Host": "evil.example.com"]
    expectEqual(handler.handle(Self.head("GET", "/a", foreign)).status, 403)
  }

  @Test(arguments: [
    ("GET", "/a", nil), ("CONNECT", "api.example.test:443", 501),
    ("GET", "https://api.example.test/a", nil), ("GET", "https://other.example.test/a", 421),
  ])
  func `within an open tunnel only its own place is asked`(
    method: String,
    target: String,
    status: Int?
  ) {
    let context = Self.context()
    let tunnel = OpenedTunnel(to: "api.example.test", port: 443, in: "calm", context.origins)
    expectEqual(tunnel.handle(Self.head(method, target)).status, status)
  }

  @Test(arguments: [
    ("GET", "http://api.example.test/a", nil, 407), ("CONNECT", "api.example.test:443", nil, 407),
    ("GET", "http://wind.tunnel/", 200, 200), ("GET", "/elsewhere", 400, 400),
    ("GET", "https://api.example.test/a", 501, 501),
  ])
  func `a proxy asks peers that it does not know for the code`(
    method: String,
    target: String,
    known: Int?,
    unknown: Int?
  ) throws {
    var settings = Proxying()
    settings.admission = .code("123456")
    let proxy = ProxyContext(
      settings,
      Locked(PeerAuthorizer(settings.admission, own: "127.0.0.1")),
      OwnMachine(listeningAt: "127.0.0.1"),
      try EventLoop()
    )
    let context = PortContext(
      deck: Deck(Cassette(), options: PlaybackOptions(isProxied: true)),
      owner: .fixed(.deck),
      options: ReplayServer.Options(),
      port: 80,
      proxy: proxy
    )
    let head = Self.head(method, target)
    expectEqual(ProxyHandler(proxy, in: context, from: "127.0.0.1").handle(head).status, known)
    let stranger = ProxyHandler(proxy, in: context, from: "192.0.2.1", unknownPeer: "192.0.2.1")
    expectEqual(stranger.handle(head).status, unknown)
    #expect(stranger.handle(head).isRefused)
  }

  @Test func `an admin port answers with what the request brings`() {
    let deck = Deck(Cassette())
    let handler = AdminHandler(Admin(), deck, ConnectionLimit()) { _, _ in }
    let here: HeaderFields = ["Host": "127.0.0.1"]
    expectEqual(handler.handle(Self.head("GET", "/health", here)).status, 200)
    expectEqual(handler.handle(Self.head("GET", "/lost", here)).status, 404)
  }
}

extension RequestHandling {
  /// The status of the server's own answer; `nil` where it gives none.
  fileprivate var status: Int? {
    switch self {
    case .answer(let response), .answerLast(let response): response(Data()).status
    case .refuse(let response): response.status
    case .play, .takeOver: nil
    }
  }

  /// Tells whether the head alone is answered, and ends the connection.
  fileprivate var isRefused: Bool { if case .refuse = self { true } else { false } }
}
