import TestSupport

@testable import WindTunnelReports

/// Where calls without faults are slow themselves, no time says anything about the client.
@Suite struct CalmLatencyTests {
  @Test func `the median of those that succeeded counts, from two seconds on`() {
    func calm(_ latencies: Int...) -> Duration? {
      Report.Row.calm(latencies.enumerated().map { Flights.call($0, milliseconds: $1) })
    }
    expectEqual(calm(2000), .seconds(2))
    expectEqual(calm(3200, 10, 4000), .milliseconds(3200))
    expectNil(calm(1999))
    expectNil(calm(10, 900, 60_000))
    expectNil(calm())
    // A call that does not end says nothing of how long calls take, and may be the client's bug.
    let endings: [Observation.CallResult] = [.hung, .failed("exit 1")]
    let fallen = endings.map { Flights.call(0, $0, milliseconds: 60_000) }
    expectNil(Report.Row.calm(fallen + [Flights.call(2)]))
    expectNil(Report.Row.calm(fallen))
    var strange = Flights.call(3, milliseconds: 60_000)
    strange.notOnCassette = "GET /b"
    var talking = Flights.call(4, milliseconds: 60_000)
    talking.attempts[0].conversation = ConversationLog()
    expectNil(Report.Row.calm([strange, talking]))
  }

  /// Calls that come back too soon, of a client that needs so long without faults.
  private static func row(calm: Duration?, calls: Range<Int> = 0..<20) -> Report.Row {
    var row = Report.Row(
      "client",
      calls.map { number in
        let attempts = [
          RuleTests.attempt(0, to: 3, status: 429, wait: 9000), RuleTests.attempt(3200, to: 3203),
        ]
        return RuleTests.call(number, .succeeded, showed: true, lasted: 3300, attempts)
      }
    )
    row.calm = calm
    return row
  }

  private static func report(_ row: Report.Row) throws -> Report {
    let gates = try ["p95 <= 1s", "max <= 60s", "successRate < 1"].map { try Gate($0) }
    let flown = Report.ScenarioResult("rain", on: .onTheWire, subjects: [row], gates: gates)
    return Report(flown, facts: [.init("cassette", "c")])
  }

  private static func starved(_ report: Report) -> Int? {
    report.scenarios[0].rules.first { $0.rule == "ignores-retry-after" }?.starved
  }

  @Test func `a time over its bar is inconclusive, and what is no time fails as before`() throws {
    let report = try Self.report(Self.row(calm: .milliseconds(3200)))
    let reason =
      "calls without faults took 3.2 s: this machine is busy, or the client is slow by itself"
    expectEqual(report.scenarios[0].gates.map(\.verdict), [.inconclusive(reason), .met, .failed])
    let swift = try Self.report(Self.row(calm: nil))
    expectEqual(swift.scenarios[0].gates.map(\.verdict), [.failed, .met, .failed])
  }

  @Test func `no rule about time is broken then, and the calls are counted`() throws {
    let report = try Self.report(Self.row(calm: .milliseconds(3200)))
    expectEqual(report.findings, [])
    expectEqual(Self.starved(report), 20)
    let swift = try Self.report(Self.row(calm: nil))
    expectEqual(swift.findings.map(\.finding.rule), ["ignores-retry-after"])
    expectEqual(Self.starved(swift), 0)
  }

  @Test func `it is written and read, and judged the same`() throws {
    let report = try Self.report(Self.row(calm: .milliseconds(3200)))
    let read = try Report(data: report.data(), source: "r.json")
    expectEqual(read, report)
    expectEqual(Self.starved(read), 20)
    let bad = String(decoding: report.data(), as: UTF8.self)
      .replacing("\"calmMilliseconds\": 3200", with: "\"calmMilliseconds\": -1")
    #expect(throws: FormatError.self) { try Report(data: Data(bad.utf8), source: "r.json") }
  }

  @Test func `a whole of several machines is as slow as the slowest`() throws {
    let whole = try Report(
      merging: [
        .init(Self.report(Self.row(calm: nil, calls: 0..<7)), from: "a"),
        .init(Self.report(Self.row(calm: .seconds(2), calls: 7..<14)), from: "b"),
        .init(Self.report(Self.row(calm: .seconds(4), calls: 14..<20)), from: "c"),
      ]
    )
    expectEqual(whole.scenarios[0].subjects[0].calm, .seconds(4))
    expectEqual(Self.starved(whole), 20)
    try expectEqual(Report(data: whole.data(), source: "r.json"), whole)
  }
}
