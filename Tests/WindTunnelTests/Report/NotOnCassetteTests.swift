import TestSupport

@testable import WindTunnelReports

/// Calls that asked for what is not on the cassette: no rate has them, every form of a report tells of
/// them, and a drill that has one is inconclusive.
@Suite struct NotOnCassetteTests {
  /// The first request, as a drill notes it.
  static func words(_ call: Int) -> String {
    "GET /\(call)/get, nearest #1 GET https://api.example.test/get, differs in path"
  }

  /// The same calls as asked for something else.
  static func strange(_ call: Observation, _ request: String? = nil) -> Observation {
    var call = call
    call.notOnCassette = request ?? words(call.call)
    return call
  }

  static func calls(_ numbers: ClosedRange<Int>) -> [Observation] {
    numbers.map { number in
      strange(
        Flights.call(number, .failed("exit 22"), [Flights.attempt(call: number, take: "unmatched")])
      )
    }
  }

  private static let good = (0...20).map { Flights.call($0) }
  private static let sentence =
    "2 calls had no recording, first: GET /21/get, nearest #1 GET "
    + "https://api.example.test/get, differs in path"

  /// The verdict of ``mixed(_:)`` without gates.
  private static let line = "INCONCLUSIVE (98): 2 calls had no recording"

  private func mixed(_ gates: String...) throws -> Report {
    // Told in the order of their ends, which is the clock's.
    Flights.report(
      Self.good + Self.calls(21...22).reversed(),
      gates: try gates.map { try Gate($0) }
    )
  }

  @Test func `they are in no figure but their own`() {
    let calls = Flights.drawn(400, seed: 5)
    let isStrange: (Observation) -> Bool = {
      $0.call % 3 == 0 && $0.ending != .crashed && $0.ending != .hung
    }
    let all = calls.map { isStrange($0) ? Self.strange($0) : $0 }
    let kept = calls.filter { !isStrange($0) }
    let count = all.count - kept.count
    #expect(count > 50)
    var expected = Metrics(kept)
    expectEqual(expected.notOnCassette, 0)
    expected.calls += count
    expected.notOnCassette = count
    expectEqual(Metrics(all), expected)
    var (one, other) = (MetricsAccumulator(all.prefix(150)), MetricsAccumulator(all.dropFirst(150)))
    one.merge(other)
    other = MetricsAccumulator(all)
    #expect(one.metrics == expected && one.endpoints == other.endpoints)
    expectEqual(one.endpoints.reduce(0) { $0 + $1.metrics.notOnCassette }, count)
  }

  @Test func `where all calls are such there is no rate, and no gate is met or failed`() throws {
    let gates = ["successRate >= 0.99", "crashes == 0", "p95 <= 3s", "averageRetries <= 1"]
    let report = Flights.report(Self.calls(1...30), gates: try gates.map { try Gate($0) })
    let metrics = report.scenarios[0].subjects[0].metrics
    #expect(metrics.calls == 30 && metrics.notOnCassette == 30)
    #expect(metrics.successRate == nil && metrics.averageRetries == nil && metrics.p95 == nil)
    #expect(metrics.blankScreens == nil && metrics.unexpectedErrors == nil && metrics.endings == [])
    let reason = "every call sent a request that is not on the cassette"
    expectEqual(Set(report.judgements.map(\.result.verdict)), [.inconclusive(reason)])
    try expectEqual(Gate("calls == 30").result(for: report.scenarios[0].subjects[0]).verdict, .met)
    expectEqual(report.scenarios[0].subjects[0].fallenCalls, [])
  }

  @Test func `the verdict is inconclusive, unless something worse was found`() throws {
    try expectEqual(mixed().verdict.outcome, .inconclusive)
    try expectEqual(mixed("successRate == 1").verdict.line, Self.line)
    try expectEqual(
      mixed("p99 <= 1s").verdict.line,
      "INCONCLUSIVE (98): rainy: p99 <= 1s: inconclusive, p99 needs 100 calls and has 21 "
        + "(got 10 ms), and 1 more"
    )
    try expectEqual(mixed("successRate == 1").allowingInconclusive.verdict.outcome, .passed)
    try expectEqual(mixed().allowingInconclusive.verdict.outcome, .passed)
    try expectEqual(mixed("calls < 3").verdict.outcome, .failed)
    let fallen = Flights.report(Self.calls(1...2) + [Flights.call(3, .hung)])
    expectEqual(fallen.verdict.line, "HUNG (97): 1 call")
    // Who flies beside the judged subject fails no drill.
    let rows = [Report.Row("a", Self.good), Report.Row("b", Self.calls(0...3))]
    var beside = try mixed()
    beside.scenarios = [Report.ScenarioResult("s", on: .onTheWire, subjects: rows)]
    expectEqual(beside.verdict.outcome, .passed)
    #expect(beside.text().contains("s, b: 4 calls had no recording, first: "))
  }

