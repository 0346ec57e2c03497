import TestSupport

@testable import WindTunnelDrill
@testable import WindTunnelReports

/// A fault that the answer gave no room for was not met, whatever had been decided.
@Suite(.timeLimit(.minutes(5))) struct UndoneFaultTests {
  private static let stream = Interaction(
    Request("GET", "https://api.example.test/stream"),
    Response(
      headers: ["Content-Type": "text/event-stream"],
      body: Body("data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n")
    )
  )

  private func run(
    _ faults: [Fault],
    gate: String,
    on stage: Stage
  ) async throws -> (row: Report.Row, report: Report) {
    let rule = FaultRule(when: .always, faults)
    let cut = Scenario("cut", rules: [rule], gates: [try Gate(gate)])
    let drill = Drill(Cassette([Self.stream]), [cut], calls: 4, atOnce: 2, on: stage)
    let report = try await drill.run { call in
      // The end that is not good is what is asked for.
      _ = try? await ClosureDrillTests.send(call.urlRequest, by: call.session)
    }
    return (try #require(report.scenarios.first?.subjects.first), report)
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `a cut behind the last event is not done and covers nothing`(stage: Stage) async throws {
    let (row, report) = try await run(
      [.reset(afterEvents: 5), .delay(.exactly(.milliseconds(1)))],
      gate: "faultCoverage >= 1",
      on: stage
    )
    for call in row.observations {
      let attempt = try #require(call.attempts.first)
      expectEqual(attempt.faults, ["delay"])
      expectEqual(
        attempt.unappliedFaults,
        [.init(fault: "resetAfterEvents", reason: "the response has 4 events")]
      )
      // The story is what was decided.
      #expect(attempt.decision.line.hasSuffix(#"[{"resetAfterEvents":5},{"delayMilliseconds":1}]"#))
    }
    expectEqual(row.metrics.faultCoverage, 0.5)
    expectEqual(row.metrics.faults.map(\.fault), ["delay"])
    expectEqual(
      row.metrics.unappliedFaults,
      [.init(fault: "resetAfterEvents", reason: "the response has 4 events", attempts: 4)]
    )
    expectEqual(
      row.coverage?.rows.filter { $0.fault == "resetAfterEvents" }.map(\.attempts.first),
      [.notMet]
    )
    expectEqual(report.verdict.outcome, .failed)
    let words = "resetAfterEvents was not done in 4 attempts, since the response has 4 events"
    #expect(report.text().contains("\ncut: \(words)\n"))
    #expect(report.markdown().contains("- **cut**: \(words)"))
    let read = try Report(data: report.data(), source: "report.json")
    expectEqual(
      read.scenarios.first?.subjects.first?.metrics.unappliedFaults,
      row.metrics.unappliedFaults
    )
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `a client that takes an uncut response for the whole breaks no rule`(
    stage: Stage
  ) async throws {
    let origin = "https://api.example.test"
    let tape = Cassette([
      Interaction(Request("GET", RequestURL("\(origin)/none")), Response(status: 204)),
      Interaction(Request("GET", RequestURL("\(origin)/short")), Response(body: Body("short"))),
    ])
    let cut = Scenario("cut", rules: [.always(.always, .truncate(afterBodyBytes: 10))])
    let drill = Drill(tape, [cut], calls: 4, atOnce: 2, on: stage)
    let report = try await drill.run { call in
      try await ClosureDrillTests.send(call.urlRequest, by: call.session)
    }
    let calls = try #require(report.scenarios.first?.subjects.first).observations
    expectEqual(calls.map(\.ending), calls.map { _ in .succeeded })
    #expect(calls.flatMap(\.attempts).allSatisfy { $0.error == nil && $0.faults == [] })
    expectEqual(
      Set(calls.flatMap(\.attempts).flatMap(\.unappliedFaults).map(\.reason)),
      ["the response has no body", "the body has 5 bytes"]
    )
    expectEqual(report.findings.filter { $0.finding.severity == .error }, [])
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `a cut within the events is done and covers`(stage: Stage) async throws {
    let (row, report) = try await run(
      [.reset(afterEvents: 2)],
      gate: "faultCoverage >= 1",
      on: stage
    )
    #expect(row.observations.flatMap(\.attempts).allSatisfy { $0.unappliedFaults == [] })
    #expect(row.metrics.faultCoverage == 1 && row.metrics.unappliedFaults == [])
    expectEqual(report.verdict.outcome, .passed)
  }
}
