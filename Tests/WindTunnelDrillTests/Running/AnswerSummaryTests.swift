import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelDrill
@testable import WindTunnelReferenceSubject

@Suite struct AnswerSummaryTests {
  private let recorded = Interaction(
    Request("GET", "https://a.example.test/home"),
    Response(status: 200, headers: ["Retry-After": "3"], body: Body("0123456789"))
  )

  private func words(_ faults: [Fault]) -> String {
    let answer = AnswerSummary(faults, over: recorded)
    return [
      answer.status.map { "\($0)" } ?? "–", answer.bytes.map { "\($0)" } ?? "–",
      answer.symptom?.rawValue ?? "–", answer.retryAfter.map { "\($0)" } ?? "–",
    ].joined(separator: " ")
  }

  @Test func `what is dealt is what the faults leave of the recording`() {
    let three = "\(Duration.seconds(3))"
    expectEqual(words([]), "200 10 – \(three)")
    expectEqual(words([.delay(.exactly(.seconds(1)))]), "200 10 – \(three)")
    expectEqual(words([.status(503)]), "503 – – –")
    expectEqual(words([.status(429, retryAfter: .seconds(2))]), "429 – – \(Duration.seconds(2))")
    expectEqual(words([.reset(afterBodyBytes: 4)]), "200 4 connectionLost \(three)")
    expectEqual(words([.truncate(afterBodyBytes: 10)]), "200 10 truncated \(three)")
    expectEqual(words([.truncate(afterBodyBytes: 40)]), "200 10 – \(three)")
    expectEqual(words([.reset(.afterRequest)]), "– 0 connectionLost –")
    expectEqual(words([.close]), "– 0 emptyAnswer –")
    expectEqual(words([.stall(afterBodyBytes: 0)]), "200 0 timedOut \(three)")
    expectEqual(words([.connection(.refused)]), "– 0 connectionRefused –")
  }

  @Test(arguments: ["+3", "-3", " 3", "3.0", "3s", "", "1e3", "99999999999999999999"])
  func `what is no number of digits and no date asks for no wait`(value: String) {
    let answer = AnswerSummary([], over: Interaction(recorded.request, Self.refused(value)))
    expectNil(answer.retryAfter)
    expectNil(answer.retryDate)
  }

  private static func refused(_ value: String) -> Response {
    Response(status: 503, headers: HeaderFields([HeaderField("Retry-After", value)]))
  }

  @Test(arguments: [
    "Wed, 21 Oct 2026 07:28:00 GMT", "Wednesday, 21-Oct-26 07:28:00 GMT",
    "Wed Oct 21 07:28:00 2026",
  ])
  func `a recorded date is one in each of its spellings, unless it is over`(value: String) {
    let interaction = Interaction(recorded.request, Self.refused(value))
    let date = Duration.seconds(1_792_567_680)
    for (now, expected) in [(nil, date), (date - .seconds(1), date), (date, nil)]
      as [(Duration?, Duration?)]
    {
      let answer = AnswerSummary([], over: interaction, now: now)
      expectEqual(answer.retryDate, expected)
      expectNil(answer.retryAfter)
    }
  }

  @Test func `a date is told as it is sent, unless something else stands in its place`() {
    let date = Fault.status(503, retryAfter: .date(inSeconds: 2))
    func dealt(_ faults: [Fault], now: Duration? = .seconds(1_000_000)) -> Duration? {
      AnswerSummary(faults, over: recorded, now: now).retryDate
    }
    expectEqual(dealt([date]), .seconds(1_000_002))
    expectEqual(dealt([.delay(.exactly(.seconds(1))), date]), .seconds(1_000_002))
    expectNil(dealt([date], now: nil))
    #expect(dealt([date, .reset(.afterRequest)]) == nil && dealt([date, .status(503)]) == nil)
    expectNil(dealt([date, .connection(.refused)]))
    expectNil(dealt([.status(503, retryAfter: .seconds(2))]))
    expectNil(dealt([.status(503, retryAfter: .pastDate)], now: .seconds(1_800_000_000)))
  }

