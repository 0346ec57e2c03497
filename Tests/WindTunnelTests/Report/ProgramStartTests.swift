import TestSupport

@testable import WindTunnelReports

/// Programs' starts in reports: they are told, and no latency has them in it.
@Suite struct ProgramStartTests {
  private static func call(_ number: Int, _ latency: Int, startUp: Int?) -> Observation {
    let attempts = [Flights.attempt(call: number)]
    var call = Flights.call(number, start: number, milliseconds: latency, attempts)
    call.start = .milliseconds(number)
    call.startUp = startUp.map { .milliseconds($0) }
    return call
  }

  private static func row(startUp: Int?, starts: ProgramStarts? = nil) -> Report.Row {
    var row = Report.Row("exec", (0..<20).map { call($0, 100, startUp: startUp) })
    row.starts = starts
    return row
  }

  private static func report(_ row: Report.Row, _ gates: String...) throws -> Report {
    Report(.init("calm", on: .onTheWire, subjects: [row], gates: try gates.map { try Gate($0) }))
  }

  private static let tooMany = ProgramStarts(asked: 10, possible: 3.4)
  private static let few = ProgramStarts(asked: 3, possible: 3.4)

  @Test func `a start is a stage where one was seen, and in no latency`() {
    let metrics = Self.row(startUp: 700).metrics
    expectEqual(metrics.stages.map(\.stage), ["startUp"] + ExchangeStages.names)
    let stage = metrics.stages[0]
    #expect(stage.attempts == 20 && stage.p95 == .milliseconds(700))
    expectEqual(metrics.max, .milliseconds(100))
    expectEqual(Self.row(startUp: nil).metrics.stages.map(\.stage), ExchangeStages.names)
    expectEqual(Self.call(5, 100, startUp: 700).end, .milliseconds(805))
  }

  @Test func `it is written and read, and refused where half of it is missing`() throws {
    let report = try Self.report(Self.row(startUp: 700, starts: Self.tooMany), "p95 <= 1ms")
    try expectEqual(Report(data: report.data(), source: "x"), report)
    let text = String(decoding: report.data(), as: UTF8.self)
    let half = text.replacing(#""possiblePerSecond""#, with: #""_""#)
    #expect(half != text)
    #expect(throws: FormatError.self) { try Report(data: Data(half.utf8), source: "x") }
  }

  @Test(arguments: ["p95 <= 1ms", "max < 1ms"])
  func `a latency over the bar is inconclusive where more was asked than can be started`(
    gate: String
  ) throws {
    let gate = try Gate(gate)
    expectEqual(
      gate.result(for: Self.row(startUp: 700, starts: Self.tooMany)).verdict,
      .inconclusive(
        "10 calls a second were to begin, and this machine starts 3.4 programs a second"
      )
    )
    expectEqual(gate.result(for: Self.row(startUp: 700, starts: Self.few)).verdict, .failed)
    expectEqual(gate.result(for: Self.row(startUp: 700)).verdict, .failed)
  }

  @Test func `slow program starts leave met gates and gates of other metrics unchanged`() throws {
    let row = Self.row(startUp: 700, starts: Self.tooMany)
    try expectEqual(Gate("p95 <= 100ms").result(for: row).verdict, .met)
    try expectEqual(Gate("successRate < 1").result(for: row).verdict, .failed)
    let warnings = try Self.report(row).text()
    #expect(
      warnings.contains(
        "latencies may be due to the machine: 10 calls a second were to begin, and this machine "
          + "starts 3.4 programs a second\n"
      )
    )
    #expect(!(try Self.report(Self.row(startUp: 700, starts: Self.few)).text().contains("may be")))
  }

  @Test(arguments: ["other: busy", "calm: it connected to a process outside; other: busy"])
  func `times of a baseline of another clock are not compared, and its calls are`(_ real: String)
    throws
  {
    var now = try Self.report(
      Self.row(startUp: 700),
      "p95 <= baseline * 1.1",
      "lostCalls == 0"
    ).judged(by: [Gate("run: p95Ratio <= 1.1")])
    let before = now
    now.environment += [.init(Report.clock, "virtual"), .init(Report.inRealTime, real)]
    // A scenario that ran again in real time has the clock of the other report.
    let isAlike = real.hasPrefix("calm")
    for compared in [now.compared(to: before), before.compared(to: now)] {
      let verdicts = (compared.scenarios[0].gates + compared.gates).map(\.verdict)
      let other = GateResult.Status.inconclusive(BaselineComparison.otherClock)
      expectEqual(verdicts, isAlike ? [.met, .met, .met] : [other, .met, other])
      let row = compared.scenarios[0].subjects[0]
      expectEqual(row.comparison?.p95Ratio == nil, !isAlike)
      expectEqual(row.comparison?.flips?.lost, 0)
      try expectEqual(Report(data: compared.data(), source: "x"), compared)
    }
  }

  @Test func `a baseline with starts in its latencies is not comparable, and its calls are`() throws
  {
    let now = try Self.report(
      Self.row(startUp: 700),
      "p95 <= baseline * 1.1",
      "p95Ratio <= 1.1",
      "medianRatio.upper <= 1.1",
      "lostCalls == 0"
    )
    let compared = now.compared(to: try Self.report(Self.row(startUp: nil)))
    let gates = compared.scenarios[0].gates
    for gate in gates.dropLast() {
      guard case .inconclusive(let reason) = gate.verdict else {
        Issue.record("\(gate.gate): \(gate.words)")
        continue
      }
      #expect(reason.hasPrefix("not comparable: "))
    }
    expectEqual(gates.last?.verdict, .met)
    let pair = try #require(compared.scenarios[0].subjects[0].comparison)
    #expect(pair.p95Ratio == nil && pair.medianRatio == nil && pair.pairs == 20)
    #expect(compared.text().contains("  calm: latencies not comparable; 0 lost, 0 won\n"))
    try expectEqual(Report(data: compared.data(), source: "x"), compared)
    // Two that are alike are compared as ever.
    let alike = now.compared(to: now).scenarios[0]
    expectEqual(alike.subjects[0].comparison?.p95Ratio?.value, 1)
    expectEqual(alike.gates.map(\.verdict).dropLast(2), [.met, .met])
  }

  @Test func `a whole of several machines is as slow as the slowest`() throws {
    func part(_ calls: [Int], _ starts: ProgramStarts) throws -> Report {
      var row = Report.Row("exec", calls.map { Self.call($0, 100, startUp: 700) })
      row.starts = starts
      return try Self.report(row)
    }
    let whole = try Report(merging: [
      .init(part([0, 2], Self.few), from: "a"), .init(part([1, 3], Self.tooMany), from: "b"),
      .init(part([4], ProgramStarts(asked: 10, possible: 5)), from: "c"),
    ])
    expectEqual(whole.scenarios[0].subjects[0].starts?.possible, 3.4)
  }
}
