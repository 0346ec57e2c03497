import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

@testable import WindTunnelCassettes
@testable import WindTunnelHTTP
@testable import WindTunnelLink
@testable import WindTunnelReports
@testable import WindTunnelServer
@testable import WindTunnelWire

/// Tunnels that a proxy looks into.
@Suite(.timeLimit(.minutes(5)), .stopsLoops, .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct OpenTunnelTests {
  private static let tape = Cassette([
    Interaction(Request("GET", "https://api.example.test/a"), .text("a")),
    Interaction(Request("GET", "https://api.example.test:8443/b"), .text("b")),
  ])

  private static func get(_ target: String, _ more: String = "Connection: close\r\n") -> String {
    "GET \(target) HTTP/1.1\r\nHost: somebody.test\r\n\(more)\r\n"
  }

  /// A proxy that opens tunnels, and trusts the authority of the tests to vouch for origins.
  static func opening<Result>(
    _ scenario: Scenario = .calm,
    tape: Cassette = Cassette(),
    mode: RecordMode = .none,
    trusting authority: CertificateAuthority? = nil,
    at address: String = "127.0.0.1",
    _ body: (ReplayServer, Deck, Events<EndedExchange>) async throws -> Result
  ) async throws -> Result {
    let file = try TLSKit.authorityFile(authority)
    defer { file.remove() }
    var proxy = Proxying()
    proxy.opening = TunnelOpening(
      ServerTLS(authority: try TLSKit.authority.get()),
      trusting: .certificates(file.url)
    )
    return try await ReplayServer.proxying(
      scenario,
      tape: tape,
      mode: mode,
      as: proxy,
      at: address,
      body
    )
  }

  /// What a client hears in a tunnel that it asks for, and how its connection ends.
  static func ask(
    _ server: ReplayServer,
    through authority: String,
    _ text: String,
    trusting context: TLSContext? = nil
  ) async throws -> (heard: String, error: SocketError.Kind?) {
    let loop = try EventLoop.ofTheTest()
    let ended = Events<(String, SocketError.Kind?)>()
    let trusting = try context ?? TLSKit.client()
    let place = try #require(SocketAddress(RequestURL(server.url).host ?? "", port: server.port))
    let host = try #require(RequestURL("https://\(authority)").host)
    try await loop.run { reactor in
      let engine = try TLSEngine(trusting, host: HostName(host))
      let (plain, secret) = (Script(), Script())
      var (head, heard) = ("", "")
      secret.received = { _, bytes in heard += String(decoding: bytes, as: UTF8.self) }
      secret.ended = { $0.close() }
      secret.closed = { ended((heard, $0?.kind)) }
      plain.connected = { $0.write(Array("CONNECT \(authority) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) }
      plain.received = { channel, bytes in
        head += String(decoding: bytes, as: UTF8.self)
        guard head.hasSuffix("\r\n\r\n"), head.hasPrefix("HTTP/1.1 200 ") else { return }
        channel.delegate = secret
        channel.startTLS(engine)
        channel.write(Array(text.utf8))
      }
      plain.ended = { $0.close() }
      plain.closed = { ended((head, $0?.kind)) }
      _ = try Channel(connectingTo: place, on: reactor, delegate: plain)
    }
    let (heard, error) = try await ended.next()
    return (heard, error)
  }

  @Test func `requests within are answered from the tape, by the CONNECT's host and port`()
    async throws
  {
    try await Self.opening(tape: Self.tape) { server, _, seen async throws in
      let two = Self.get("/a", "") + Self.get("https://api.example.test/b")
      let plain = try await Self.ask(server, through: "api.example.test:443", two)
      #expect(plain.heard.count(of: "HTTP/1.1 200 OK") == 1 && plain.heard.contains("\r\n\r\na"))
      #expect(plain.heard.contains("HTTP/1.1 501 Not Implemented"), "another port is another host")
      let other = try await Self.ask(server, through: "api.example.test:8443", Self.get("/b"))
      #expect(other.heard.content == "b" && other.error == nil)
      await expectEqual(
        seen.first(3).map(\.timeless).last,
        .request("https://api.example.test:8443/b", 200, bytes: 1, isFromTape: true)
      )
    }
  }

  @Test func `what passes within is recorded as it was, and played when the origin is gone`()
    async throws
  {
    let deck = Deck([.post("/up") { .text(Body("\($0.headers["Host"] ?? "-") \($0.body.count)")) }])
    let body = String(repeating: "x", count: 100_000)
    let post = "POST /up HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n"
    let (authority, tape) = try await TLSServerTests.serving(deck) { origin, _ async throws in
      let authority = "localhost:\(origin.port)"
      return try await Self.opening(mode: .newEpisodes) { server, deck, _ async throws in
        let heard = try await Self.ask(server, through: authority, post + body).heard
        expectEqual(heard.content, "- 100000")
        return (authority, deck.recordedWithoutTimes)
      }
    }
    expectEqual(
      tape,
      [
        Interaction(
          Request(
            "POST",
            RequestURL("https://\(authority)/up"),
            headers: ["Content-Length": "100000"],
            body: Body(body)
          ),
          Response(
            headers: ["Content-Type": "text/plain; charset=utf-8", "Content-Length": "8"],
            body: Body("- 100000")
          )
        )
      ]
    )
    try await Self.opening(tape: Cassette(tape)) { server, _, _ async throws in
      let heard = try await Self.ask(server, through: authority, post + body).heard
      expectEqual(heard.content, "- 100000")
    }
  }

  @Test func `an origin whose certificate does not hold is a 502, and a failure by name`()
    async throws
  {
    try await TLSServerTests.serving { origin, _ async throws in
      let stranger = try CertificateAuthority()
      try await Self.opening(mode: .newEpisodes, trusting: stranger) { server, deck, _ in
        let authority = "localhost:\(origin.port)"
        let heard = try await Self.ask(server, through: authority, Self.get("/n")).heard
        expectEqual(heard.statusLine, "HTTP/1.1 502 Bad Gateway")
        #expect(heard.contains("its certificate is invalid"))
        expectEqual(
          deck.recordedWithoutTimes.map(\.failure?.symptom),
          [.serverCertificateHasUnknownRoot]
        )
      }
    }
  }

  @Test func `a rule acts once: on the connection, or on the request within`() async throws {
    let scenario: Scenario = [
      .on("CONNECT *", .first(1), .status(407)),
      .always(.attempt(2), .connection(.refused)),
      .on("GET https://api.example.test/a", .first(1), .status(503)),
      .always(.attempt(2), .reset(.afterRequest)),
    ]
    try await Self.opening(scenario, tape: Self.tape) { server, _, seen async throws in
      var heard: [String] = []
      for _ in 0..<5 {
        let (text, error) = try await Self.ask(
          server,
          through: "api.example.test:443",
          Self.get("/a")
        )
        heard.append(error.map { "\($0)" } ?? String(text.statusLine.dropFirst(9)))
      }
      expectEqual(
        heard,
        [
          "407 Proxy Authentication Required", "502 Bad Gateway", "503 Service Unavailable",
          "reset", "200 OK",
        ]
      )
      await expectEqual(seen.first(5).count, 5)
    }
  }

  @Test func `a client that does not trust the proxy is seen as such`() async throws {
    try await Self.opening(tape: Self.tape) { server, _, seen async throws in
      let stranger = try TLSKit.client(trusting: CertificateAuthority())
      let (heard, error) = try await Self.ask(
        server,
        through: "api.example.test:443",
        Self.get("/a"),
        trusting: stranger
      )
      expectEqual(heard, "")
      if case .insecure = error {} else { Issue.record("\(String(describing: error))") }
      let refused = TunnelEnd(
        scenario: "calm",
        authority: "api.example.test:443",
        connect: nil,
        bytesUp: 0,
        bytesDown: 0,
        duration: .zero,
        reason: .certificateRefused
      )
      try await expectEqual(seen.next().timeless, .tunnel(refused))
      // One that is opened in advance and not used is nobody's failure.
      let idle = try server.client()
      await idle.send("CONNECT a.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = await idle.receive(atLeast: 1)
      idle.close()
      guard case .tunnel(let unused) = try await seen.next() else { return }
      #expect(unused.reason == .closed && !unused.isBroken && unused.connect == nil)
      var log = ProxyLog()
      log.begin(Scenario("calm"), seed: 1)
      log.apply(.tunnelEnded(refused))
      let report = ProxyReport(log, seed: 1, duration: .zero)
      expectEqual(report.scenarios[0].connections.map(\.isBroken), [true])
      #expect(report.unseen.contains { $0.hasPrefix("The requests of 1 connection: ") })
    }
  }

  @Test(arguments: [
    ("GET https://other.test/a HTTP/1.1\r\nHost: x\r\n", 421, "not to https://other.test/a"),
    ("GET http://api.example.test/a HTTP/1.1\r\nHost: x\r\n", 421, "This tunnel leads to https://"),
    ("CONNECT other.test:443 HTTP/1.1\r\nHost: x\r\n", 501, "it cannot contain another tunnel"),
    ("GET /nothing HTTP/1.1\r\nHost: wind.tunnel\r\n", 501, "https://api.example.test/nothing"),
  ])
  func `what does not belong in a tunnel is refused in words`(
    head: String,
    status: Int,
    words: String
  ) async throws {
    try await Self.opening(tape: Self.tape) { server, _, _ async throws in
      let heard = try await Self.ask(
        server,
        through: "api.example.test:443",
        head + "Connection: close\r\n\r\n"
      ).heard
      #expect(heard.hasPrefix("HTTP/1.1 \(status) "), "\(heard)")
      #expect(heard.content.contains(words), "\(heard)")
    }
  }

  @Test func `every request within meets the link, and the first one the handshake's part of it`()
    async throws
  {
    let link = Link(up: .init(delay: .milliseconds(20)), down: .init(delay: .milliseconds(30)))
    try await Self.opening(Scenario("slow", link: link), tape: Self.tape) { server, deck, seen in
      let start = ContinuousClock.now
      let two = Self.get("/a", "") + Self.get("/a")
      let heard = try await Self.ask(server, through: "api.example.test:443", two).heard
      expectEqual(heard.count(of: "HTTP/1.1 200 OK"), 2)
      // A round trip for the connection, one for TLS, and one for each request.
      #expect(ContinuousClock.now - start >= .milliseconds(200))
      let paths = [nil, 1, 0].map { handshakes -> Delivery in
        var outcome = deck.decide(Request("GET", "https://api.example.test/a"))
        outcome.path?.handshakes = handshakes
        return Delivery(outcome, on: .onTheWire)
      }
      expectEqual(
        paths.map { $0.steps[1] },
        [.wait(.milliseconds(120)), .wait(.milliseconds(70)), .wait(.milliseconds(20))]
      )
    }
  }

  @Test func `unencrypted bytes pass a tunnel unchanged, except to a recorded host`() async throws {
    let echo = try await Echo()
    try await Self.opening { server, _, seen async throws in
      let client = try await server.tunnel(to: echo.address, early: "hel")
      await client.send("lo")
      await expectEqual(client.receive(exactly: 5), Array("hello".utf8))
      client.socket.finishWriting()
      #expect(await client.finish() == ([], .finished))
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(tunnel.reason == .closed && tunnel.bytesDown == 5)
      #expect(tunnel.connect != nil)
    }
    let (origin, closed) = (
      Request("GET", RequestURL("http://\(echo.address)/a")), RawClient.End.finished
    )
    let tape = Cassette([Interaction(origin, .text("a"))])
    try await Self.opening(tape: tape) { server, _, seen async throws in
      let client = try await server.tunnel(to: echo.address)
      #expect(await client.all(after: "hello") == ([], closed))
      guard case .tunnel(let tunnel) = try await seen.next() else { return }
      #expect(tunnel.reason == .cut && tunnel.connect == nil)
    }
  }

  @Test func `what is not recorded shares a connection to its origin`() async throws {
    let loop = try EventLoop.ofTheTest()
    let asked = Events<Int>()
    let connections = Locked(0)
    let leaf = Leaf(names: HostName.own)
    let address = try await TLSChannelTests.serve(on: loop, leaf: leaf) { script in
      let number = connections.withLock { count in
        count += 1
        return count
      }
      script.received = { channel, _ in
        asked(number)
        channel.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
      }
      script.ended = { $0.close() }
    }
    try await Self.opening { server, _, _ async throws in
      let two = Self.get("/a", "") + Self.get("/b")
      let (heard, _) = try await Self.ask(server, through: "localhost:\(address.port)", two)
      expectEqual(heard.count(of: "HTTP/1.1 200 OK"), 2, "\(heard)")
      await expectEqual(asked.first(2), [1, 1])
    }
  }

  @Test func `a WebSocket in an open tunnel passes unharmed`() async throws {
    let loop = try EventLoop.ofTheTest()
    let agreed = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n"
    let address = try await TLSChannelTests.serve(on: loop, leaf: Leaf(names: HostName.own)) {
      script in
      var isAgreed = false
      script.received = { channel, bytes in
        if isAgreed { channel.write(bytes.reversed()) } else { channel.write(Array(agreed.utf8)) }
        if isAgreed { channel.close() }
        isAgreed = true
      }
      script.ended = { $0.close() }
    }
    try await Self.opening { server, _, _ async throws in
      let wish = Self.get("/chat", "Connection: Upgrade\r\nUpgrade: websocket\r\n")
      let (heard, _) = try await Self.ask(
        server,
        through: "localhost:\(address.port)",
        wish + "frame"
      )
      expectEqual(heard, agreed + "emarf")
    }
  }

  @Test func `a TLS handshake in a tunnel fails by its certificate if the scenario has that fault`()
    async throws
  {
    let scenario: Scenario = [
      .always(.attempt(1), .connection(.tls(.expired))),
      .always(.attempt(2), .connection(.tls(.wrongHost))),
      .always(.attempt(3), .connection(.tls(.unknownRoot))),
    ]
    try await Self.opening(scenario, tape: Self.tape) { server, _, seen async throws in
      var symptoms: [Symptom?] = []
      for _ in 0..<4 {
        let (heard, error) = try await Self.ask(
          server,
          through: "api.example.test:443",
          Self.get("/a")
        )
        if case .insecure(let failure)? = error {
          symptoms.append(failure.symptom)
        } else {
          symptoms.append(nil)
          expectEqual(heard.content, "a")
        }
      }
      expectEqual(
        symptoms,
        [
          .serverCertificateHasBadDate, .serverCertificateUntrusted,
          .serverCertificateHasUnknownRoot, nil,
        ]
      )
    }
  }

  @Test func `a proxy's end ends what is open in tunnels`() async throws {
    try await Self.opening(tape: Self.tape) { server, deck, _ async throws in
      async let heard = Self.ask(server, through: "api.example.test:443", Self.get("/a", ""))
      // The client has asked, and stays until the server goes.
      while deck.attempts("GET /a") == 0 { await Task.yield() }
      await server.stop(grace: .seconds(5))
      try await expectEqual(heard.heard.content, "a")
    }
  }
}

extension RecordedResult {
  /// A text as a server gives it.
  fileprivate static func text(_ text: String) -> RecordedResult {
    .response(
      Response(
        headers: ["Content-Type": "text/plain", "Content-Length": String(text.utf8.count)],
        body: Body(text)
      )
    )
  }
}
