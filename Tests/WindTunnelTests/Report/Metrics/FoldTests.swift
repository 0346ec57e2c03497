import Mutations
import TestSupport

@testable import WindTunnelReports

@Suite struct FoldTests {
  private func members(_ fold: MetricsAccumulator) -> [JSON] {
    [.object(fold.metrics.members)]
      + fold.endpoints.map {
        .object([JSON.Member("endpoint", .text($0.name))] + $0.metrics.members)
      }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a run cut in eight and merged in any order equals it in every figure`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let calls = Flights.drawn(400, seed: seed)
    let whole = members(MetricsAccumulator(calls))
    for _ in 0..<5 {
      var shards = (0..<8).map { shard in MetricsAccumulator(calls.filter { $0.call % 8 == shard })
      }
      shards.shuffle(using: &generator)
      // Not one after the other, but as a tree: merging is associative.
      while shards.count > 1 {
        var one = shards.removeFirst()
        one.merge(shards.removeFirst())
        shards.append(one)
      }
      expectEqual(members(shards[0]), whole)
    }
    expectEqual(members(MetricsAccumulator(calls.shuffled(using: &generator))), whole)
  }

  @Test func `names beyond a bound are counted alike in any order`() {
    var generator = Generator(seed: 5)
    let names = (0..<900).map { _ in "n\(Int.random(in: 0..<400, using: &generator))" }
    func counts(_ names: some Sequence<String>) -> BoundedCounts<String> {
      names.reduce(into: BoundedCounts<String>()) { $0.add($1) }
    }
    let whole = counts(names)
    expectEqual(whole.named.count, BoundedCounts<String>.namesMax)
    #expect(whole.total == 900 && whole.others == 900 - whole.named.values.reduce(0, +))
    #expect(whole.others > 0)
    for name in whole.named.keys.prefix(20) {
      expectEqual(whole.named[name], names.count { $0 == name }, "what is kept is counted whole")
    }
    for _ in 0..<5 {
      let mixed = names.shuffled(using: &generator)
      var (one, other) = (counts(mixed[..<300]), counts(mixed[300...]))
      expectEqual(counts(mixed), whole)
      one.merge(other)
      expectEqual(one, whole)
      other.merge(counts(mixed[..<300]))
      expectEqual(other, whole)
    }
  }

  @Test func `what a scenario has and never fired is missing in its coverage`() {
    let calls = [
      Flights.call(0, .succeeded, [Flights.attempt(Flights.reset, 0), Flights.attempt("", 9)])
    ]
    func coverage(_ planned: [String]?) -> Double? {
      Report.Row("c", calls, plannedFaults: planned).metrics.faultCoverage
    }
    expectEqual(coverage(["reset", "status 503"]), 0.5)
    expectEqual(coverage(["reset"]), 1)
    #expect(coverage([]) == nil && coverage(nil) == nil)
    var unseen = calls
    unseen[0].attemptCount = nil
    expectNil(Report.Row("c", unseen, plannedFaults: ["reset"]).metrics.faultCoverage)
  }

  @Test(arguments: [
    (#"[{"status":503,"retryAfterSeconds":1}]"#, ["status 503"]),
    (#"[{"delayMilliseconds":3},{"resetAfterBodyBytes":10}]"#, ["delay", "reset"]),
    (#"[{"reset":"afterRequest"},{"stall":"afterRequest"}]"#, ["reset", "stall"]),
    (#"[{"connect":"refused"}]"#, ["refused"]), (#"[{"dns":"hostNotFound"}]"#, ["hostNotFound"]),
    (#"[{"mutate":"truncate","draw":0.5}]"#, ["mutate truncate"]), ("[]", []), ("[", []), ("", []),
  ]) func `faults are told by name`(faults: String, names: [String]) {
    let attempt = Observation.Attempt(
      decision: .init(line: "s/1\tGET /\t1\t\(faults)"),
      source: .init(words: "withheld 1")
    )
    expectEqual(attempt.faults, names)
    expectEqual(attempt.faults, names, "from memory, too")
  }
}
