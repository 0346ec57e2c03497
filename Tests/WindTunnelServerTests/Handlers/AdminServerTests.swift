import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The admin port over real sockets.
@Suite(.timeLimit(.minutes(5))) struct AdminServerTests {
  static func options() -> ReplayServer.Options {
    var options = ReplayServer.Options.patient
    var admin = Admin()
    admin.scenarios = [.calm, Scenario("rain", rules: [.on("GET /a", .always, .status(429))])]
    options.admin = admin
    return options
  }

  static let tape = Cassette([
    Interaction(Request("GET", "https://api.example.test/a"), Response(body: Body("hello")))
  ])

  /// Asks the admin port once.
  static func ask(_ server: ReplayServer, _ line: String, _ body: String = "") async throws
    -> String
  {
    let port = try #require(server.adminURL.flatMap { RequestURL($0).port })
    let (bytes, end) = try await RawClient(.loopback(port: port)).all(
      after:
        "\(line) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    expectEqual(end, .finished)
    return String(decoding: bytes, as: UTF8.self)
  }

  static let get = closing("GET /a")

  @Test func `silent connections keep nobody out`() async throws {
    try await ReplayServer.serving(Deck(Self.tape), Self.options()) { server in
      let port = try #require(server.adminURL.flatMap { RequestURL($0).port })
      let waiting = try RawClient(.loopback(port: port))
      await waiting.send("GET /health HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
      _ = await waiting.receive(until: "HTTP/1.1 200")
      let half = "GET /health HTTP/1.1\r\nHost: local"
      let silent = try (0..<2 * BoundListener.ownConnectionsMax).map { _ in
        try RawClient(.loopback(port: port))
      }
      for client in silent.prefix(20) { await client.send(half) }
      #expect(try await Self.ask(server, "GET /health").hasPrefix("HTTP/1.1 200"))
      await waiting.send("GET /health HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
      await expectEqual(waiting.receive(until: "HTTP/1.1 200").count(of: "200"), 1)
      for client in silent + [waiting] { client.close() }
    }
  }

  @Test func `a request waits until the responses before it are read`() async throws {
    try await ReplayServer.serving(Deck(Self.tape), Self.options()) { server in
      let port = try #require(server.adminURL.flatMap { RequestURL($0).port })
      let document = "GET /openapi.json HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n"
      let bytes = try await Self.ask(server, "GET /openapi.json").utf8.count
      // More than the system's buffers take of one connection.
      let count = 32 << 20 / bytes
      let client = try RawClient(.loopback(port: port))
      await client.send(String(repeating: document, count: count))
      let stub = #"{"request": "GET /late", "response": {"text": "late"}}"#
      await client.send(
        "PUT /stubs/late HTTP/1.1\r\nHost: localhost:\(port)\r\n"
          + "Content-Length: \(stub.utf8.count)\r\n\r\n\(stub)"
      )
      client.socket.finishWriting()
      #expect(try await !Self.ask(server, "GET /stubs").contains("late"))
      let (all, end) = await client.receiveAll()
      expectEqual(end, .finished)
      let text = String(decoding: all, as: UTF8.self)
      expectEqual(text.count(of: "HTTP/1.1 20"), count + 1)
      #expect(try await Self.ask(server, "GET /stubs").contains("late"))
    }
  }

  @Test func `the admin port lists, verifies and resets the received requests`() async throws {
    let deck = Deck(Self.tape, matcher: .pathAndQuery, then: .repeat)
    try await ReplayServer.serving(deck, Self.options()) { server in
      #expect(server.adminURL != nil && server.adminURL != server.url)
      for _ in 1...2 { try await expectEqual(server.answer(to: Self.get).content, "hello") }
      let question = #"{"request":"GET /a","times":2}"#
      let verdict = try await Self.ask(server, "POST /verify", question)
      // A connection has a number of its own before its request.
      let seen = #""requests": [{"id": 2, "request": "GET http://x/a"}, "#
      expectEqual(
        verdict.content,
        #"{"passed": true, "asked": "GET /a exactly 2 times", "seen": {"count": 2, "#
          + seen + #"{"id": 4, "request": "GET http://x/a"}]}}"# + "\n"
      )
      let told = try await Self.ask(server, "GET /requests?status=200&source=recording").content
      expectEqual(told.count(of: #""status": 200, "bytes": 5"#), 2, "\(told)")
      #expect(try await Self.ask(server, "GET /interactions").content.contains(#""plays": 2"#))
      #expect(try await Self.ask(server, "POST /reset").statusLine.hasSuffix("204 No Content"))
      #expect(try await Self.ask(server, "POST /verify", question).content.contains("false"))
      #expect(try await Self.ask(server, "GET /interactions").content.contains(#""plays": 0"#))
      // Questions are no requests.
      #expect(deck.journal.all.isEmpty)
    }
  }

  @Test func `a scenario is flown from the next request on`() async throws {
    let deck = Deck(Self.tape, matcher: .pathAndQuery, then: .repeat)
    try await ReplayServer.serving(deck, Self.options()) { server in
      // One connection: the weather changes between two of its requests.
      let client = try server.client()
      let ask = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
      await client.send(ask)
      let calm = await client.receive(atLeast: "HTTP/1.1 200 OK".utf8.count)
      expectEqual(String(decoding: calm, as: UTF8.self).statusLine, "HTTP/1.1 200 OK")
      let swapped = try await Self.ask(server, "PUT /scenario", #"{"name":"rain","seed":5}"#)
      expectEqual(swapped.statusLine, "HTTP/1.1 200 OK")
      await client.send(ask)
      let rain = await client.receive(atLeast: "HTTP/1.1 429".utf8.count)
      #expect(String(decoding: rain, as: UTF8.self).hasPrefix("HTTP/1.1 429"))
      client.close()
      expectEqual(deck.seed, 5)
      let bad = try await Self.ask(server, "PUT /scenario", #"{"name":"rian"}"#)
      expectEqual(bad.statusLine, "HTTP/1.1 400 Bad Request")
      expectEqual(deck.scenario.name, "rain")
    }
  }

  @Test func `a server that takes no more connections still tells`() async throws {
    var options = Self.options()
    options.limits.connectionsMax = 1
    let deck = Deck(Self.tape, matcher: .pathAndQuery)
    try await ReplayServer.serving(deck, options) { server in
      let client = try server.client()
      await client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = await client.receive(atLeast: "HTTP/1.1 200 OK".utf8.count)
      let metrics = try await Self.ask(server, "GET /metrics").content
      #expect(metrics.contains("windtunnel_connections_open 1\n"), "\(metrics)")
      #expect(metrics.contains("windtunnel_requests_total{source=\"recording\"} 1\n"), "\(metrics)")
      client.close()
    }
  }

  @Test(arguments: [("/scenario", Scenario.fileBytesMax), ("/cassette", Admin.cassetteBytesMax)])
  func `a body beyond the limit is refused before it comes`(path: String, most: Int) async throws {
    try await ReplayServer.serving(Deck(Self.tape), Self.options()) { server in
      let port = try #require(server.adminURL.flatMap { RequestURL($0).port })
      let (bytes, _) = try await RawClient(.loopback(port: port)).all(
        after:
          "PUT \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(most + 1)\r\n\r\n"
      )
      #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 413"))
    }
  }

  @Test func `without it nothing listens and nothing is kept`() async throws {
    let server = try await ReplayServer(Deck(Self.tape), .patient)
    expectNil(server.adminURL)
    await server.stop(grace: .zero)
  }
}
