import TestSupport

@testable import WindTunnelReports

/// Calls whose figures are known: number n takes n milliseconds.
struct Calls {
  var good = 0
  var bad = 0
  var attempts: Int? = 1
  var endpoint = "GET /home"
  var isCritical = true

  var observations: [Observation] {
    (0..<(good + bad)).map { number in
      Observation(
        call: number,
        endpoint: endpoint,
        isCritical: isCritical,
        ending: number < good ? .succeeded : .failed("timedOut"),
        showed: number < good,
        latency: .milliseconds(number + 1),
        attemptCount: attempts
      )
    }
  }

  static func row(_ calls: Calls...) -> Report.Row {
    Report.Row("client", calls.flatMap(\.observations))
  }
}

@Suite struct GateVerdictTests {
  private func verdict(_ gate: String, _ row: Report.Row, _ baseline: Report.Row? = nil) throws
    -> String
  {
    try Gate(gate).result(for: row, against: baseline).words
  }

  @Test(arguments: try TestData.rows("gate-verdicts.json", count: 21) as [(String, String)])
  func `a gate tests the figure that it names`(gate: String, words: String) throws {
    try expectEqual(verdict(gate, Calls.row(Calls(good: 99, bad: 1))), words)
  }

  @Test(arguments: [("p50", 2), ("p90", 10), ("p95", 20), ("p99", 100)])
  func `a percentile of too few calls is inconclusive, whatever it is`(name: String, count: Int)
    throws
  {
    let few = Calls.row(Calls(good: count - 1))
    let reason = "inconclusive, \(name) needs \(count) calls and has \(count - 1)"
    for gate in ["\(name) <= 1s", "\(name) > 1s"] {
      #expect(try verdict(gate, few).hasPrefix(reason))
    }
    #expect(try verdict("\(name) <= 1s", Calls.row(Calls(good: count))).hasPrefix("met"))
    #expect(try verdict("\(name) > 1s", Calls.row(Calls(good: count))).hasPrefix("failed"))
  }

  @Test func `a gate is inconclusive only if its metric was not observed`() throws {
    let unseen = Calls.row(Calls(good: 5, attempts: nil, isCritical: false))
    let attempts = "inconclusive, the attempts could not be seen"
    try expectEqual(verdict("averageRetries <= 9", unseen), attempts)
    try expectEqual(verdict("firstTrySuccessRate >= 0", unseen), attempts)
    let critical =
      "inconclusive, no GET or HEAD call is of a critical endpoint; --critical \"GET /home\" names "
      + "one"
    try expectEqual(verdict("blankScreens == 0", unseen), critical)
    try expectEqual(verdict("blankScreenRate <= 1", unseen), critical)
    let feed = Calls.row(Calls(good: 5, endpoint: "GET /feed", isCritical: false))
    let example = critical.replacing("GET /home", with: "GET /feed")
    try expectEqual(verdict("blankScreens == 0", feed), example)
    let actions =
      "inconclusive, no call but GET and HEAD is of a critical endpoint; --critical \"POST "
      + "/orders\" names one"
    try expectEqual(verdict("failedActions == 0", Calls.row(Calls(good: 5))), actions)
    try expectEqual(verdict("successRate >= 1", unseen), "met, got 1 (5 of 5 calls)")
    for name in GateMetric.allCases {
      let gate = "\(name.rawValue) == baseline"
      try expectEqual(verdict(gate, Calls.row()), "inconclusive, there are no calls")
    }
  }

  @Test func `a bound that few calls cannot prove is inconclusive, one that they refute is not`()
    throws
  {
    let gate = "successRate.lower >= 0.95"
    try expectEqual(
      verdict(gate, Calls.row(Calls(good: 20))),
      "inconclusive, 20 calls prove at most 0.839 (got 0.838875)"
    )
    #expect(try verdict(gate, Calls.row(Calls(good: 2, bad: 18))).hasPrefix("failed, got 0.0"))
    #expect(try verdict(gate, Calls.row(Calls(good: 73))).hasPrefix("met, got 0.95"))
    // An upper bar for the bound is met or not, however few there are.
    #expect(try verdict("successRate.lower < 0.5", Calls.row(Calls(good: 20))).hasPrefix("failed"))
  }

  @Test func `an endpoint's gate asks for its calls alone`() throws {
    let row = Calls.row(
      Calls(good: 100, endpoint: "GET /users/1"),
      Calls(good: 20, bad: 20, endpoint: "GET /users/2"),
      Calls(bad: 7, endpoint: "POST /users/1")
    )
    try expectEqual(verdict("successRate(GET /users/1) == 1", row), "met, got 1 (100 of 100 calls)")
    try expectEqual(verdict("calls(GET /users/*) == 140", row), "met, got 140")
    try expectEqual(verdict("calls(* /users/{id}) == 147", row), "met, got 147")
    try expectEqual(verdict("calls(/**) == 147", row), "met, got 147")
    try expectEqual(verdict("max(POST /users/1) <= 7ms", row), "met, got 7 ms")
    try expectEqual(
      verdict("p95(POST /users/1) <= 7ms", row),
      "inconclusive, p95 needs 20 calls and has 7 (got 7 ms)"
    )
    try expectEqual(
      verdict("p95(POST /payments) <= 3s", row),
      "inconclusive, no call is of POST /payments; there are GET /users/1, GET /users/2, POST "
        + "/users/1"
    )
  }

  @Test func `a bar at the baseline moves with it, and is nowhere without one`() throws {
    let (now, before) = (Calls.row(Calls(good: 40)), Calls.row(Calls(good: 36)))
    let gate = "p95 <= baseline*1.10"
    try expectEqual(
      verdict(gate, now),
      "inconclusive, there is no baseline to compare it with (got 38 ms)"
    )
    // The 35th of 36 calls took 35 ms, and 1.1 of that are 38.5.
    try expectEqual(verdict(gate, now, before), "met, got 38 ms")
    try expectEqual(verdict("p95 <= baseline*1.08", now, before), "failed, got 38 ms")
    try expectEqual(verdict("successRate == baseline", now, before), "met, got 1 (40 of 40 calls)")
    try expectEqual(
      verdict(gate, now, Calls.row(Calls(good: 19))),
      "inconclusive, in the baseline p95 needs 20 calls and has 19 (got 38 ms)"
    )
    try expectEqual(
      verdict("averageRetries <= baseline", now, Calls.row(Calls(good: 36, attempts: nil))),
      "inconclusive, in the baseline the attempts could not be seen (got 0)"
    )
  }
}