  @Test func `a test that requires gates is told, unless it allows what is inconclusive`() throws {
    let report = try mixed("successRate == 1")
    expectEqual(
      refusal { try report.require(gates("calls == 23")) },
      """
      0 of 2 gates failed, and the cassette lacks some requests:
        rainy: \(Self.sentence)
      """
    )
    try report.require(gates("calls == 23"), allowInconclusive: true)
    try Flights.report(Self.good).require(gates("calls == 21"))
  }

  @Test func `the report's text comes back as it was written`() throws {
    let report = try mixed("successRate == 1")
    let read = try Report(data: report.data(), source: "r.json")
    #expect(read == report && read.verdict.outcome == .inconclusive)
    let json = try JSON(parsing: report.data(), source: "r")
    let row = try #require(json["scenarios"]?.elements.first?["subjects"]?.elements.first)
    let log = row["log"]?.elements ?? []
    try #require(log.count == 23)
    #expect(row["notOnCassette"] == 2 && row["calls"] == 23)
    expectEqual(row["successRate"], 1)
    #expect(log[20]["notOnCassette"] == nil && log[22]["notOnCassette"] == .text(Self.words(21)))
    let doctored = String(decoding: report.data(), as: UTF8.self)
      .replacing("\"notOnCassette\": 2", with: "\"notOnCassette\": 0")
    #expect(
      refusal { try Report(data: Data(doctored.utf8), source: "r") }
        .contains("notOnCassette: the figure does not match the log, which has 2")
    )
  }

  @Test func `every form of the report tells of them`() throws {
    let report = try mixed("successRate == 1")
    expectEqual(
      report.text(),
      TestData.text("not-on-cassette.txt")
        .replacing("{sentence}", with: Self.sentence).replacing("{line}", with: Self.line)
        .replacing("{rest}", with: "\(FindingRule.all.count - 2)")
    )
    let markdown = report.markdown()
    #expect(markdown.hasPrefix("## \(Self.line)\n\n"))
    #expect(
      markdown.contains(
        "### Not on the cassette\n\n- **rainy**: "
          + Self.sentence.replacing("#", with: "\\#")
          .replacing("://", with: "&#58;//") + "\n"
      )
    )
    #expect(!markdown.contains("### Failing calls"))
    expectEqual(report.annotations, ["::error::rainy: \(Self.sentence)"])
    #expect(report.allowingInconclusive.annotations[0].hasPrefix("::warning::rainy: 2 calls"))
    let lines = report.csv().components(separatedBy: "\r\n")
    #expect(lines[21].contains(",succeeded,,true,"))
    expectEqual(
      lines[23],
      "rainy,wire,client,21,GET /home,true,notOnCassette,\"\(Self.words(21))\",false,0,,10,1,,,,,,,"
    )
    let page = report.html()
    #expect(page.contains("<h1>\(Self.line)</h1>"))
    #expect(page.contains("<span>not on the cassette</span><b>2</b>"))
    #expect(!page.contains("failing call") && page.contains("rainy: \(Self.sentence)"))
    #expect(report.junit().contains("<skipped message=\"\(Self.sentence)\"/>"))
    for rendering in [ReportRendering.text, .markdown, .junit, .html, .csv] {
      let whole = Flights.report(Self.good).rendered(as: rendering)
      #expect(!String(decoding: whole, as: UTF8.self).contains("on the cassette"), "\(rendering)")
    }
  }

  @Test func `shards that are merged tell of all of them`() throws {
    func part(_ calls: [Observation], _ file: String) -> Report.Part {
      Report.Part(Flights.report(calls, facts: [.init("cassette", "c")]), from: file)
    }
    let parts = [
      part(Array(Self.good.prefix(9)) + Self.calls(22...22), "a.json"),
      part(Array(Self.good.dropFirst(9)) + Self.calls(21...21), "b.json"),
    ]
    let merged = try Report(merging: parts)
    expectEqual(merged.scenarios, Flights.report(Self.good + Self.calls(21...22)).scenarios)
    #expect(
      merged.verdict.outcome == .inconclusive && merged.notOnCassette == ["rainy: \(Self.sentence)"]
    )
  }

  @Test func `against a baseline they have no partners, and are not lost`() throws {
    let before = (0..<30).map { Flights.call($0, [Flights.attempt(call: $0)]) }
    var now = before
    now[3] = Self.strange(Flights.call(3, .failed("exit 22"), [Flights.attempt(call: 3)]))
    let pair = BaselineComparison(now, to: before, seed: 1)
    #expect(pair.pairs == 29 && pair.unpaired == 2)
    #expect(pair.flips?.lost == 0 && pair.flips?.won == 0)
    #expect(pair.successRate.before == 1 && pair.successRate.now == 1)
    let back = BaselineComparison(before, to: now, seed: 1)
    #expect(back.pairs == 29 && back.flips?.won == 0 && back.successRate.before == 1)
    let compared = Flights.report(now).compared(to: Flights.report(before))
    expectEqual(compared.verdict.outcome, .inconclusive)
  }
}
