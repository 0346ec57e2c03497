import Origins
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer

/// What was no HTTP when it was recorded is none when it is replayed.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct MalformedReplayTests {
  /// Records what an origin answers, and then what its replay answers.
  private func symptoms(of answer: String) async throws -> [Symptom?] {
    let origin = try await Origin { _ in ([answer], .close) }
    let first = Deck(Cassette(), matcher: .pathAndQuery, mode: .rewrite)
    try await origin.recording(first) { server, _ async throws in try await Self.ask(server) }
    let tape = first.recorded().cassette
    let second = Deck(Cassette(), matcher: .pathAndQuery, mode: .rewrite)
    try await ReplayServer.serving(Deck(tape, matcher: .pathAndQuery)) { replay async throws in
      let options = try ReplayServer.Options.before(RequestURL("http://127.0.0.1:\(replay.port)"))
      try await ReplayServer.serving(second, options) { server async throws in
        try await Self.ask(server)
      }
    }
    return [first, second].map { $0.recorded().cassette.interactions.first?.failure?.symptom }
  }

  private static func ask(_ server: ReplayServer) async throws {
    _ = try await server.client().all(after: closing("GET /a"))
  }

  @Test(arguments: [
    "what?\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ])
  func `a malformed answer is one again, by the same name`(answer: String) async throws {
    let seen = try await symptoms(of: answer)
    expectEqual(seen, [.malformedResponse, .malformedResponse])
  }

  @Test func `an answer that broke off in no chunk has all that came before`() async throws {
    let response = Response(headers: ["Transfer-Encoding": "chunked"], body: Body("hello"))
    let tape = Cassette([
      Interaction(Request("GET", "https://a/a"), .cut(response, Failure(.malformedResponse)))
    ])
    try await ReplayServer.serving(Deck(tape, matcher: .pathAndQuery)) { server async throws in
      let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      expectEqual(answer.content, "5\r\nhello\r\nlskdu\r\n")
    }
  }

  @Test func `a fault in place of a recorded failure is the fault`() async throws {
    let tape = Cassette([
      Interaction(Request("GET", "https://a/a"), .failure(Failure(.malformedResponse)))
    ])
    let deck = Deck(tape, scenario: [.on("GET /a", .always, .status(503))], matcher: .pathAndQuery)
    try await ReplayServer.serving(deck) { server async throws in
      let answer = try await server.answer(to: closing("GET /a"))
      #expect(answer.hasPrefix("HTTP/1.1 503") && answer.hasSuffix("\n"), "\(answer)")
    }
  }

  @Test func `a recorded hand-over to another protocol is refused in words`() async throws {
    let tape = Cassette([
      Interaction(Request("GET", "https://a/a"), .response(Response(status: 101)))
    ])
    try await ReplayServer.serving(Deck(tape, matcher: .pathAndQuery)) { server async throws in
      let answer = try await server.answer(to: closing("GET /a"))
      expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
      #expect(answer.content.hasPrefix("The recorded 101 switches the connection"), "\(answer)")
    }
  }
}
