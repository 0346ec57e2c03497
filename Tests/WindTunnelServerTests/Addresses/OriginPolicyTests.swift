import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Pages elsewhere that have a browser ask a server of this machine.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct OriginPolicyTests {
  private static func stranger(
    _ host: String,
    _ headers: HeaderFields = [:],
    allowing texts: [String] = []
  ) -> OriginPolicy.ForeignRequest? {
    let policy = OriginPolicy(allowing: texts.compactMap { OriginPolicy.Allowed($0) })
    return policy.stranger(in: headers, askedAs: host) { $0 == "api.example.test" }
  }

  @Test(
    arguments: [
      ("127.0.0.1:8080", true), ("127.9.9.9", true), ("[::1]:8080", true), ("LOCALHOST", true),
      ("app.localhost:3000", true), ("api.example.test", true), ("API.example.test:8443", true),
      ("", false), ("evil.example.test:8080", false), ("127.0.0.1.evil.example.test", false),
      ("localhost.evil.example.test", false), ("notlocalhost", false), ("10.0.0.1", false),
      ("www.api.example.test", false), ("[::2]", false), ("0.0.0.0", false),
    ]
  )
  func `a server is asked by its own names`(host: String, isOwn: Bool) {
    expectEqual(Self.stranger(host), (isOwn ? nil : .host(host)))
  }

  @Test(arguments: try TestData.rows("origins.json", count: 18) as [([[String]], String?)])
  func `pages of this machine and of the server are answered`(fields: [[String]], page: String?) {
    let headers = HeaderFields(fields.map { HeaderField($0[0], $0[1]) })
    expectEqual(Self.stranger("api.example.test", headers), page.map { .page($0) })
  }

  @Test func `an origin that is let in is whole as a page, and a host as a name`() {
    let app = "https://app.example.test:8443"
    func page(_ origin: String, _ allowed: String) -> OriginPolicy.ForeignRequest? {
      Self.stranger("localhost", ["Origin": origin], allowing: [allowed])
    }
    expectNil(page(app, app))
    expectNil(page("https://app.example.test:443", "https://app.example.test"))
    for other in ["https://app.example.test", "http://app.example.test:8443", "null"] {
      expectEqual(page(other, app), .page(other))
    }
    expectNil(page("null", "null"))
    expectEqual(page(app, "null"), .page(app))
    expectNil(page(app, "*"))
    expectNil(Self.stranger("app.example.test:80", allowing: [app]))
    expectEqual(Self.stranger("example.test", allowing: [app]), .host("example.test"))
    expectNil(Self.stranger("evil.example.test", ["Origin": "null"], allowing: ["*"]))
  }

  @Test(arguments: [
    "", "app.example.test", "https://", "https://a/b", "https://a?b", "https://u@a", "ftp://a",
    "**",
    "Null",
  ])
  func `what is no origin is not let in`(text: String) {
    expectNil(OriginPolicy.Allowed(text))
  }

  // MARK: On the wire

  private static let tape = Cassette([
    Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(body: Body("a")),
      then: .repeat
    ),
    Interaction(
      Request("GET", "https://cdn.example.test/c"),
      Response(body: Body("c")),
      then: .repeat
    ),
    Interaction(
      Request("POST", "https://api.example.test/up"),
      Response(body: Body("up")),
      then: .repeat
    ),
  ])

  private static func serving(
    at host: String = "127.0.0.1",
    _ body: (ReplayServer) async throws -> Void
  ) async throws {
    var options = ReplayServer.Options.patient
    options.origins = OriginPolicy()
    options.host = host
    let deck = Deck(tape, matcher: .pathAndQuery)
    try await ReplayServer.serving(deck, options, body)
  }

  private static func status(
    _ server: ReplayServer,
    _ host: String?,
    _ target: String = "/a",
    _ more: String = ""
  ) async throws -> String {
    let named = host.map { "Host: \($0)\r\n" } ?? ""
    let version = host == nil ? "1.0" : "1.1"
    let text = "GET \(target) HTTP/\(version)\r\n\(named)\(more)Connection: close\r\n\r\n"
    let answer = try await server.answer(to: text)
    return String(answer.statusLine.dropFirst(9).prefix(3))
  }

  @Test func `a name that leads here and is not the server's gets 403 in words`() async throws {
    try await Self.serving { server async throws in
      let own = [
        "127.0.0.1:\(server.port)", "localhost", "[::1]", "api.example.test", "cdn.example.test",
        "API.EXAMPLE.TEST:80", "10.0.2.2:\(server.port)", "box:80", nil, "",
      ]
      for host in own {
        let path = host == "cdn.example.test" ? "/c" : "/a"
        try await expectEqual(Self.status(server, host, path), "200", "\(host ?? "-")")
      }
      for host in ["evil.example.test", "0.0.0.0:\(server.port)", "[::]", "box.local"] {
        try await expectEqual(Self.status(server, host), "403", "\(host)")
      }
      // A whole URL prevails.
      try await expectEqual(Self.status(server, "localhost", "http://evil.example.test/a"), "403")
      try await expectEqual(Self.status(server, "evil.example.test", "\(server.url)/a"), "200")
      let answer = try await server.answer(
        to: "GET /a HTTP/1.1\r\nHost: evil.example.test:8080\r\n\r\n"
      )
      expectEqual(
        answer.content,
        "This server accepts its own addresses, localhost and the hosts of its cassette, not "
          + "\"evil.example.test:8080\". To allow that host, start the server with --allow-origin "
          + "http://evil.example.test:8080.\n"
      )
    }
  }

  @Test func `a page that is not this machine's gets 403 in words, and its request goes nowhere`()
    async throws
  {
    try await Self.serving { server async throws in
      let evil = "Origin: https://evil.example.test\r\n"
      // The same bytes are known from the second time on.
      for _ in 0..<3 {
        try await expectEqual(Self.status(server, "localhost"), "200")
        try await expectEqual(Self.status(server, "localhost", "/a", evil), "403")
      }
      try await expectEqual(
        Self.status(server, "localhost", "/a", "Origin: http://localhost:3000\r\n"),
        "200"
      )
      // Not a byte of what it has behind its head is waited for.
      let answer = try await server.answer(
        to: "POST /up HTTP/1.1\r\nHost: localhost\r\n\(evil)Content-Length: 9999999\r\n\r\n"
      )
      expectEqual(answer.statusLine, "HTTP/1.1 403 Forbidden")
      expectEqual(
        answer.content,
        "This server refuses requests of pages from \"https://evil.example.test\". To allow them, "
          + "start it with --allow-origin https://evil.example.test.\n"
      )
      #expect(!answer.lowercased().contains("access-control"))
    }
  }

  @Test func `one that others can reach is asked by names of the local network, too`() async throws
  {
    try await Self.serving(at: "0.0.0.0") { server async throws in
      for host in ["box", "box.local", "host.docker.internal", "box.home.arpa", "0.0.0.0"] {
        try await expectEqual(Self.status(server, host), "200", "\(host)")
      }
      for host in ["evil.example.test", "local.example.test"] {
        try await expectEqual(Self.status(server, host), "403", "\(host)")
      }
    }
  }

  @Test func `a recorder passes nothing of a stranger's on`() async throws {
    let origin = try await Origin(saying: "ok")
    var options = ReplayServer.Options.patient
    options.origins = OriginPolicy()
    options.upstream = try Upstream(RequestURL("http://localhost:\(origin.address.port)"))
    options.recordedOrigin = "https://api.example.test"
    let deck = Deck(Cassette(), mode: .rewrite)
    try await ReplayServer.serving(deck, options) { server async throws in
      try await expectEqual(Self.status(server, "evil.example.test", "/evil"), "403")
      let page = "Origin: https://evil.example.test\r\n"
      try await expectEqual(Self.status(server, "localhost", "/evil", page), "403")
      for host in ["api.example.test", "127.0.0.1:\(server.port)"] {
        try await expectEqual(Self.status(server, host, "/a"), "200")
      }
      let asked = await origin.asked.first(2)
      #expect(asked.allSatisfy { $0.hasPrefix("GET /a ") }, "\(asked)")
      expectEqual(deck.recordedWithoutTimes.map(\.request.url.path), ["/a", "/a"])
    }
  }
}
