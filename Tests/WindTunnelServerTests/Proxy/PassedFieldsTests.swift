import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer

/// What of a live exchange a proxy passes on, and what it keeps to itself.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct PassedFieldsTests {
  @Test func `what speaks of the origin's connection does not reach the client`() async throws {
    let origin = try await Origin { _ in
      (
        [
          "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\n"
            + "Proxy-Connection: keep-alive\r\nProxy-Authenticate: Basic\r\nUpgrade: h2c\r\n"
            + "Proxy-Authentication-Info: a=b\r\nTE: gzip\r\nTrailer: X-Sum\r\nX-End: 2\r\n"
            + "Content-Length: 2\r\n\r\nok"
        ], .stays
      )
    }
    try await ReplayServer.proxying { server, _, _ async throws in
      let answer = try await server.answer(to: closing("GET \(origin.url)"))
      expectEqual(
        answer,
        "HTTP/1.1 200 OK\r\nX-End: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
      )
    }
  }

  @Test func `chunks are passed on as chunks, and an open length of a HEAD as open`() async throws {
    let origin = try await Origin { text in
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n"
      return (text.hasPrefix("HEAD") ? [head] : [head + "2\r\nok\r\n0\r\n\r\n"], .stays)
    }
    try await ReplayServer.proxying { server, _, _ async throws in
      let end = "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      try await expectEqual(
        server.answer(to: "GET \(origin.url) \(end)"),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nConnection: close\r\n\r\n"
          + "2\r\nok\r\n0\r\n\r\n"
      )
      try await expectEqual(
        server.answer(to: "HEAD \(origin.url) \(end)"),
        "HTTP/1.1 200 OK\r\nX-A: 1\r\nConnection: close\r\n\r\n"
      )
    }
  }

  @Test
  func `a recorded OPTIONS * request is stored as such, and matches no other request`()
    async throws
  {
    let origin = try await Origin { _ in
      (["HTTP/1.1 200 OK\r\nAllow: GET\r\nContent-Length: 0\r\n\r\n"], .stays)
    }
    let tape = try await origin.recording(as: "https://api.example.test") { server, deck in
      let answer = try await server.answer(to: closing("OPTIONS *"))
      expectEqual(answer.statusLine, "HTTP/1.1 200 OK")
      return deck.recorded().cassette
    }
    let text = String(decoding: tape.data(), as: UTF8.self)
    #expect(text.contains(#""method": "OPTIONS""#), "\(text)")
    #expect(text.contains(#""url": "https://api.example.test""#), "\(text)")
    let read = try Cassette(data: tape.data(), source: "tape.json")
    expectEqual(read, tape)
    try await ReplayServer.serving(Deck(read, matcher: .pathAndQuery, then: .repeat)) { server in
      for (target, status) in [("*", 200), ("/*", 501), ("/", 501)] {
        let answer = try await server.answer(to: closing("OPTIONS \(target)"))
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(target): \(answer)")
      }
    }
  }

  @Test(arguments: [("", "*"), ("/", "/"), ("?a", "/?a"), ("/x", "/x")])
  func `OPTIONS of a URL without a path asks about the server as a whole`(
    path: String,
    target: String
  ) async throws {
    let origin = try await Origin { _ in (["HTTP/1.1 204 No Content\r\n\r\n"], .stays) }
    try await ReplayServer.proxying { server, _, _ async throws in
      let url = "\(origin.url.origin ?? "")\(path)"
      let answer = try await server.answer(to: closing("OPTIONS \(url)"))
      expectEqual(answer.statusLine, "HTTP/1.1 204 No Content")
      try await expectEqual(
        origin.asked.next(),
        "OPTIONS \(target) HTTP/1.1\r\nHost: \(origin.address)\r\n\r\n"
      )
    }
  }

  @Test func `an origin that was not asked is named in the notice`() async throws {
    let error = SocketError(.connect, ENOMEM)
    let short = Resolver { _, _ in .failure(error) }
    try await ReplayServer.proxying(as: Proxying(short)) { server, _, _ async throws in
      let answer = try await server.answer(
        to: "GET http://busy.test/a HTTP/1.1\r\nHost: busy.test\r\n\r\n"
      )
      expectEqual(answer.statusLine, "HTTP/1.1 503 Service Unavailable")
      expectEqual(answer.content, "The upstream http://busy.test/ was not asked: \(error).\n")
    }
  }

  @Test func `a tunnel whose host is unknown is a failure on the tape, and fails again from it`()
    async throws
  {
    let unknown = Resolver { _, _ in .failure(SocketError(.resolve, EAI_NONAME)) }
    let text = "\(SocketError(.resolve, EAI_NONAME))"
    let connect = "CONNECT gone.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"
    let tape = try await ReplayServer.proxying(mode: .newEpisodes, as: Proxying(unknown)) {
      server,
      deck,
      _ async throws in
      let answer = try await server.answer(to: connect)
      expectEqual(answer.content, "gone.test:443 failed: \(text).\n")
      let expected = Interaction(
        Request("CONNECT", "https://gone.test:443"),
        .failure(Failure(.hostNotFound, text: text))
      )
      expectEqual(deck.recordedWithoutTimes, [expected])
      return deck.recorded().cassette
    }
    let never = Resolver { _, _ in
      Issue.record("somebody was looked up")
      return .failure(SocketError(.resolve, EAI_NONAME))
    }
    try await ReplayServer.proxying(tape: tape, as: Proxying(never)) {
      server,
      _,
      seen async throws in
      for _ in 0..<2 {
        let answer = try await server.answer(to: connect)
        expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
        expectEqual(answer.content, "The tunnel failed during recording: hostNotFound.\n")
        guard case .tunnel(let tunnel) = try await seen.next() else { return }
        #expect(tunnel.reason == .refused(502) && tunnel.connect == nil)
      }
      let other = try await server.answer(to: "CONNECT gone.test:8443 HTTP/1.1\r\nHost: x\r\n\r\n")
      expectEqual(other.statusLine, "HTTP/1.1 501 Not Implemented")
    }
  }
}
