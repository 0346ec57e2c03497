import Origins
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// What a recorder writes down of an origin that is known by another name than its own.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct RecordedOriginTests {
  /// Records one GET of `/start` that `answer` is the answer to.
  private func record(_ answer: String, as name: RequestURL) async throws
    -> (seen: [ResponseParser.Event], kept: Interaction)
  {
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.write(Array(answer.utf8))
        channel.close()
      }
    }
    var options = try ReplayServer.Options.before(RequestURL("http://\(address)"))
    options.recordedOrigin = name
    let deck = Deck(Cassette(), matcher: .pathAndQuery, mode: .rewrite)
    let server = try await ReplayServer(deck, options)
    let (bytes, end) = try await RawClient(.loopback(port: server.port)).all(
      after: closing("GET /start", host: "127.0.0.1")
    )
    expectEqual(end, .finished)
    await server.stop()
    var parser = ResponseParser()
    parser.expectAnswer(to: "GET")
    let kept = try #require(deck.recorded().cassette.interactions.first)
    return (parser.events(of: bytes, by: bytes.count), kept)
  }

  @Test(arguments: [
    // Asked over plain HTTP, it does not know that it is behind TLS.
    ("https://api.example.test", "http://api.example.test/next?a=1", true),
    ("https://api.example.test", "https://api.example.test/next?a=1", true),
    ("https://api.example.test:8443", "http://api.example.test:8443/next?a=1", true),
    ("https://api.example.test", "http://api.example.test:8080/next?a=1", false),
    ("https://api.example.test", "http://other.example.test/next?a=1", false),
  ])
  func `a redirect to the origin itself is one, whatever scheme it thinks it has`(
    name: RequestURL,
    location: String,
    isOwn: Bool
  ) async throws {
    let answer = "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
    let (seen, kept) = try await record(answer, as: name)
    let shown = seen.first?.headOrNil?.head.headers["Location"]
    expectEqual(shown, (isOwn ? "http://127.0.0.1/next?a=1" : location))
    let written = kept.response?.headers["Location"]
    expectEqual(written, (isOwn ? "\(name.origin ?? "")/next?a=1" : location))
  }

  @Test func `an address of this machine comes onto no tape that has another name`() async throws {
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        guard let own = channel.socket.localAddress else { return channel.reset() }
        let body = "{\"next\":\"http://\(own)/p\"}"
        let fields = [
          "Location: //\(own)/next?a=1#b", "Content-Length: \(body.utf8.count)",
          "Content-Type: application/json", "Operation-Location: http://a@\(own)/job",
          "Link: <http://\(own)/p?page=2>; rel=\"next\", <//\(own)>; rel=up, <http://\(own)0/>; rel=x",
          "Content-Location: http://\(own)/start", "Refresh: 5; url=http://\(own)/later",
          "X-Other: http://other.example.test/a http://a@\(own)/b",
        ]
        channel.write(
          Array("HTTP/1.1 302 Found\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8)
        )
        channel.close()
      }
    }
    var options = try ReplayServer.Options.before(RequestURL("http://\(address)"))
    options.recordedOrigin = "https://api.example.test:8443"
    let deck = Deck(Cassette(), matcher: .pathAndQuery, mode: .rewrite)
    let shown = try await ReplayServer.serving(deck, options) { server in
      try await server.answer(to: closing("GET /start", host: "127.0.0.1"))
    }
    // The client comes back here.
    #expect(shown.contains("Location: http://127.0.0.1/next?a=1#b\r\n"), "\(shown)")
    let kept = try #require(deck.recorded().cassette.interactions.first?.response?.headers)
    let recorded = try #require(deck.recorded().cassette.interactions.first?.response?.body)
    expectEqual(recorded.text, #"{"next":"https://api.example.test:8443/p"}"#)
    #expect(shown.hasSuffix(#"{"next":"http://\#(address)/p"}"#), "\(shown)")
    let job = "https://REDACTED-userinfo-1@api.example.test:8443/job"
    expectEqual(kept["Operation-Location"], job)
    expectEqual(kept["Location"], "//api.example.test:8443/next?a=1#b")
    expectEqual(
      kept["Link"],
      "<https://api.example.test:8443/p?page=2>; rel=\"next\", "
        + "<//api.example.test:8443>; rel=up, <http://\(address)0/>; rel=x"
    )
    expectEqual(kept["Content-Location"], "https://api.example.test:8443/start")
    expectEqual(kept["Refresh"], "5; url=https://api.example.test:8443/later")
    // Another place, and one that somebody is named for.
    expectEqual(
      kept["X-Other"],
      "http://other.example.test/a http://REDACTED-userinfo-1@\(address)/b"
    )
  }

  @Test(arguments: ["//api.example.test/next", "https://api.example.test/next"])
  func `a recorded redirect to the origin itself comes back here`(location: String) async throws {
    let tape = Cassette([
      Interaction(
        Request("GET", "https://api.example.test/start"),
        .response(Response(status: 302, headers: ["Location": location]))
      )
    ])
    try await ReplayServer.serving(Deck(tape, matcher: .pathAndQuery)) { server async throws in
      let host = "127.0.0.1:\(server.port)"
      let answer = try await server.answer(to: closing("GET /start", host: host))
      #expect(answer.contains("Location: http://\(host)/next\r\n"), "\(answer)")
    }
  }

  @Test func `a failure's words name the origin on the tape, too`() async throws {
    let port = try ClosedPort()
    let deck = Deck(Cassette(), mode: .rewrite)
    var options = try ReplayServer.Options.before(RequestURL("http://127.0.0.1:\(port.port)"))
    options.recordedOrigin = "https://api.example.test"
    try await ReplayServer.serving(deck, options) { server async throws in
      _ = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
    }
    let text = try #require(deck.recorded().cassette.interactions.first?.failure?.text)
    #expect(text.contains("api.example.test"), "\(text)")
    #expect(!text.contains("127.0.0.1") && !text.contains("\(port.port)"), "\(text)")
    withExtendedLifetime(port) {}
  }

  @Test func `a JSON body that was cut off names the origin on the cassette, too`() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    let body = #"{"next": "http://api.example.test/p", "#
    let (_, kept) = try await record(head + body, as: "https://api.example.test")
    expectEqual(kept.response?.body.text, #"{"next": "https://api.example.test/p", "#)
    expectEqual(kept.response?.headers["Content-Length"], "100")
    expectEqual(kept.failure?.symptom, .truncated)
  }

  @Test func `the mark of a streamed answer stays where it stood`() async throws {
    let fields = "Server: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nDate: today\r\n"
    let answer = "HTTP/1.1 200 OK\r\n\(fields)\r\n2\r\nhi\r\n0\r\n\r\n"
    let (seen, kept) = try await record(answer, as: "http://api.example.test")
    let expected = ["Server", "Transfer-Encoding", "Date"]
    expectEqual(kept.response?.headers.map(\.name), expected)
    expectEqual(kept.response?.body.text, "hi")
    expectEqual(seen.first?.headOrNil?.head.headers.map(\.name), expected + ["Connection"])
  }

  @Test func `interim responses are passed on, recorded and played`() async throws {
    let hints = "</a.css>; rel=preload, <http://api.example.test/b.css>; rel=preload"
    let interims = "HTTP/1.1 103 Early Hints\r\nLink: \(hints)\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    let last = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
    let origin = try await Origin { _ in ([interims + last], .close) }
    var options = try ReplayServer.Options.before(origin.url)
    options.recordedOrigin = "http://api.example.test"
    func ask(_ deck: Deck, _ options: ReplayServer.Options) async throws {
      try await ReplayServer.serving(deck, options) { server async throws in
        let name = "127.0.0.1:\(server.port)"
        let seen = try await server.answer(to: closing("GET /a", host: name))
        expectEqual(seen, interims.replacing("api.example.test", with: name) + last)
        // RFC 9110 §15.2.
        try await expectEqual(server.answer(to: "GET /b HTTP/1.0\r\n\r\n"), last)
      }
    }
    let deck = Deck(Cassette(), matcher: .pathAndQuery, mode: .rewrite)
    try await ask(deck, options)
    let kept = deck.recorded().cassette
    try await ask(Deck(kept, matcher: .pathAndQuery), .patient)
    let heads = [ResponseHead(status: 103, headers: ["Link": hints]), ResponseHead(status: 100)]
    expectEqual(kept.interactions.map { $0.response?.head.informational }, [heads, heads])
  }
}
