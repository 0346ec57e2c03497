import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Octets from 0x80 on in a request target, a field, a cookie and a reason phrase, on each stage.
/// In these texts a scalar stands for a stray octet (`HeadTextTests`).
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct HeadOctetsTests {
  /// UTF-8, Latin-1, GBK (in which C4 BC is valid UTF-8), UTF-8 of the scalar of an octet, a part of
  /// a scalar, and each octet.
  static let octets: [String] = [
    "café☃😀", "\u{EFE9}\u{EFFC}", "\u{EFCE}\u{13C}\u{EFFE}", "\u{EFEE}\u{EFBE}\u{EF80}",
    "\u{EFE2}\u{EF98}", each,
  ]
  private static let each: String = (UInt8(0x80)...0xFF).reduce(into: "") { text, octet in
    text += [octet].withUnsafeBufferPointer { String(octets: $0) }
  }
  private static let end = "Connection: close\r\n\r\n"

  private func fields(_ octets: String) -> String {
    "X-In: v\(octets)\r\nCookie: a=c\(octets)c\r\n"
  }

  private func answer(_ octets: String, _ rest: String = "\r\n") -> String {
    "HTTP/1.1 500 r\(octets)\r\nX-Out: v\(octets)\r\nSet-Cookie: a=c\(octets)c\r\n"
      + "Content-Length: 2\r\n\(rest)no"
  }

  private func origin(_ octets: String) async throws -> Origin {
    let answer = answer(octets)
    return try await Origin { ($0.hasSuffix("\r\n\r\n") ? ([answer], .close) : nil) }
  }

  @Test(arguments: octets)
  func `a recorder passes octets on unchanged, and they are played`(octets: String) async throws {
    let origin = try await origin(octets)
    let line = "GET /a\(octets)?q=\(octets) HTTP/1.1\r\n"
    let request = "\(line)Host: x\r\n\(fields(octets))\(Self.end)"
    let tape = try await origin.recording { server, deck async throws in
      try await expectEqual(server.answer(to: request), answer(octets, Self.end))
      return deck.recorded().cassette
    }
    try await expectEqual(
      origin.asked.next(),
      "\(line)Host: \(origin.address)\r\n\(fields(octets))\(Self.end)"
    )
    let read = try Cassette(data: tape.data(), source: "tape.json")
    try await ReplayServer.serving(Deck(read, matcher: .pathAndQuery)) { server in
      let other = try await server.answer(to: request.replacing("/a", with: "/b"))
      #expect(other.hasPrefix("HTTP/1.1 501 "), "\(other)")
      let cookie = read.interactions.first?.response?.headers["Set-Cookie"] ?? ""
      let played = answer(octets, Self.end).replacing("a=c\(octets)c", with: cookie)
      try await expectEqual(server.answer(to: request), played)
    }
  }

  @Test(arguments: octets)
  func `a proxy passes octets on unchanged`(octets: String) async throws {
    let origin = try await origin(octets)
    let target = "/a\(octets)?q=\(octets) HTTP/1.1\r\nHost: "
    try await ReplayServer.proxying { server, _, _ async throws in
      let request = "GET http://\(origin.address)\(target)x\r\n\(fields(octets))\(Self.end)"
      try await expectEqual(server.answer(to: request), answer(octets, Self.end))
    }
    let asked = "GET \(target)\(origin.address)\r\n\(fields(octets))\r\n"
    try await expectEqual(origin.asked.next(), asked)
  }

  @Test(arguments: octets)
  func `a client sends and receives octets unchanged`(octets: String) async throws {
    let origin = try await origin(octets)
    let heads = Events<ResponseHead>()
    let url = RequestURL("http://\(origin.address)/a\(octets)?q=\(octets)")
    let headers: HeaderFields = ["X-In": "v\(octets)", "Cookie": "a=c\(octets)c"]
    let client = try HTTPClient()
    let question = HTTPClient.Question(Request("GET", url, headers: headers), silenceSeconds: 60)
    let exchange = client.send(question) { event in
      if case .head(let head) = event { heads(head) }
    }
    try await expectEqual(
      heads.next().headers,
      ["X-Out": "v\(octets)", "Set-Cookie": "a=c\(octets)c", "Content-Length": "2"]
    )
    withExtendedLifetime(exchange) {}
    let request = try await origin.asked.next()
    #expect(request.hasPrefix("GET /a\(octets)?q=\(octets) HTTP/1.1\r\n"), "\(request)")
    #expect(request.contains("\r\n\(fields(octets))"), "\(request)")
  }
}
