import TestSupport

@testable import WindTunnelReports

@Suite struct MergingTests {
  private let calls = Flights.drawn(160, seed: 4)

  private func shard(_ number: Int, of count: Int, gates: [Gate] = []) -> Report.Part {
    let report = Flights.report(
      calls.filter { $0.call % count == number - 1 },
      gates: gates,
      facts: [
        .init("cassette", "c"), .init("shard", "\(number)/\(count)"),
        .init("os", "os \(number % 2)"),
      ]
    )
    return Report.Part(report, from: "shard-\(number).json")
  }

  @Test func `eight shards are one run`() throws {
    let gates = [try Gate("calls >= 160"), try Gate("hangs == 0")]
    let whole = Flights.report(calls, gates: gates)
    let merged = try Report(merging: (1...8).reversed().map { shard($0, of: 8, gates: gates) })
    expectEqual(merged.scenarios, whole.scenarios)
    expectEqual(merged.environment, [.init("cassette", "c"), .init("os", "os 0 | os 1")])
    expectEqual(shard(1, of: 8, gates: gates).report.judgements[0].result.verdict, .failed)
    expectEqual(merged.judgements[0].result.verdict, .met)
  }

  @Test func `a shard that is missing is told`() throws {
    let merged = try Report(merging: [shard(1, of: 3), shard(3, of: 3)])
    #expect(merged.environment.contains(.init("shard", "1/3 | 3/3")))
    #expect(merged.text().contains("only shard 1/3 | 3/3; windtunnel report merges all shards"))
  }

  @Test func `one report alone is as it was`() throws {
    let part = shard(2, of: 3)
    try expectEqual(Report(merging: [part]), part.report)
  }

  @Test func `parts of another drill are refused by name`() throws {
    let first = shard(1, of: 2)
    func told(_ edit: (inout Report) -> Void) -> String {
      var other = shard(2, of: 2)
      edit(&other.report)
      return refusal { try Report(merging: [first, other]) }
    }
    expectEqual(told { _ in }, "")
    expectEqual(
      told { $0.seed = 8 },
      "shard-2.json, seed: it is 8, but in shard-1.json it is 7. Only shards of one drill can be merged; "
        + "to compare two drills, use --baseline."
    )
    #expect(told { $0.decisionHash = "ff" }.hasPrefix("shard-2.json, decisionHash: it is ff"))
    #expect(told { $0.platformErrors = "apple" }.contains("platformErrors"))
    #expect(told { $0.environment = [] }.contains("environment.cassette: it is missing"))
    #expect(told { $0.scenarios[0].name = "dry" }.contains("dry (wire) of client"))
    #expect(told { $0.scenarios = [] }.contains("scenarios"))
    #expect(told { $0.scenarios[0].subjects[0].name = "b" }.contains("rainy (wire) of b"))
    let gate = try Gate("calls > 1")
    let judged = try shard(2, of: 2).report.judged(by: [gate])
    #expect(told { $0 = judged }.contains("gates: it is calls > 1, but in"))
    expectEqual(
      refusal {
        try Report(merging: [first, shard(2, of: 2), Report.Part(first.report, from: "x")])
      },
      "x, rainy, client: call 0 is also in shard-1.json. Each call of a drill belongs to one shard."
    )
    #expect(refusal { try Report(merging: []) }.contains("no reports to merge"))
  }
}
