import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// Recordings broken in one way each, and the lines of a log about them.
@Suite struct MutantTests {
  private typealias Row = (String, Int, String, String, String)

  private static func recording(_ row: Row) -> Interaction {
    let words = row.0.split(separator: " ").map(String.init)
    let headers: HeaderFields = row.2.isEmpty ? [:] : ["Content-Type": row.2]
    let response = Response(status: row.1, headers: headers, body: Body(row.3))
    return Interaction(Request(words[0], RequestURL("http://a.test" + words[1])), response)
  }

  private static let json = "application/json"
  /// Others than the one that breaks, the second of which is nearest to it.
  private static let others = [
    recording(("GET /teams/2", 200, json, #"{"id":3}"#, "")),
    recording(("GET /users/x", 200, json, #"{"id":7,"tags":[]}"#, "")),
  ]

  @Test(
    arguments: try TestData.rows("mutants.json", count: 10)
      as [(String, Int, String, String, String)]
  )
  func `a recording has the mutants that it has room for, and each changes what is sent`(
    row: (String, Int, String, String, String)
  ) {
    let recordings = [Self.recording(row)] + Self.others
    let all = Mutants(of: recordings)[1]
    let names = all.map(\.operator.name)
    let each = names.enumerated().filter { names.firstIndex(of: $1) == $0 }.map(\.element)
    expectEqual(each.joined(separator: " "), row.4)
    for stage in Stage.allCases {
      let deck = Deck(Cassette(recordings))
      let plain = deck.delivery(of: deck.decide(recordings[0].request), on: stage)
      for mutant in all {
        expectNil(FaultConflict(mutant.faults))
        deck.reset()
        deck.mutants = [mutant]
        for _ in 1...(mutant.operator.expectation == .unnoticed ? 1 : 2) {
          let sent = deck.delivery(of: deck.decide(recordings[0].request), on: stage)
          #expect(sent != plain, "\(mutant)")
        }
        expectEqual(deck.decide(recordings[1].request).decision.faults, [])
        expectEqual(deck.use(of: mutant).misfit, nil)
        expectEqual(deck.use(of: mutant).isMet, true)
      }
    }
  }

  @Test func `the other body is that of a neighbour, and a failure has no mutants`() {
    let recordings = [Self.recording(("GET /users/1", 200, Self.json, "{}", ""))] + Self.others
    let all = Mutants(of: recordings)[1]
    expectEqual(
      all.first { $0.operator.name == "other-body" }?.faults,
      [.alter(.bodyOf(recording: 3))]
    )
    let failed = [Interaction(Request("GET", "/"), .failure(Failure(.connectionLost)))]
    expectEqual(Mutants(of: failed)[1] + Mutants(of: failed)[9], [])
  }

  @Test func `a mutant stays beside scenarios, and is silent where they keep the recording back`() {
    let asked = Self.others[0].request
    let deck = Deck(Cassette(Self.others), scenario: [.always(.first(1), .status(503))])
    let mutant = Mutants(of: Self.others)[1][0]
    deck.mutants = [mutant]
    expectEqual(deck.decide(asked).decision.faults, [.status(503)])
    expectEqual(deck.use(of: mutant), MutantUse(asked: 1, isMet: false, misfit: nil))
    let slow = Fault.delay(.milliseconds(1))
    deck.swap([.always(.always, slow)])
    expectEqual(deck.decide(asked).decision.faults, [slow] + mutant.faults)
    deck.reset()
    expectEqual(deck.decide(asked).decision.faults, [slow] + mutant.faults)
    expectEqual(deck.use(of: mutant), MutantUse(asked: 1, isMet: true, misfit: nil))
    deck.mutants = []
    expectEqual(deck.decide(asked).decision.faults, [slow])
  }

  @Test func `status 429 ends after five requests, and so does the recorded rate limit`() throws {
    let limits: HeaderFields = [
      "RateLimit-Reset": "300", "X-RateLimit-Reset": "1700000250", "X-RateLimit-Remaining": "3",
      "X-Rate-Limit-Reset": "2023-11-14T22:18:20.000Z", "x-ratelimit-reset-tokens": "6ms",
    ]
    let url = RequestURL("http://a.test/users")
    let all = [Interaction(Request("GET", url), Response(status: 200, headers: limits))]
    let deck = Deck(Cassette(all), options: PlaybackOptions(then: .repeat))
    let mutant = try #require(Mutants(of: all)[1].first { $0.operator.name == "status-429" })
    deck.mutants = [mutant]
    let now = Date(timeIntervalSince1970: 1_700_000_000.9)
    let heads = (1...6).map { _ in deck.play(all[0].request, at: now).head }
    let refusal: HeaderFields = [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "23", "Retry-After": "0",
      "RateLimit-Reset": "1", "X-RateLimit-Reset": "1700000001",
      "X-Rate-Limit-Reset": "2023-11-14T22:13:21.000Z",
    ]
    expectEqual(heads.map { $0?.status }, Array(repeating: 429, count: 5) + [200])
    expectEqual(heads.map { $0?.headers }, Array(repeating: refusal, count: 5) + [limits])
    let (use, killed) = (deck.use(of: mutant), MutantResult.killed(by: .error, message: ""))
    let reason = "the client retried until it received the recorded response"
    expectEqual(use.result(failure: nil, plainAsked: 1), .noRoom(reason: reason))
    expectEqual(use.result(failure: killed, plainAsked: 1), killed)
    expectEqual(Mutants(of: all + all)[2].compactMap(\.first), [6])
  }

  @Test(arguments: try TestData.rows("mutation-log.json", count: 20) as [(String, String)])
  func `an event and its line say the same, and another line is refused`(
    line: String,
    reason: String
  ) throws {
    guard reason.isEmpty else {
      let error = #expect(throws: FormatError.self) { try MutationEvent(line: line.utf8) }
      return expectEqual(error?.problem.hasPrefix(reason), true)
    }
    let event = try MutationEvent(line: line.utf8)
    expectEqual(event.line, line)
    let more = line.replacing("{\"event\"", with: #"{"more":[1],"event""#)
    try expectEqual(MutationEvent(line: more.utf8), event)
  }

  @Test func `a log leaves out what was begun, and a plan of one run has it alone`() throws {
    func run(_ number: Int) -> MutantRun { MutantRun(test: "a", recording: number, mutant: "cut") }
    func due(_ events: [MutationEvent]) -> [Int] {
      let log = MutationLog(events)
      return (1...4).filter { log.isDue(run($0)) }
    }
    let (plan, one) = (MutationPlan(), MutationPlan(run: run(2)))
    let long = String(repeating: "é", count: MutationEvent.messageCharactersMax)
    let first: [MutationEvent] = [
      .plan(plan), .begin(run(1)), .end(run(1), .killed(by: .error, message: long)),
      .begin(run(2)), .begin(run(3)),
    ]
    expectEqual(due([]), [1, 2, 3, 4])
    expectEqual(due(first), [4])
    expectEqual(due(first + [.plan(one)]), [2])
    expectEqual(due(first + [.plan(one), .begin(run(2))]), [])
    expectEqual(due(first + [.plan(one), .end(run(2), .crashed)]), [])
    expectEqual(due(first + [.end(run(3), .hung), .end(run(2), .hung), .plan(plan)]), [4])
    let text = first.map(\.line).joined(separator: "\n")
    let cut = text + "\n{\"event\":\"en\n" + text
    try expectEqual(MutationLog.events(in: cut.utf8), first + first)
    let longer = MutantResult.killed(by: .error, message: long + "é")
    expectEqual(MutationEvent.end(run(1), longer).line, first[2].line)
    let line = MutationEvent.after(test: String(repeating: "x", count: 65_536), isGreen: true).line
    #expect(throws: FormatError.self) { try MutationEvent(line: line.utf8) }
    try expectEqual(MutationLog.events(in: "\(line)\n\(text)".utf8), first)
  }
}
