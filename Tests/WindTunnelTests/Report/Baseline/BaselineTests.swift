import Mutations
import TestSupport

@testable import WindTunnelReports

@Suite struct BaselineTests {
  /// The world tier has ten times as many, in which chance has less of a say.
  private static let seeds: Range<UInt64> = 0..<(Tier.includesWorld ? 100 : 10)

  /// Whether at least so great a share of the seeds was counted.
  private static func isMost(_ count: Int, _ share: Double) -> Bool {
    Double(count) >= share * Double(seeds.count)
  }

  /// Calls as the weather makes them – most are quick, some wait for retries – with noise of their
  /// own of a few per cent.
  private func calls(_ count: Int, scenario: UInt64, noise: UInt64, times factor: Double = 1)
    -> [Observation]
  {
    var (sky, own) = (Generator(seed: scenario), Generator(seed: noise))
    return (0..<count).map { number in
      let base =
        Double.random(in: 0..<1, using: &sky) < 0.2
        ? Double.random(in: 800...3000, using: &sky) : Double.random(in: 8...40, using: &sky)
      let strayed = base * factor * Double.random(in: 0.9...1.1, using: &own)
      return Flights.call(number, milliseconds: Int(strayed * 10), [Flights.attempt(call: number)])
    }
  }

  @Test(.bothTiers)
  func `a fifth more is caught in nearly every seed, and no change in nearly none`() {
    var (caught, alarmed, bounded) = (0, 0, 0)
    for seed in Self.seeds {
      let before = calls(200, scenario: seed, noise: seed + 1000)
      func compared(_ factor: Double) -> BaselineComparison {
        let now = calls(200, scenario: seed, noise: seed + 2000, times: factor)
        return BaselineComparison(now, to: before, seed: seed)
      }
      let (same, slower) = (compared(1), compared(1.2))
      if slower.isSlower, (slower.medianRatio?.lower ?? 0) > 1.1 { caught += 1 }
      if same.isSlower { alarmed += 1 }
      let ratio = slower.medianRatio
      if let lower = ratio?.lower, let upper = ratio?.upper, lower <= 1.2, 1.2 <= upper {
        bounded += 1
      }
    }
    #expect(Self.isMost(caught, 0.95))
    #expect(!Self.isMost(alarmed, 0.06))
    #expect(
      Self.isMost(bounded, 0.9),
      "the interval holds the truth as often as it says, or nearly"
    )
  }

  @Test func `the same seed gives the same interval, and it holds its ratio`() throws {
    let (now, before) = (calls(100, scenario: 1, noise: 2), calls(100, scenario: 1, noise: 3))
    let one = BaselineComparison(now, to: before, seed: 9)
    expectEqual(one, BaselineComparison(now.reversed(), to: before, seed: 9))
    let ratio = try #require(one.p95Ratio)
    let (lower, upper) = (try #require(ratio.lower), try #require(ratio.upper))
    #expect(lower <= ratio.value && ratio.value <= upper)
    #expect(lower < upper)
    #expect(one.pairs == 100 && one.unpaired == 0)
  }

  @Test func `flips are counted and tested`() {
    var (now, before) = (calls(50, scenario: 1, noise: 1), calls(50, scenario: 1, noise: 1))
    for place in 0..<9 { now[place].ending = .failed("timedOut") }
    before[20].ending = .crashed
    let pair = BaselineComparison(now, to: before, seed: 1)
    #expect(pair.flips?.lost == 9 && pair.flips?.won == 1)
    #expect(abs((pair.flips?.probability ?? 1) - 0.0215) < 0.0001)
    #expect(pair.successRate.before == 0.98 && pair.successRate.now == 0.82)
    expectNil(pair.latencyProbability, "no call took longer than before")
  }

  /// Calls some of which fail by chance, as those do whose client shares a retry budget, and some by a
  /// fault of the client's.
  private func lossy(_ count: Int, seed: UInt64, lost share: Double = 0) -> [Observation] {
    var own = Generator(seed: seed)
    return (0..<count).map { number in
      let isUnlucky = Double.random(in: 0..<1, using: &own) < 0.05
      let isLost = Double.random(in: 0..<1, using: &own) < share
      let ending: Observation.CallResult = isUnlucky || isLost ? .failed("status 503") : .succeeded
      return Flights.call(number, ending, [Flights.attempt(call: number)])
    }
  }

  @Test(.bothTiers) func `calls lost by chance fail no gate, and calls lost by a change do`() throws
  {
    let gate = try Gate("lossProbability >= 0.05")
    var (alarmed, counted, caught) = (0, 0, 0)
    for seed in Self.seeds {
      let before = Report.Row("client", lossy(200, seed: seed + 1000))
      func verdict(_ gate: Gate, _ share: Double) -> GateResult.Status {
        let now = Report.Row("client", lossy(200, seed: seed + 2000, lost: share))
        return gate.result(for: now, against: before).verdict
      }
      if verdict(gate, 0) != .met { alarmed += 1 }
      if verdict(try Gate("lostCalls == 0"), 0) != .met { counted += 1 }
      if verdict(gate, 0.2) == .failed { caught += 1 }
    }
    #expect(!Self.isMost(alarmed, 0.06))
    #expect(Self.isMost(counted, 0.51), "to count alone is no test where chance loses calls")
    #expect(Self.isMost(caught, 0.95))
  }

  @Test func `calls that were won speak for a client`() {
    func probability(_ lost: Int, _ won: Int) -> Double? {
      BaselineComparison.Flips(lost: lost, won: won, probability: 0).lossProbability
    }
    expectEqual(probability(0, 0), 1)
    // Five heads of five; nine or ten of ten.
    #expect(abs((probability(5, 0) ?? 0) - 1 / 32) < 1e-12)
    #expect(abs((probability(9, 1) ?? 0) - 11 / 1024) < 1e-12)
    #expect((probability(0, 9) ?? 0) > 0.999_999)
    expectNil(probability(.max, 1))
  }

  @Test func `only calls that met the same are pairs`() {
    let now = calls(60, scenario: 1, noise: 1)
    var before = Array(calls(40, scenario: 1, noise: 1))
    before[3].attempts = [Flights.attempt(Flights.reset, call: 3)]
    before[4].endpoint = "GET /other"
    let pair = BaselineComparison(now, to: before, seed: 1)
    #expect(pair.pairs == 38 && pair.unpaired == 24)
    let strangers = Flights.report(now, seed: 1).compared(to: Flights.report(before, seed: 2))
    let other = strangers.scenarios[0].subjects[0].comparison
    #expect(other?.pairs == 0 && other?.medianRatio == nil && other?.flips == nil)
    #expect(other?.p95Ratio != nil, "what needs no pairs is told")
  }

  @Test func `gates are held against the pair, and say where none is`() throws {
    let gates = try gates("medianRatio.lower <= 1.1", "lostCalls == 0", "p95 <= baseline*1.10")
    let before = Flights.report(calls(100, scenario: 1, noise: 1))
    let slow = Flights.report(calls(100, scenario: 1, noise: 2, times: 1.4), gates: gates)
    expectEqual(
      slow.judgements.map(\.result.verdict),
      Array(repeating: .inconclusive("there is no baseline to compare it with"), count: 3)
    )
    let judged = slow.compared(to: before).judgements.map(\.result.verdict)
    expectEqual(judged, [.failed, .met, .failed])
    let same = Flights.report(calls(100, scenario: 1, noise: 2), gates: gates)
    expectEqual(same.compared(to: before).judgements.map(\.result.verdict), [.met, .met, .met])
    let other = Flights.report(calls(100, scenario: 1, noise: 1), seed: 3)
    expectEqual(
      slow.compared(to: other).judgements.first?.result.words,
      "inconclusive, the calls of the two cannot be paired, or there are too few of them"
    )
  }

  @Test func `a report keeps its comparison`() throws {
    let gate = try Gate("p95 <= baseline")
    let report = Flights.report(calls(40, scenario: 1, noise: 2), gates: [gate])
      .compared(to: Flights.report(calls(40, scenario: 1, noise: 1)))
    let again = try Report(data: report.data(), source: "r.json")
    expectEqual(again.data(), report.data())
    expectEqual(again.scenarios[0].subjects[0].comparison?.pairs, 40)
    #expect(report.text().contains("\nagainst the baseline:\n  rainy: P95 × "))
  }
}
