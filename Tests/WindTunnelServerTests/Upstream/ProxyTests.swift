import Origins
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer

/// The recording server between a raw client and a raw origin.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ProxyTests {
  static let end = "Connection: close\r\n\r\n"

  @Test func `both directions pass and are kept`() async throws {
    let origin = try await Origin { text in
      guard text.hasSuffix("hello") else { return nil }
      return (["HTTP/1.1 201 Made\r\nX-A: 1\r\nContent-Length: 2\r\n\r\n", "ok"], .stays)
    }
    try await origin.recording { server, deck async throws in
      let answer = try await server.answer(
        to: "POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-Q: 1\r\nTransfer-Encoding: chunked\r\n" + Self.end
          + "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
      )
      expectEqual(
        answer,
        "HTTP/1.1 201 Made\r\nX-A: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
      )
      let asked = try await origin.asked.next()
      expectEqual(
        asked,
        "POST /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:\(origin.address.port)\r\nX-Q: 1\r\n"
          + "Connection: close\r\nContent-Length: 5\r\n\r\nhello"
      )
      let url = RequestURL("\(origin.url.origin ?? "")/a?b=c")
      let request = Request("POST", url, headers: ["X-Q": "1"], body: Body("hello"))
      var response = Response(
        status: 201,
        headers: ["X-A": "1", "Content-Length": "2"],
        body: Body("ok")
      )
      response.head.customReasonPhrase = "Made"
      expectEqual(deck.recordedWithoutTimes, [Interaction(request, response)])
    }
  }

  @Test func `a chunked answer is passed in chunks and kept as one`() async throws {
    let origin = try await Origin { _ in
      (
        ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"],
        .stays
      )
    }
    try await origin.recording { server, deck async throws in
      let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n" + Self.end)
      #expect(answer.contains("\r\nTransfer-Encoding: chunked\r\n"))
      #expect(answer.hasSuffix("0\r\n\r\n"))
      expectEqual(
        deck.recordedWithoutTimes.map(\.result),
        [.response(Response(headers: ["Transfer-Encoding": "chunked"], body: Body("hello")))]
      )
    }
  }

  @Test func `machine addresses stay off the tape and out of the client's sight`() async throws {
    let names = Events<String>()
    let origin = try await Origin { text in
      let host =
        text.range(of: "Host: ").map { text[$0.upperBound...].prefix { $0 != "\r\n" } } ?? ""
      names(String(host))
      return (
        ["HTTP/1.1 302 Found\r\nLocation: https://\(host)/b#c\r\nContent-Length: 0\r\n\r\n"], .stays
      )
    }
    try await origin.recording(as: "https://api.example.test") { server, deck async throws in
      let own = "127.0.0.1:\(server.port)"
      let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: \(own)\r\n" + Self.end)
      #expect(answer.contains("\r\nLocation: http://\(own)/b#c\r\n"))
      try await expectEqual(names.next(), "api.example.test")
      expectEqual(
        deck.recordedWithoutTimes,
        [
          Interaction(
            Request("GET", "https://api.example.test/a"),
            Response(
              status: 302,
              headers: ["Location": "https://api.example.test/b#c", "Content-Length": "0"]
            )
          )
        ]
      )
    }
  }

  @Test func `what a client did not wait for is kept as that`() async throws {
    let origin = try await Origin { _ in
      (
        [
          "HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n",
          String(repeating: "a", count: 20_000_000),
        ], .stays
      )
    }
    let deck = Deck(Cassette(), mode: .rewrite)
    try await origin.recording(deck) { server, _ async throws in
      let client = try server.client()
      await client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = await client.receive(atLeast: 100)
      client.close()
      _ = try await origin.left.next()
    }
    // The origin is left before so much is kept, and the server ends behind that.
    let left = Failure(.cancelled, text: "the client left")
    expectEqual(deck.recorded().cassette.interactions.map(\.failure), [left])
  }

  @Test func `recordings stand in the order of the requests, not of the answers`() async throws {
    let origin = try await Origin(
      holdingFirstUntilAnotherCame: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    )
    try await origin.recording { server, deck async throws in
      let client = try server.client()
      await client.send("GET /first HTTP/1.1\r\nHost: x\r\n" + Self.end)
      _ = try await origin.asked.next()
      let second = try await server.answer(to: "GET /second HTTP/1.1\r\nHost: x\r\n" + Self.end)
      expectEqual(second.statusLine, "HTTP/1.1 200 OK")
      let (bytes, _) = await client.finish()
      expectEqual(String(decoding: bytes, as: UTF8.self).statusLine, "HTTP/1.1 200 OK")
      expectEqual(
        deck.recorded().cassette.interactions.map(\.request.url.path),
        ["/first", "/second"]
      )
    }
  }

  @Test func `faults are applied before the request is sent to the upstream`() async throws {
    let origin = try await Origin(saying: "")
    let deck = Deck(
      Cassette(),
      scenario: [
        .on("GET /late", .always, .delay(.exactly(.milliseconds(80)))),
        .on("GET /down", .always, .status(503)),
      ],
      mode: .rewrite
    )
    try await origin.recording(deck) { server, deck async throws in
      let down = try await server.answer(to: "GET /down HTTP/1.1\r\nHost: x\r\n" + Self.end)
      expectEqual(down.statusLine, "HTTP/1.1 503 Service Unavailable")
      let clock = ContinuousClock()
      let start = clock.now
      let late = try await server.answer(to: "GET /late HTTP/1.1\r\nHost: x\r\n" + Self.end)
      expectEqual(late.statusLine, "HTTP/1.1 200 OK")
      #expect(clock.now - start >= .milliseconds(80))
      expectEqual(deck.recorded().cassette.interactions.map(\.request.url.path), ["/late"])
    }
  }

  @Test func `an upstream that refuses is a 502 and a failure on the tape`() async throws {
    let port = try ClosedPort()
    let deck = Deck(Cassette(), mode: .rewrite)
    let options = try ReplayServer.Options.before(RequestURL("http://127.0.0.1:\(port.port)"))
    try await ReplayServer.serving(deck, options) { server async throws in
      let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
    }
    let failures = deck.recordedWithoutTimes.map { interaction -> Symptom? in
      guard case .failure(let failure) = interaction.result else { return nil }
      return failure.symptom
    }
    expectEqual(failures, [.connectionRefused])
    withExtendedLifetime(port) {}
  }
}
