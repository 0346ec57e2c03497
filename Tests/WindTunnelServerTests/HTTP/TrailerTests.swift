import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Trailers from an origin to a cassette, and from there to clients.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct TrailerTests {
  private static let head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n"
  private static let close = "Connection: close\r\n\r\n"
  private static let content = "2\r\nok\r\n0\r\nX-Sum: 7\r\nSet-Cookie: "
  /// Fields that frame, route or belong to one connection are not passed on.
  private static let answer =
    "\(head)\r\n\(content)a=long-secret-value\r\nContent-Length: 9\r\nHost: other\r\n"
    + "Transfer-Encoding: chunked\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n"

  private func get(_ fields: String = "", version: String = "HTTP/1.1") -> String {
    "GET /a \(version)\r\nHost: x\r\n\(fields)\(Self.close)"
  }

  @Test(arguments: [
    ("", "Connection: close\r\n"),
    ("TE: trailers\r\n", "Connection: close, TE\r\nTE: trailers\r\n"),
  ])
  func `trailers are passed on, kept without secrets, and played`(fields: String, asked: String)
    async throws
  {
    let origin = try await Origin { _ in ([Self.answer], .stays) }
    let tape = try await origin.recording { server, deck async throws in
      let passed = "\(Self.head)\(Self.close)\(Self.content)a=long-secret-value\r\n\r\n"
      try await expectEqual(server.answer(to: get(fields)), passed)
      return deck.recorded().cassette
    }
    let request = "GET /a HTTP/1.1\r\nHost: \(origin.address)\r\n\(asked)\r\n"
    try await expectEqual(origin.asked.next(), request)
    let response = try #require(tape.interactions.first?.response)
    expectEqual(response.headers.map(\.name), ["Content-Type", "Trailer", "Transfer-Encoding"])
    expectEqual(response.trailers.map(\.name), ["X-Sum", "Set-Cookie"])
    let cookie = try #require(response.trailers["Set-Cookie"])
    #expect(!String(decoding: tape.data(), as: UTF8.self).contains("long-secret-value"))
    let read = try Cassette(data: tape.data(), source: "tape.json")
    try await ReplayServer.serving(Deck(read, matcher: .pathAndQuery)) { server in
      let played = "\(Self.head)\(Self.close)\(Self.content)\(cookie)\r\n\r\n"
      try await expectEqual(server.answer(to: get(fields)), played)
    }
  }

  @Test func `a client without chunks or with a fragile URLSession gets no trailers`() async throws
  {
    var response = Response(headers: ["A": "1", "Content-Length": "2"], body: Body("ok"))
    response.head.trailers = ["X-Sum": "7"]
    let cassette = Cassette([Interaction(Request("GET", "/a"), response)])
    let deck = Deck(cassette, matcher: .pathAndQuery, then: .repeat)
    let head = "HTTP/1.1 200 OK\r\nA: 1\r\n"
    let chunked = "\(head)Transfer-Encoding: chunked\r\n\(Self.close)2\r\nok\r\n0\r\n"
    let agent = "User-Agent: Tests (unknown version) curl/7.88.1\r\n"
    try await ReplayServer.serving(deck) { server in
      try await expectEqual(server.answer(to: get()), "\(chunked)X-Sum: 7\r\n\r\n")
      try await expectEqual(server.answer(to: get(agent)), "\(chunked)\r\n")
      let old = try await server.answer(to: get(version: "HTTP/1.0"))
      expectEqual(old, "\(head)\(Self.close)ok")
    }
  }
}