  @Test func `a body is the recorded one or not, where that can be told`() throws {
    let coded = Interaction(
      Request("GET", "/coded"),
      Response(status: 200, headers: ["Content-Encoding": "gzip"], body: Body("x"))
    )
    let moved = Interaction(Request("GET", "/moved"), Response(status: 302, body: Body("x")))
    let second = Interaction(recorded.request, Response(status: 200, body: Body("later")))
    let bodies = RecordedBodies(Cassette([recorded, second, coded, moved]), matcher: .pathAndQuery)
    func match(_ text: String?, _ path: String) -> Bool? {
      let result = CallResult(ending: .succeeded, body: text.map { Data($0.utf8) })
      let key = Matcher.pathAndQuery.key(Request("GET", RequestURL(path)))
      return bodies.match(result, key)
    }
    expectEqual(match("0123456789", "/home"), true)
    expectEqual(match("later", "/home"), true)
    expectEqual(match("01234", "/home"), false)
    expectEqual(match("", "/home"), false)
    expectNil(match(nil, "/home"))
    expectNil(match("x", "/coded"))
    expectNil(match("x", "/moved"))
    expectNil(match("x", "/unknown"))
  }

  @Test func `what a client says of its copies is in its report, and silence is not`() async throws
  {
    var plan = try DrillPlan()
    (plan.scenarios, plan.calls, plan.stage) = ([.calm], 5, .inProcess)
    plan.deadline = .seconds(3600)
    let told = try await Drill(plan).run { call in
      call.servedStale(call.index == 3)
      return Data("x".utf8)
    }
    let row = told.scenarios[0].subjects[0]
    expectEqual(row.metrics.staleServed, 1)
    // What it showed is not what was recorded.
    expectEqual(row.metrics.silentTruncations, 5)
    let silent = try await Drill(plan).run { _ in "x" }
    expectNil(silent.scenarios[0].subjects[0].metrics.staleServed)
    expectNil(silent.scenarios[0].subjects[0].metrics.silentTruncations, "it is no body")
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `each attempt is observed with its start, its end and its faults`(stage: Stage)
    async throws
  {
    var plan = try DrillPlan()
    plan.scenarios = [
      try Scenario(
        data: Data(
          """
          {"windtunnelScenario":1,"name":"once","rules":[{"when":{"first":1},
           "faults":[{"status":503,"retryAfterSeconds":0}]}]}
          """.utf8
        ),
        source: "s"
      )
    ]
    (plan.calls, plan.stage) = (5, stage)
    // A busy machine may take its time; whoever runs out of it does not try again.
    (plan.deadline, plan.attemptTimeout) = (.seconds(600), .seconds(600))
    let report = try await Drill(plan).run { call in
      let client = ReferenceSubject()
      let result = await client.run(call)
      guard result.ending == .succeeded else { throw URLError(.badServerResponse) }
      return result.body ?? Data()
    }
    let row = report.scenarios[0].subjects[0]
    for call in row.observations {
      #expect(call.start != nil)
      for attempt in call.attempts {
        let (start, end) = (try #require(attempt.start), try #require(attempt.end))
        #expect(end >= start)
      }
      let gaps = zip(call.attempts, call.attempts.dropFirst()).compactMap { before, after in
        after.start.flatMap { start in before.end.map { start >= $0 } }
      }
      #expect(gaps.allSatisfy { $0 })
      expectEqual(call.attempts.first?.status, 503)
      #expect(call.attempts.map(\.isRepeatable).allSatisfy { $0 != nil })
      if call.ending == .succeeded { expectEqual(call.bodyMatches, true) }
    }
    // GET /home is tried again, and a POST without a key is not.
    expectEqual(row.observations[0].attempts.count, 2)
    expectEqual(row.metrics.duplicates, 0)
    expectEqual(row.metrics.faults.map(\.fault), ["status 503"])
    expectEqual(row.metrics.faultCoverage, 1)
  }
}
