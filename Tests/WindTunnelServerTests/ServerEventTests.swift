import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The events of exchanges that a server carries, whichever way it answers them.
@Suite(.timeLimit(.minutes(5))) struct ServerEventTests {
  private static let tape = Cassette([
    Interaction(
      Request("GET", "http://api.example.test/a"),
      Response(headers: ["Content-Length": "5"], body: Body("hello"))
    )
  ])

  /// The events of so many exchanges, in the order of their requests, each as the words of its steps.
  private static func steps(
    of requests: [String],
    in scenario: Scenario,
    _ options: ReplayServer.Options = ReplayServer.Options()
  ) async throws -> [String] {
    let events = Events<(id: Int, step: String)>()
    let deck = Deck(
      tape,
      scenario: scenario,
      options: PlaybackOptions(then: .repeat),
      observe: { event in
        switch event {
        case .decided(let entry): if entry.take != .connection { events((entry.id, "decided")) }
        case .requestEnd(let outcome, _, let upload?):
          events((outcome.id, "request \(upload > .zero)"))
        case .requestEnd(let outcome, _, nil): events((outcome.id, "request"))
        case .firstByte(let outcome): events((outcome.id, "first byte"))
        case .ended(let outcome, let end?):
          let status = end.status.map { "\($0)" } ?? "–"
          let words = "\(end.ending) \(status) \(end.bytes) \(end.latency > .zero)"
          events((outcome.id, words))
        case .ended(let outcome, nil): events((outcome.id, "ended"))
        case .undone, .passed, .said, .notAsked, .left, .conversed, .strayed, .tunnelEnded: break
        }
      }
    )
    return try await ReplayServer.serving(deck, options) { server in
      let client = try server.client()
      defer { client.close() }
      for request in requests {
        if request.contains("Connection: close") {
          _ = try await server.answer(to: request)
        } else {
          await client.send(request)
          _ = await client.message()
        }
      }
      var steps: [Int: [String]] = [:]
      for await (id, step) in events.stream {
        steps[id, default: []].append(step)
        if steps.values.count(where: { $0.last?.hasSuffix("true") == true && $0.count > 2 })
          == requests.count
        {
          break
        }
      }
      return steps.sorted { $0.key < $1.key }.map { $0.value.joined(separator: ", ") }
    }
  }

  private static func get(_ path: String, _ more: String = "Connection: close\r\n") -> String {
    "GET \(path) HTTP/1.1\r\nHost: api.example.test\r\n\(more)\r\n"
  }

  private static let whole = "decided, request true, first byte, whole 200 5 true"

  @Test func `an answer that is handed over at once is told of like any other`() async throws {
    // As it was made, as it was made before, and from a request that came before.
    let requests = Array(repeating: Self.get("/a", ""), count: 3) + [Self.get("/a")]
    let late: Scenario = [.always(.always, .delay(.exactly(.milliseconds(5))))]
    for scenario in [.calm, late] {
      let steps = try await Self.steps(of: requests, in: scenario)
      expectEqual(steps, Array(repeating: Self.whole, count: 4))
    }
  }

  @Test func `an admin port does not change the reported events`() async throws {
    var options = ReplayServer.Options()
    options.admin = Admin()
    try await expectEqual(Self.steps(of: [Self.get("/a")], in: .calm, options), [Self.whole])
  }

  @Test func `an end says what went out of it and how`() async throws {
    let weather: Scenario = [
      .on("GET /a", .attempt(1), .status(503)),
      .on("GET /a", .attempt(2), .truncate(afterBodyBytes: 2)),
      .on("GET /a", .attempt(3), .close),
    ]
    let requests = Array(repeating: Self.get("/a"), count: 4) + [Self.get("/nothing")]
    let steps = try await Self.steps(of: requests, in: weather)
    try #require(steps.count == 5)
    #expect(steps[0].hasPrefix("decided, request true, first byte, whole 503 "), "\(steps[0])")
    expectEqual(steps[1], "decided, request true, first byte, cut 200 2 true")
    expectEqual(steps[2], "decided, request true, cut – 0 true")
    expectEqual(steps[3], Self.whole)
    #expect(steps[4].hasPrefix("decided, request true, first byte, whole 501 "), "\(steps[4])")
  }
}
