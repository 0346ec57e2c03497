import TestSupport
import WindTunnel
import WindTunnelDrillTesting

@Suite struct GateFigureTests {
  private static let numbers: [GateFigure<Double>] = [
    .calls, .successRate, .successRateLower, .successRateUpper, .firstTrySuccessRate,
    .recoveredRate, .averageRetries, .retriesP95, .retriesMax, .amplification,
    .worstSecondAmplification, .silentRetries, .duplicates, .retryAfterCompliance, .earlyRetries,
    .thunderingHerdIndex, .blankScreens, .blankScreenRate, .failedActions, .failedActionRate,
    .staleServed, .silentTruncations, .crashes,
    .hangs, .unexpectedErrors, .cancelledCalls, .attemptsAfterCancel, .faultCoverage, .coverage,
    .reconnectedRate, .pingsAnswered, .messagesLost, .messagesDoubled, .messagesOutOfOrder,
    .messagesLate, .p95Ratio, .p95RatioLower, .p95RatioUpper, .medianRatio, .medianRatioLower,
    .medianRatioUpper, .lostCalls, .wonCalls, .lossProbability,
  ]
  private static let times: [GateFigure<Duration>] = [
    .p50, .p90, .p95, .p99, .max, .p50Upper, .p90Upper, .p95Upper, .p99Upper, .succeededP95,
    .failedP95, .recoveryP95, .firstRecovery, .steadyRecovery, .cancelReturnP95, .reconnectP95,
    .resubscribeP95, .firstEventP95, .longestGap,
  ]
  private static let scopes: [(GateScope?, String)] = [
    (nil, ""), ("calm", "calm: "), (.run, "run: "), (.whereAllCanSucceed, "all: "),
    (.whereSomeCanSucceed, "some: "), (.whereNoneCanSucceed, "none: "),
  ]

  @Test func `each gate of values equals the gate of its text`() throws {
    let all = GateMetric.allCases
    expectEqual(Self.numbers.map { ($0 == 1).metric }, all.filter { $0.kind != .time })
    expectEqual(Self.times.map { ($0 == .zero).metric }, all.filter { $0.kind == .time })
    let (half, three) = ((0.5, "0.5"), (Duration.seconds(3), "3s"))
    for (scope, prefix) in Self.scopes {
      for calls in [nil, "GET /a" as RequestPattern] {
        for one in Self.numbers { try compare(one(of: calls, in: scope), half, prefix) }
        for one in Self.times { try compare(one(of: calls, in: scope), three, prefix) }
      }
    }
  }

  func compare<Value>(_ one: GateFigure<Value>, _ bar: (Value, String), _ prefix: String) throws {
    let (bar, text) = bar
    let gate = one == bar
    let head = "\(prefix)\(gate.metric.rawValue)\(gate.endpoint == nil ? "" : "(GET /a)")"
    let gates = [
      ">= \(text)": one >= bar, "<= \(text)": one <= bar, "== \(text)": one == bar,
      "!= \(text)": one != bar, "> \(text)": one > bar, "< \(text)": one < bar,
      ">= baseline": one >= .baseline, "<= baseline*1.1": one <= .baseline * 1.10,
      "== baseline": one == .baseline, "!= baseline*2": one != .baseline * 2,
      "> baseline": one > .baseline, "< baseline*0.5": one < .baseline * 0.5,
    ]
    for (text, gate) in gates { try expectEqual(Gate("\(head) \(text)"), gate) }
  }

  @Test(
    arguments: [
      (.successRate(of: "GET /a") >= 1, "successRate(GET /a) >= 1"),
      (.recoveredRate > 0.1 + 0.2, "recoveredRate > 0.30000000000000004"),
      (.p95 <= .milliseconds(800), "p95 <= 800ms"), (.max == .zero, "max == 0s"),
      (.p99 < .microseconds(41_237), "p99 < 41.237ms"), (.p50 <= .seconds(1.5), "p50 <= 1500ms"),
    ] as [(Gate, String)]
  )
  func `a bar has the shortest text of its value`(gate: Gate, text: String) throws {
    expectEqual(gate.description, text)
    try expectEqual(Gate(text), gate)
    #expect(throws: Never.self) { try gate.check(against: []) }
  }

  @Test(
    arguments: [
      (.successRate >= 99, "16: successRate is a share, but 99 is more than all"),
      (.calls >= -1, #"10: "-1" is not a value"#),
      (.p95(of: "/a?b") < .zero, "5: an endpoint is a method and a path, without a query"),
      (.calls(in: " calm") == 1, "1: its text names another scenario or endpoint"),
    ] as [(Gate, String)]
  )
  func `a value that no text has is an error`(gate: Gate, problem: String) {
    let error = #expect(throws: GateError.self) { try gate.check(against: []) }
    expectEqual(error.map { "\($0.column): \($0.problem)" }, problem)
    #expect(throws: GateError.self) { try gate.checkAsOwn() }
  }
}
