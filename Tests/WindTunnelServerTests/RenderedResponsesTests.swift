import Origins
import TestSupport

@_spi(WindTunnel) @testable import WindTunnel
@testable import WindTunnelServer

/// A response that nothing changes is put together once and sent again as it stood on the wire.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct RenderedResponsesTests {
  private static let origin = "http://api.example.test"

  private static func cassette(
    _ response: Response = Response(headers: ["Content-Length": "3"], body: Body("one"))
  ) -> Cassette {
    Cassette([Interaction(Request("GET", RequestURL(origin + "/a")), response)])
  }

  private static func get(_ more: String = "", version: String = "1.1") -> String {
    "GET /a HTTP/\(version)\r\nHost: api.example.test\r\n\(more)\r\n"
  }

  private static func port(
    of deck: Deck,
    _ options: ReplayServer.Options = .patient
  ) async throws -> (EventLoop, SocketAddress, PortContext) {
    let loop = try EventLoop.ofTheTest()
    let (address, context) = try await loop.run { reactor in
      let context = PortContext(deck: deck, owner: .fixed(.deck), options: options, port: 1)
      let limit = ConnectionLimit()
      // As the listener counts it.
      _ = limit.enter()
      let receiver = ConnectionReceiver(context: context, live: LiveConnections(limit))
      let listener = try Listener(on: reactor) { receiver.receive($0, on: reactor) }
      return (listener.address, context)
    }
    return (loop, address, context)
  }

  /// One connection's answers to requests that are sent one after the other, and the number of those
  /// that were sent without being put together.
  private static func answers(
    _ requests: [String],
    from deck: Deck,
    _ options: ReplayServer.Options = .patient
  ) async throws -> (answers: [String], hits: Int) {
    let (loop, address, context) = try await port(of: deck, options)
    let client = try RawClient(address)
    var answers: [String] = []
    for request in requests {
      await client.send(request)
      answers.append(String(decoding: await client.message(), as: UTF8.self))
    }
    client.close()
    let hits = try await loop.run { _ in context.renderedResponses.hits }
    return (answers, hits)
  }

  @Test func `streams are sent what was rendered for the first of them`() async throws {
    let deck = Deck(Self.cassette(), then: .repeat)
    let (loop, address, context) = try await Self.port(of: deck)
    for connection in 0..<2 {
      let client = try await FrameClient(to: address)
      for stream in [1, 3, 5] {
        await client.ask("/a", on: stream, with: stream == 5 ? ["x-\(connection)": "1"] : [:])
        let words = await client.receive(until: "\(stream) end")
        expectEqual(words, ["\(stream) 200", "\(stream) =one", "\(stream) end"])
      }
      client.raw.close()
    }
    let hits = try await loop.run { _ in context.renderedResponses.hits }
    expectEqual(hits, 5)
    expectEqual(deck.attempts("GET /a"), 6)
    expectEqual(deck.requests().map(\.connection?.isHTTP2), Array(repeating: true, count: 6))
  }

  @Test(arguments: [false, true])
  func `all like requests but the first are sent what was rendered for it`(
    isInSameWords: Bool
  ) async throws {
    let deck = Deck(Self.cassette(), then: .repeat)
    let requests = (0..<6).map { Self.get(isInSameWords ? "" : "X-Number: \($0)\r\n") }
    let (answers, hits) = try await Self.answers(requests, from: deck)
    expectEqual(hits, 5)
    #expect(Set(answers).count == 1 && answers[0].hasSuffix("\r\n\r\none"))
    expectEqual(deck.attempts("GET /a"), 6)
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var request = get()
    var response = Response(headers: ["Content-Length": "3"], body: Body("one"))
    var scenario = Scenario.calm
    var isWatched = false
  }

  private static let cases = [
    Case(
      testDescription: "a fault",
      scenario: [.on("GET /a", .always, .delay(.exactly(.milliseconds(1))))]
    ),
    Case(
      testDescription: "a link",
      scenario: Scenario("linked", link: Link(up: .init(), down: .init()))
    ),
    Case(testDescription: "a part", request: get("Range: bytes=0-1\r\n")),
    Case(
      testDescription: "a redirect",
      response: Response(
        status: 302,
        headers: ["Location": "/b", "Content-Length": "3"],
        body: Body("one")
      )
    ),
    Case(
      testDescription: "a URL of the origin",
      response: Response(headers: ["X-Next": "http://api.example.test/b", "Content-Length": "0"])
    ),
    Case(
      testDescription: "a URL with this server's port",
      response: Response(headers: ["X-Next": "http://a.test:1/b", "Content-Length": "0"])
    ),
    Case(
      testDescription: "a path",
      response: Response(headers: ["Content-Location": "/b", "Content-Length": "0"])
    ),
    Case(testDescription: "a log of requests", isWatched: true),
  ]

  @Test(arguments: cases) private func `what changes a response keeps it from being sent again`(
    _ one: Case
  ) async throws {
    var options = ReplayServer.Options.patient
    options.listsRequests = one.isWatched
    let deck = Deck(Self.cassette(one.response), scenario: one.scenario, then: .repeat)
    let (answers, hits) = try await Self.answers(
      Array(repeating: one.request, count: 3),
      from: deck,
      options
    )
    expectEqual(hits, 0)
    expectEqual(answers.count, 3)
  }

  private static let responses = [
    Response(headers: ["Content-Length": "3"], body: Body("one")),
    Response(headers: ["X-Before": "a", "Content-Length": "3", "X-After": "b"], body: Body("one")),
    Response(headers: ["Connection": "keep-alive"], body: Body("one")),
    Response(status: 200, headers: ["Content-Length": "0"]),
    Response(headers: ["X-Next": "https://cdn.example.test/b", "Content-Length": "0"]),
    Response(headers: ["Link": "<https://cdn.example.test/b>; rel=next", "Content-Length": "0"]),
  ]

  @Test(arguments: responses)
  func `rendered or carried by a player, a response is the same on the wire`(_ response: Response)
    async throws
  {
    let requests = Array(repeating: Self.get(), count: 3)
    let rendered = try await Self.answers(
      requests,
      from: Deck(Self.cassette(response), then: .repeat)
    )
    var options = ReplayServer.Options.patient
    options.listsRequests = true
    let carried = try await Self.answers(
      requests,
      from: Deck(Self.cassette(response), then: .repeat),
      options
    )
    #expect(rendered.hits == 2 && carried.hits == 0)
    expectEqual(rendered.answers, carried.answers)
  }

  @Test func `a chunked recording is chunked each time`() async throws {
    let response = Response(headers: ["Transfer-Encoding": "chunked"], body: Body("one"))
    let whole = "\r\n\r\n3\r\none\r\n0\r\n\r\n"
    for isWatched in [false, true] {
      var options = ReplayServer.Options.patient
      options.listsRequests = isWatched
      let deck = Deck(Self.cassette(response), then: .repeat)
      try await ReplayServer.serving(deck, options) { server in
        let client = try server.client()
        defer { client.close() }
        for _ in 0..<3 {
          await client.send(Self.get())
          var text = ""
          while !text.hasSuffix(whole) {
            text += String(decoding: await client.receive(atLeast: 1), as: UTF8.self)
          }
          #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.count(of: "\r\n\r\n") == 2)
        }
      }
    }
  }

  @Test func `a response that ends its connection is not sent as it was for one that goes on`()
    async throws
  {
    var options = ReplayServer.Options.patient
    options.closesConnections = true
    let deck = Deck(Self.cassette(), then: .repeat)
    try await ReplayServer.serving(deck, options) { server in
      for _ in 0..<3 {
        let text = try await server.answer(to: Self.get())
        #expect(text.contains("\r\nConnection: close\r\n") && text.hasSuffix("\r\n\r\none"))
      }
    }
  }
}
