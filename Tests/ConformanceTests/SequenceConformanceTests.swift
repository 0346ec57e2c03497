import TestSupport
import WindTunnel
import WindTunnelSymptoms

/// Who gets which recording, and when there is none left.
@Suite struct SequenceConformanceTests {
  static let url = RequestURL(Theatre.origin + "/n")

  static func takes(_ count: Int, then: EndPolicy? = nil) -> Cassette {
    Cassette(
      (1...count).map { number in
        Interaction(Request("GET", url), Response(body: Body("take \(number)")), then: then)
      }
    )
  }

  @Test(arguments: Stage.allCases)
  func `two 503s, then the recording, then nothing`(stage: Stage) async throws {
    let deck = Deck(
      Self.takes(1),
      scenario: [.on("GET /n", .first(2), .status(503, retryAfter: .seconds(1)))]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      var seen: [String] = []
      for _ in 0..<4 {
        let answer = try await theatre.ask("/n")
        seen.append("\(answer.status ?? 0) \(answer["Retry-After"] ?? "-")")
      }
      expectEqual(seen, ["503 1", "503 1", "200 -", "501 -"])
      expectEqual(
        deck.journal.all.map(\.take),
        [.withheld(0), .withheld(0), .recording(0), .unmatched]
      )
    }
  }

  @Test(
    arguments: [
      (EndPolicy.fail, ["take 1", "take 2", "501", "501", "501"]),
      (.repeat, ["take 1", "take 2", "take 2", "take 2", "take 2"]),
      (.cycle, ["take 1", "take 2", "take 1", "take 2", "take 1"]),
    ],
    Stage.allCases
  )
  func `the end policy decides the response after the last recording`(
    row: (EndPolicy, [String]),
    stage: Stage
  )
    async throws
  {
    let deck = Deck(Self.takes(2), then: row.0)
    try await Theatre.play(deck, on: stage) { theatre async throws in
      var seen: [String] = []
      for _ in 0..<5 {
        let answer = try await theatre.handed("/n")
        seen.append(answer.status == 501 ? "501" : answer.body)
      }
      expectEqual(seen, row.1)
    }
  }

  @Test(arguments: Stage.allCases)
  func `a second request is told that everything was played`(stage: Stage) async throws {
    try await Theatre.play(Deck(Self.takes(1)), on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/n"), Seen(200, "take 1"))
      let second = try await theatre.ask("/n")
      expectEqual(second.status, 501)
      #expect(second.body.contains("already played once"))
    }
  }

  @Test(arguments: Stage.allCases, [1, 8, 50])
  func `equal calls share a sequence and no take twice`(stage: Stage, concurrency: Int)
    async throws
  {
    let scenario: Scenario = [.on("GET /n", .every(5), .status(503))]
    let deck = Deck(Self.takes(40), scenario: scenario)
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let seen = await withTaskGroup(of: Seen?.self) { group in
        var seen: [Seen?] = []
        for number in 0..<50 {
          if number >= concurrency, let one = await group.next() { seen.append(one) }
          group.addTask { try? await theatre.handed("/n") }
        }
        for await one in group { seen.append(one) }
        return seen
      }
      let expected =
        (1...40).map { "take \($0)" }
        + Array(repeating: "This 503 was injected.\n", count: 10)
      expectEqual(seen.map { $0?.body ?? "failed" }.sorted(), expected.sorted())
      #expect(seen.allSatisfy { $0?.symptom == nil })
    }
    let matcher = Matcher.url
    let entries = deck.journal.all
    expectEqual(entries.map(\.decision.ordinal), Array(1...50))
    for entry in entries {
      let request = Request("GET", Self.url)
      let decision = scenario.decide(
        request,
        key: matcher.key(request),
        seed: deck.seed,
        lane: entry.decision.lane,
        ordinal: entry.decision.ordinal
      )
      expectEqual(entry.decision, decision)
    }
  }

  @Test func `both stages decide alike`() async throws {
    let scenario = Scenario(
      "mixed",
      rules: [
        .on("GET /n", .probability(0.4), .status(500)),
        .on(
          "GET /n",
          .probability(0.3),
          .delay(.init(.milliseconds(1), through: .milliseconds(9)))
        ),
        .on("GET /n", .probability(0.2), .truncate(afterBodyBytes: 2)),
      ]
    )
    var stories: [[String]] = []
    for stage in Stage.allCases {
      let deck = Deck(Self.takes(1, then: .repeat), scenario: scenario, seed: 11)
      let lane = Lane("call/3")
      try await Theatre.play(deck, on: stage) { theatre async throws in
        for _ in 0..<30 {
          var request = try theatre.request("/n")
          request.setValue(lane.name, forHTTPHeaderField: Lane.header)
          _ = await theatre.ask(request)
        }
      }
      stories.append(deck.journal.all.map { "\($0.decision.line) \($0.take)" })
    }
    expectEqual(stories[0], stories[1])
    expectEqual(stories[0].count, 30)
  }
}
