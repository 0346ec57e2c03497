import TestSupport

@testable import WindTunnelReports

@Suite struct GateMetricsTests {
  private func words(_ gate: String, _ calls: [Observation]) throws -> String {
    let row = Report.Row("client", calls, plannedFaults: ["status 503", "reset"])
    return try Gate(gate).result(for: row).words
  }

  private var drill: [Observation] {
    (0..<100).map { number in
      var first = Flights.attempt(Flights.unavailable, number * 10, to: number * 10 + 1)
      (first.retryAfter, first.isRepeatable) = (.milliseconds(100), false)
      var second = Flights.attempt("", number * 10 + (number < 25 ? 50 : 150))
      second.isRepeatable = false
      var call = Flights.call(
        number,
        number < 10 ? .failed("x") : .succeeded,
        start: number * 10,
        milliseconds: number + 1,
        [first, second]
      )
      (call.clientAttempts, call.bodyMatches, call.isStale) = (1, number != 50, number == 60)
      return call
    }
  }

  @Test(arguments: try TestData.rows("tested-gates.json", count: 22) as [(String, String)])
  func `a gate tests the figure that it names`(gate: String, expected: String) throws {
    try expectEqual(words(gate, drill), expected)
  }

  @Test func `a gate may rest on the client's own word, and says so`() throws {
    let calls = (0..<4).map { number in
      var call = Flights.call(number)
      (call.attemptCount, call.attempts, call.clientAttempts) = (nil, [], number + 1)
      return call
    }
    let word = "1.5 (of 4 of 4 calls by the client's own word)"
    try expectEqual(words("averageRetries <= 1.5", calls), "met, got \(word)")
    try expectEqual(words("averageRetries < 1.5", calls), "failed, got \(word)")
    try expectEqual(
      words("amplification <= 2.5", calls),
      "inconclusive, the attempts could not be seen"
    )
  }

  @Test func `every metric reads, has a figure's nature and a reason for having none`() throws {
    let nothing = [Flights.call()].map { call in
      var call = call
      (call.attemptCount, call.attempts, call.isCritical) = (nil, [], false)
      return call
    }
    for metric in GateMetric.allCases {
      let gate = try Gate(metric.example(metric.rawValue))
      expectEqual(gate.metric, metric)
      try expectEqual(Gate(metric.example(metric.key)).metric, metric)
      let verdict = gate.result(for: Report.Row("c", nothing)).verdict
      if metric.figure.number(of: Metrics(nothing)) == nil, case .inconclusive(let reason) = verdict
      {
        #expect(!reason.isEmpty)
      } else {
        #expect(metric.figure.number(of: Metrics(nothing)) != nil, "\(metric.rawValue): \(verdict)")
      }
    }
  }

  @Test func `calls that were given up are not held against a rate`() throws {
    var calls = drill
    calls[0].ending = .failed("cancelled")
    calls[0].cancellation = .init(after: .zero, toReturn: .zero, attemptsAfter: 0)
    try expectEqual(words("successRate >= 0.9", calls), "met, got 0.909091 (90 of 99 calls)")
    try expectEqual(words("attemptsAfterCancel == 0", calls), "met, got 0")
  }

  @Test func `a latency that may be the machine's own is inconclusive, and no other`() throws {
    func late(_ milliseconds: Int) -> [Observation] {
      drill.map { call in
        var call = call
        call.start = call.intendedStart.map { $0 + .milliseconds(milliseconds) }
        return call
      }
    }
    // The 95th call took 95 ms.
    try expectEqual(words("p95 <= 90ms", late(9)), "failed, got 95 ms", "a tenth is no matter")
    try expectEqual(
      words("p95 <= 90ms", late(10)),
      "inconclusive, this machine began calls up to 10.0 ms late (got 95 ms)"
    )
    try expectEqual(
      words("p95 <= 80ms", late(10)),
      "failed, got 95 ms",
      "it failed without that, too"
    )
    try expectEqual(words("p95 <= 95ms", late(50)), "met, got 95 ms", "what is met with it is met")
    #expect(try words("amplification < 2", late(50)).hasPrefix("failed"))
    expectNil(Metrics(drill).startDelayP99)
    expectEqual(Metrics(late(7)).startDelayP99, .milliseconds(7))
  }

  @Test func `a gate of a file knows its line, and is the same gate without it`() throws {
    let folder = try TemporaryFolder()
    let text = """
      { "windtunnelScenario": 1, "name": "s", "_gates": ["no"], "rules": [
          {"when": {}, "faults": [{"status": 503}]} ],
        "gates":
          [ "calls > 1",
            "hangs == 0", "crashes == 0"

            ,"p95 <= 3s" ], "bars":
        ["calls > 2"] }
      """
    try Data(text.utf8).write(to: folder.file("s.json"))
    let file = folder.file("s.json")
    let gates = try Scenario(contentsOf: file).gates
    expectEqual(gates.map(\.location?.line), [4, 5, 5, 7])
    try expectEqual(Scenario(contentsOf: file).bars.map(\.location?.line), [8])
    #expect(gates.allSatisfy { $0.location?.file == file.relativePath })
    expectEqual(gates, (try Scenario(json: text).gates))
    #expect(try Scenario(json: text).gates.allSatisfy { $0.location == nil })
    let report = Flights.report([Flights.call()], gates: gates)
    let again = try Report(data: report.data(), source: "r.json")
    expectEqual(again.scenarios[0].gates.map(\.gate.location?.line), [4, 5, 5, 7])
    expectEqual(again.data(), report.data())
  }
}
