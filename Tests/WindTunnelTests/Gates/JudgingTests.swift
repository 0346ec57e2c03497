import TestSupport

@testable import WindTunnelReports

@Suite struct JudgingTests {
  private func report(_ gates: [String] = []) throws -> Report {
    let gates = try gates.map { try Gate($0) }
    let calm = [Calls.row(Calls(good: 20)), Calls.row(Calls(bad: 20))]
    let offline = [Calls.row(Calls(good: 10, bad: 10, attempts: nil))]
    return Report(
      .init("calm", on: .onTheWire, subjects: calm, gates: gates),
      .init("offline", on: .onTheWire, subjects: offline)
    )
  }

  private func first(_ key: String, of json: JSON) throws -> JSON {
    guard case .array(let elements)? = json[key] else { return .null }
    return try #require(elements.first)
  }

  @Test func `gates that every scenario meets pass, regardless of other clients`() throws {
    try report(["successRate == 1"]).require(gates("successRate >= 0.5", "p95 <= 1s", "hangs == 0"))
    try report().require([])
  }

  @Test func `each gate that is not met is a line with scenario, bar and figure`() throws {
    let sentence = """
      2 of 7 gates failed, 1 inconclusive:
        calm: calls > 20: failed, got 20
        offline: successRate >= 0.99: failed, got 0.5 (10 of 20 calls)
        offline: averageRetries <= 1.5: inconclusive, the attempts could not be seen
      """
    let report = try report(["calls > 20"])
    let three = try gates("successRate >= 0.99", "averageRetries <= 1.5", "p95 <= 3s")
    expectEqual(refusal { try report.require(three) }, sentence)
    let error = try #require(throws: GatesNotMet.self) { try report.require([three[0]]) }
    expectEqual(error.localizedDescription, error.description)
  }

  @Test func `inconclusive gates pass only if they are allowed`() throws {
    let report = try report()
    try report.require(gates("averageRetries <= 1.5"), allowInconclusive: true)
    expectEqual(
      refusal { try report.require(gates("averageRetries <= 1.5")) },
      """
      0 of 2 gates failed, 1 inconclusive:
        offline: averageRetries <= 1.5: inconclusive, the attempts could not be seen
      """
    )
    expectEqual(
      refusal { try report.require(gates("successRate == 1"), allowInconclusive: true) },
      """
      1 of 2 gates failed:
        offline: successRate == 1: failed, got 0.5 (10 of 20 calls)
      """
    )
  }

  @Test func `a gate that does not read is an error and no verdict`() throws {
    let error = try #require(throws: GateError.self) {
      try report().require(gates("successRate >= 0.1", "p95 <= 3"))
    }
    expectEqual(error.column, 8)
  }

  @Test func `a baseline is looked up by scenario and client`() throws {
    let (now, before) = (try report(), try report())
    let gate = try Gate("successRate >= baseline")
    let judged = try now.judged(by: [gate])
    expectEqual(judged.compared(to: before).judgements.map(\.result.verdict), [.met, .met])
    try now.require(gates("successRate >= baseline"), against: before)
    var other = before
    other.scenarios[1].name = "outage"
    expectEqual(
      judged.compared(to: other).judgements.map(\.description),
      [
        "calm: successRate >= baseline: met, got 1 (20 of 20 calls)",
        "offline: successRate >= baseline: inconclusive, there is no baseline to compare it with "
          + "(got 0.5 (10 of 20 calls))",
      ]
    )
  }

  @Test func `what was set for the drill is held against the baseline, too`() throws {
    let now = try report(["successRate >= baseline", "calls > baseline"])
    let error = try #require(throws: GatesNotMet.self) { try now.require([], against: report()) }
    expectEqual(error.count, 2)
    expectEqual(error.judgements.map(\.result.gate.description), ["calls > baseline"])
    expectEqual(error.judgements.map(\.result.verdict), [.failed])
    try report(["successRate >= baseline", "calls >= baseline"]).require([], against: report())
    // Without one nobody can tell.
    let alone = try #require(throws: GatesNotMet.self) { try now.require([]) }
    #expect(alone.judgements.allSatisfy { $0.result.verdict != .failed } && alone.count == 2)
  }

  @Test func `the table names what was not met, and counts the rest`() throws {
    let lines = try report(["successRate == 1", "calls > 20", "p99 <= 1s"]).text()
      .split(separator: "\n", omittingEmptySubsequences: false)
    expectEqual(
      lines.suffix(7).map(String.init),
      [
        "", "gates: 1 met, 1 failed, 1 inconclusive", "  calm: calls > 20: failed, got 20",
        "  calm: p99 <= 1s: inconclusive, p99 needs 100 calls and has 20 (got 20 ms)", "",
        "FAILED (99): 1 of 3 gates not met", "",
      ]
    )
    #expect(try !report().text().contains("gates"))
  }

  @Test func `a verdict comes back as it was written, and a doctored one does not`() throws {
    let report = try report(["calls > 20", "p95 <= baseline", "p95 <= 3s"])
    let text = String(decoding: report.data(), as: UTF8.self)
    try expectEqual(Report(data: report.data(), source: "r.json"), report)
    let flown = try first("scenarios", of: JSON(parsing: report.data(), source: ""))
    let endpoint = try first("endpoints", of: first("subjects", of: flown))
    expectEqual(endpoint["endpoint"], "GET /home")
    expectEqual(
      flown["gates"],
      [
        ["gate": "calls > 20", "verdict": "failed", "got": "20"],
        [
          "gate": "p95 <= baseline", "verdict": "inconclusive", "got": "19 ms",
          "reason": "there is no baseline to compare it with",
        ], ["gate": "p95 <= 3s", "verdict": "met", "got": "19 ms"],
      ]
    )
    func reading(_ old: String, _ new: String) throws -> Report {
      let doctored = text.replacing(old, with: new)
      try #require(doctored != text)
      return try Report(data: Data(doctored.utf8), source: "r.json")
    }
    expectEqual(
      refusal { try reading(#""verdict": "failed""#, #""verdict": "met""#) },
      "r.json, scenarios[0].gates[0]: the log results in failed, got 20."
    )
    expectEqual(
      refusal { try reading("calls > 20", "cals > 20") },
      "r.json, scenarios[0].gates[0].gate: column 1: there is no metric \"cals\". Did you mean calls?"
    )
    expectEqual(
      refusal { try reading(#""endpoints": ["#, #""endpoints": [ {},"#) },
      "r.json, scenarios[0].subjects[0].endpoints: the figures do not match the log."
    )
    // Where the bar was in another file, the verdict stands as it was told.
    let told = try reading(#""inconclusive""#, #""met""#.replacing("met", with: "failed"))
    expectEqual(told.scenarios[0].gates[1].verdict, .failed)
    let few = try String(decoding: self.report(["p99 <= 1s"]).data(), as: UTF8.self)
    let reworded = Data(few.replacing("p99 needs 100", with: "P99 requires 100").utf8)
    try expectEqual(Report(data: reworded, source: "r.json").data(), reworded)
  }
}
