import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// Content that comes in, and clients that take their time with it.
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
  private static func limits(kept: Int, unread: Int) -> ReplayServer.Options {
    var options = ReplayServer.Options.patient
    options.limits.bodyBytesMax = kept
    options.limits.unreadBodyBytesMax = unread
    return options
  }

  private static func deck(_ matcher: Matcher) -> Deck {
    let taken = Response(body: Body("taken"))
    let request = Request("PUT", "/a", body: Body("12345678"))
    return Deck(Cassette([Interaction(request, taken, then: .repeat)]), matcher: matcher)
  }

  private static func put(_ content: String) -> String {
    "PUT /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(content)"
  }

  @Test(arguments: [
    ("Content-Length: 8\r\n\r\n12345678", 200, 200),
    ("Content-Length: 9\r\n\r\n123456789", 413, 200),
    ("Content-Length: 17\r\n\r\n", 413, 413),
    ("Transfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n0\r\n\r\n", 413, 200),
    ("Transfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n8\r\n", 413, 413),
  ])
  func `uncompared content may exceed the storage limit`(
    content: String,
    compared: Int,
    unread: Int
  ) async throws {
    for (matcher, status) in [
      (Matcher(authority: .breaksTies, comparesBodies: true), compared),
      (.pathAndQuery, unread),
    ] {
      let options = Self.limits(kept: 8, unread: 16)
      try await ReplayServer.serving(Self.deck(matcher), options) { server async throws in
        let answer = try await server.answer(to: Self.put(content))
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      }
    }
  }

  @Test func `content is kept where anything may look at it`() {
    let tape = Cassette([Interaction(Request("GET", "/a"), Response())])
    var filtered = Matcher.pathAndQuery
    filtered.filters = [Filter("size") { $0.body.count == $1.body.count }]
    #expect(!Deck(tape, matcher: .pathAndQuery).needsRequestContent)
    #expect(Deck(tape, matcher: filtered).needsRequestContent)
    #expect(
      Deck(tape, matcher: Matcher(authority: .required, comparesBodies: true)).needsRequestContent
    )
    #expect(Deck(tape, mode: .newEpisodes).needsRequestContent)
    #expect(Deck(tape, options: PlaybackOptions(ignoring: ["a.test"])).needsRequestContent)
    #expect(Deck(tape, options: PlaybackOptions(isProxied: true)).needsRequestContent)
    #expect(Deck.echo("/a").needsRequestContent)
  }

  @Test func `a client that is refused is not told to go on first`() async throws {
    let options = Self.limits(kept: 8, unread: 16)
    try await ReplayServer.serving(Self.deck(.pathAndQuery), options) { server async throws in
      let answer = try await server.answer(
        to: Self.put("Expect: 100-continue\r\nContent-Length: 17\r\n\r\n")
      )
      #expect(answer.hasPrefix("HTTP/1.1 413 "))
      expectEqual(answer.count(of: "HTTP/1.1 "), 1)
    }
  }

  @Test func `clients that drip their requests cost their own connections and no other`()
    async throws
  {
    var options = ReplayServer.Options.patient
    options.limits.requestSeconds = 0.3
    try await ReplayServer.serving(.echo("/a"), options) { server async throws in
      let slow = try (0..<50).map { _ in try server.client() }
      for client in slow { await client.send("GET /a HTTP/1.1\r\nHo") }
      // Bytes that keep coming win no time.
      let dripping = Task {
        while !Task.isCancelled {
          guard await slow[0].send("s") else { return }
          await Task.yield()
        }
      }
      let answer = try await server.answer(to: closing("GET /a"))
      #expect(answer.hasSuffix("GET /a"))
      // Too late, or too large by then; either is the end of it.
      let (first, _) = await slow[0].receiveAll()
      #expect(String(decoding: first, as: UTF8.self).hasPrefix("HTTP/1.1 4"))
      dripping.cancel()
      await dripping.value
      for client in slow.dropFirst() {
        let (bytes, end) = await client.receiveAll()
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
        expectEqual(end, .finished)
      }
      for client in slow { client.close() }
    }
  }

  @Test func `clients that never read hold up nobody else`() async throws {
    let large = Interaction(
      Request("GET", "/large"),
      Response(body: Body(Data(repeating: 7, count: 20_000_000))),
      then: .repeat
    )
    let small = Interaction(Request("GET", "/a"), Response(body: Body("a")), then: .repeat)
    let deck = Deck(Cassette([large, small]), matcher: .pathAndQuery)
    try await ReplayServer.serving(deck) { server async throws in
      let silent = try (0..<20).map { _ in try server.client() }
      for client in silent { await client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n") }
      // Each has begun, so that all of them are stuck.
      for client in silent { _ = await client.receive(atLeast: 1) }
      for _ in 0..<20 {
        let answer = try await server.answer(to: closing("GET /a"))
        #expect(answer.hasSuffix("\r\n\r\na"))
      }
      for client in silent { client.close() }
    }
  }
}
