import TestSupport

@testable import WindTunnelReports

@Suite struct ReportFormatTests {
  static func report() -> Report {
    let attempt = Observation.Attempt(
      decision: .init(line: "rainy/0\tGET /\t1\t[]"),
      source: .init(words: "recording 1")
    )
    func call(_ number: Int, _ ending: Observation.CallResult, _ attempts: [Observation.Attempt]?)
      -> Observation
    {
      var call = Flights.call(number, ending, endpoint: "GET /", attempts ?? [])
      (call.isCritical, call.latency) = (true, .microseconds(41_237))
      (call.attemptCount, call.intendedStart) = (attempts?.count, nil)
      return call
    }
    let calls = [
      call(0, .succeeded, [attempt]), call(1, .failed("status 503"), [attempt, attempt]),
    ]
    let rows = [
      Report.Row("network-layer", calls),
      Report.Row("urlsession", [call(0, .crashed, []), call(1, .hung, nil)]),
    ]
    return Report(
      .init("rainy", on: .onTheWire, subjects: rows),
      seed: .max,
      hash: String(repeating: "0a", count: 32),
      facts: [Report.Fact("os", "Linux")]
    )
  }

  private static var text: String { String(decoding: report().data(), as: UTF8.self) }

  private func reading(_ text: String) throws -> Report {
    try Report(data: Data(text.utf8), source: "r.json")
  }

  @Test func `a report comes back as it was written`() throws {
    let report = Self.report()
    try expectEqual(reading(Self.text), report)
    try expectEqual(reading(Self.text).data(), report.data())
  }

  @Test func `keys stand in a fixed order with units last`() throws {
    let json = try JSON(parsing: Self.report().data(), source: "")
    let rows = json["scenarios"]?.elements.first?["subjects"]?.elements ?? []
    let row = try #require(rows.first).members
    expectEqual(
      json.members.map(\.name.value),
      [
        "windtunnelReport", "seed", "decisionHash", "platformErrors", "environment", "verdict",
        "findings", "coverage", "scenarios",
      ]
    )
    expectEqual(
      row.dropLast(2).prefix(15).map { "\($0.name.value) \($0.value)" },
      [
        "name \"network-layer\"", "client \"library\"", "calls 2", "successRate 0.5",
        "successRateLower 0.094531",
        "firstTrySuccessRate 0.5", "averageRetries 0.5", "p50Milliseconds 41.237",
        "p95Milliseconds 41.237", "p99Milliseconds 41.237", "blankScreenRate 0.5", "crashes 0",
        "hangs 0", "p90Milliseconds 41.237", "maxMilliseconds 41.237",
      ]
    )
    expectEqual(row.suffix(2).map(\.name.value), ["endpoints", "log"])
    let figures = Array(row.dropLast(2).dropFirst(2))
    expectEqual(
      row.dropLast().last?.value.elements,
      [.object([JSON.Member("endpoint", "GET /")] + figures)]
    )
    expectEqual(rows.last?["averageRetries"], .null)
    #expect(Self.text.hasSuffix("}\n"))
  }

  @Test(arguments: [0, 1, 999, 1001, 41_237, 8_999_999, 86_400_000_000] as [Int64])
  func `a latency comes back to the microsecond`(microseconds: Int64) throws {
    var observation = try #require(
      Self.report().scenarios.first?.subjects.first?.observations.first
    )
    observation.latency = .microseconds(microseconds)
    let read = try Observation(JSON(parsing: observation.json.bytes(), source: ""))
    expectEqual(read.latency, observation.latency)
  }

  @Test(arguments: [
    ("\"successRate\": 0.5,", "\"successRate\": 1,", "does not match the log"),
    ("\"crashes\": 1,", "\"crashes\": 0,", "does not match the log"),
    ("\"averageRetries\": null,", "\"averageRetries\": 0,", "does not match the log"),
    ("\"windtunnelReport\": 1,", "\"windtunnelReport\": 2,", "2"),
    ("\"decisionHash\"", "\"decisionhash\"", "decisionHash"),
    ("\"stage\": \"wire\",", "", "stage"), ("\"scenarios\"", "\"_scenarios\"", "scenarios"),
    ("\"attempts\": 2", "\"attempts\": \"2\"", "attempts"),
    ("\"attempts\": 2", "\"attempts\": -2", "attempts"),
    ("\"source\": \"recording 1\"", "\"took\": \"recording 1\"", "met"),
    ("\"ending\": \"hung\"", "\"ending\": \"sleeping\"", "ending"),
    ("\"blankScreenRate\": 0.5,", "\"blankPageRate\": 0.5,", "run the drill again"),
    ("\"seed\":", "\"seed\"", "not JSON"),
  ]) func `a report that cannot be believed is refused`(old: String, new: String, word: String)
    throws
  {
    let doctored = Self.text.replacing(old, with: new)
    try #require(doctored != Self.text)
    let error = try #require(throws: FormatError.self) { _ = try reading(doctored) }
    #expect("\(error)".contains(word), "\(error)")
  }

  /// The text of a report without some of its keys, wherever they stand.
  private func text(without keys: Set<String>) throws -> String {
    func stripped(_ json: JSON) -> JSON {
      switch json {
      case .object(let members):
        .object(
          members.filter { !keys.contains($0.name.value) }.map {
            JSON.Member($0.name, stripped($0.value))
          }
        )
      case .array(let elements): .array(elements.map(stripped))
      case .null, .bool, .number, .string: json
      }
    }
    let json = stripped(try JSON(parsing: Self.report().data(), source: ""))
    return String(decoding: json.fileBytes(), as: UTF8.self)
  }

  /// Everything that the first reports did not have.
  private static let later = Set(Metrics([]).members.map(\.name.value))
    .subtracting(Metrics.firstKeys).union(["endpoints"])

  @Test func `a report that has no figures yet of those that came later is read`() throws {
    try expectEqual(reading(text(without: Self.later)), Self.report())
  }

  @Test(arguments: ["calls", "p95Milliseconds", "hangs"])
  func `a figure that was always there and is missing is named`(key: String) throws {
    expectEqual(
      refusal { try reading(text(without: Self.later.union([key]))) },
      "r.json, scenarios[0].subjects[0].\(key): it is missing."
    )
  }

  @Test func `the scenario is kept as it was flown, through shards, too`() throws {
    var scenario = Scenario("rainy", rules: [.on("GET /home", .first(2), .status(503))])
    scenario.gates = [try Gate("calls >= 1")]
    (scenario.class, scenario.bars) = ("wet", [try Gate("calls >= 1000")])
    var report = Flights.report([Flights.call(0)], facts: [.init("cassette", "c")])
    report.scenarios[0].scenario = scenario
    try expectEqual(Report(data: report.data(), source: "r"), report)
    #expect(report.judgements.isEmpty)
    var other = Flights.report([Flights.call(1)], facts: [.init("cassette", "c")])
    other.scenarios[0].scenario = scenario
    let merged = try Report(merging: [.init(report, from: "a"), .init(other, from: "b")])
    expectEqual(merged.scenarios[0].scenario, scenario)
    report.scenarios[0].scenario = Scenario("dry")
    let error = #expect(throws: FormatError.self) { try Report(data: report.data(), source: "r") }
    expectEqual(error?.description, "r, scenarios[0].scenario: it belongs to dry.")
  }
}
