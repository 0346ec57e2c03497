import TestSupport
import WindTunnelReports
import WindTunnelSymptoms

/// A server that answers wrongly and in good form: no client can tell by the message.
@Suite struct MutationConformanceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var mutation: Mutation
    var seen: Seen

    init(_ mutation: Mutation, sees status: Int = 200, _ body: String) {
      (self.mutation, seen) = (mutation, Seen(status, body))
    }

    var testDescription: String { "\(mutation)" }
  }

  static let body = #"{ "user": { "id": 7, "name": "Ad\u0061" }, "n": [1] }"#

  static let rows = [
    Row(.null(at: "$.user.name"), #"{ "user": { "id": 7, "name": null }, "n": [1] }"#),
    Row(.missing(at: "$..id"), #"{ "user": { "name": "Ad\u0061" }, "n": [1] }"#),
    Row(.wrongType(at: "$.user.id"), #"{ "user": { "id": "7", "name": "Ad\u0061" }, "n": [1] }"#),
    Row(
      .extra(at: "$.user"),
      #"{ "user": { "id": 7, "name": "Ad\u0061", "unexpectedField": "unexpected" }, "n": [1] }"#
    ),
    Row(.truncate(afterBodyBytes: 14), #"{ "user": { "i"#),
    Row(.truncate(afterBodyBytes: 0), ""),
    Row(.status(nil), sees: 500, body),
    Row(.status(404), sees: 404, body),
    // Drawn by the seed, so the same on both stages.
    Row(.field(.null, .drawn(0.5)), #"{ "user": { "id": 7, "name": null }, "n": [1] }"#),
    Row(.emptyLists, #"{ "user": { "id": 7, "name": "Ad\u0061" }, "n": [] }"#),
    Row(.hollow, "{}"),
    Row(.values, #"{ "user": { "id": 14, "name": "Bebx" }, "n": [8] }"#),
  ]

  private static func scenario(_ row: Row) -> Scenario {
    Scenario("bugs", rules: [.init(when: .attempt(1), [.mutate(row.mutation)])])
  }

  @Test(arguments: rows, Stage.allCases)
  func `the first answer is wrong and whole, and the retry gets the recorded one`(
    row: Row,
    stage: Stage
  ) async throws {
    let framings: [HeaderFields] = [["Content-Length": "53"], ["Transfer-Encoding": "chunked"]]
    for framing in framings {
      let recorded = Response(headers: framing, body: Body(Self.body))
      let url = RequestURL(Theatre.origin + "/users/7")
      let deck = Deck(
        Cassette([Interaction(Request("GET", url), recorded)]),
        scenario: Self.scenario(row)
      )
      try await Theatre.play(deck, on: stage) { theatre async throws in
        let first = try await theatre.ask("/users/7")
        expectEqual(first, row.seen)
        if framing["Content-Length"] != nil {
          expectEqual(first["Content-Length"], "\(row.seen.body.utf8.count)")
        }
        try await expectEqual(theatre.handed("/users/7"), Seen(200, Self.body))
        try await expectEqual(theatre.ask("/users/7").status, 501)
        expectEqual(deck.journal.all.map(\.take), [.withheld(0), .recording(0), .unmatched])
        expectEqual(deck.journal.all.flatMap(\.misfits), [])
      }
    }
  }

  @Test(arguments: rows, Stage.allCases)
  func `a function's answer is mutated alike`(row: Row, stage: Stage) async throws {
    let deck = Deck(
      [.get("http://api.example.test/users/7") { _ in .text(Body(Self.body)) }],
      scenario: Self.scenario(row)
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/users/7"), row.seen)
      try await expectEqual(theatre.ask("/users/7"), Seen(200, Self.body))
    }
  }

  @Test(arguments: Stage.allCases)
  func `a packed body goes out open, and a body without room as it is`(stage: Stage) async throws {
    let packed = ReplayConformanceTests.gzip
    let headers: HeaderFields = ["Content-Encoding": "gzip", "Content-Length": "\(packed.count)"]
    let url = RequestURL(Theatre.origin + "/n")
    let deck = Deck(
      Cassette([Interaction(Request("GET", url), Response(headers: headers, body: Body(packed)))]),
      scenario: [
        .always(.attempt(1), .mutate(.truncate(afterBodyBytes: 4))),
        .always(.attempt(2), .mutate(.null(at: "$.id"))),
      ]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let first = try await theatre.ask("/n")
      expectEqual(first, Seen(200, "0123"))
      expectNil(first["Content-Encoding"])
      try await expectEqual(theatre.ask("/n"), Seen(200, "0123456789"))
      expectEqual(
        deck.journal.all.map(\.misfits),
        [
          [],
          [#"{"mutate":"null","at":"$.id"} was not done: the body is not a JSON object or list."#],
        ]
      )
    }
  }

  @Test func `both stages draw the same places`() async throws {
    let scenario = Scenario(
      "bugs",
      rules: [
        .on("GET /n", .probability(0.5), .mutate(.null()), .mutate(.wrongType())),
        .on("GET /n", .probability(0.5), .mutate(.missing()), .mutate(.truncate())),
      ]
    )
    let json = JSON.object((0..<20).map { JSON.Member(JSON.Text("n\($0)"), .number($0)) })
    var seen: [[Seen]] = []
    for stage in Stage.allCases {
      let deck = Deck([.get("http://api.example.test/n", json: json)], scenario: scenario, seed: 3)
      let answers = try await Theatre.play(deck, on: stage) { theatre async throws in
        var answers: [Seen] = []
        for number in 1...20 {
          var request = try theatre.request("/n")
          request.setValue("call/\(number)", forHTTPHeaderField: Lane.header)
          answers.append(await theatre.ask(request))
        }
        return answers
      }
      seen.append(answers)
    }
    expectEqual(seen[0], seen[1])
    #expect(Set(seen[0]).count > 10)
  }
}
