/// A comparison of a client's run in a scenario with its run in an earlier report.
///
/// The same seed gives the same fault plan. Call *n* of one report is therefore paired with call
/// *n* of the other, and the effects of the faults cancel out.
public struct BaselineComparison: Sendable, Hashable {
  /// A ratio of the current value to the previous one, with its 95 % confidence interval.
  public struct Ratio: Sendable, Hashable {
    /// The ratio. For example, 1.2 means a fifth more.
    public var value: Double
    /// The lower bound; `nil` if it requires more calls.
    public var lower: Double?
    /// The upper bound; `nil` if it requires more calls.
    public var upper: Double?
  }

  /// The calls that succeeded in only one of the two reports.
  public struct Flips: Sendable, Hashable {
    /// The number of calls that succeeded before, but do not now.
    public var lost: Int
    /// The number of calls that did not succeed before, but do now.
    public var won: Int
    /// The two-sided p-value of McNemar's exact test (McNemar 1947): the probability of flips at
    /// least as uneven if nothing has changed.
    public var probability: Double
    /// The one-sided p-value of the same test: the probability of at least this number of lost
    /// calls among the flips if nothing has changed. Calls that were won therefore never count
    /// against a client. `nil` if there are more calls than a drill can have.
    public var lossProbability: Double? {
      guard lost <= Self.callsMax, won <= Self.callsMax else { return nil }
      return Statistics.heads(atMost: won, of: lost + won)
    }

    private static let callsMax = 10_000_000
  }

  /// The number of calls that met the same faults in both reports.
  public var pairs: Int
  /// The number of calls in both reports that are not paired.
  public var unpaired: Int
  /// The success rates of all calls, before and now.
  public var successRate: (before: Double?, now: Double?) { (beforeRate, nowRate) }
  /// The ratio of the P95 now to the P95 before, with an interval by a seeded bootstrap. It uses
  /// only pairs if there are any.
  public var p95Ratio: Ratio?
  /// The median of the pairs' ratios, with its interval by order statistics.
  public var medianRatio: Ratio?
  /// The calls that succeeded in only one of the two reports; `nil` if there are no pairs.
  public var flips: Flips?
  /// The two-sided p-value of Wilcoxon's signed-rank test (Wilcoxon 1945): the probability of
  /// latencies at least as far apart if nothing has changed. `nil` if fewer than ten pairs differ.
  public var latencyProbability: Double?
  /// Whether the two reports measure different latencies, so that their ratio is omitted.
  public var hasOtherLatencies = false
  private var beforeRate: Double?
  private var nowRate: Double?

  /// The reason why latencies of two clocks are not comparable, as a clause.
  static let otherClock = "not comparable: one report is in virtual time, the other in real time"

  /// The reason why latencies of programs are not comparable, as a clause.
  static let otherLatencies =
    "not comparable: one report includes program starts in its latencies, the other does not"

  /// Whether the client is slower by more than chance.
  public var isSlower: Bool { isBeyondChance && (medianRatio?.value ?? 1) > 1 }
  /// Whether the client is faster by more than chance.
  public var isFaster: Bool { isBeyondChance && (medianRatio?.value ?? 1) < 1 }

  private var isBeyondChance: Bool { latencyProbability.map { $0 < 0.05 } ?? false }

  /// Compares calls with the calls of a baseline.
  ///
  /// - Parameters:
  ///   - now: The calls that are judged.
  ///   - before: The calls of the baseline.
  ///   - seed: The seed of the bootstrap.
  ///   - haveOneClock: Whether both were measured in virtual time, or both in real time.
  public init(
    _ now: [Observation],
    to before: [Observation],
    seed: UInt64,
    haveOneClock: Bool = true
  ) {
    let pairing = Pairing(now, before)
    (pairs, unpaired, flips) = (pairing.pairs.count, pairing.unpaired, pairing.flips)
    let (nowAll, beforeAll) = (now.filter(\.isJudged), before.filter(\.isJudged))
    nowRate = Self.rate(nowAll)
    beforeRate = Self.rate(beforeAll)
    hasOtherLatencies = !haveOneClock || !now.haveLatencies(like: before)
    if hasOtherLatencies { return }
    func times(_ calls: [Observation]) -> [Int64] { calls.map(\.latency.wholeMicroseconds) }
    let arePaired = pairs > 0
    let nowTimes = times(arePaired ? pairing.pairs.map(\.now) : nowAll)
    let beforeTimes = times(arePaired ? pairing.pairs.map(\.before) : beforeAll)
    let bootstrap = Bootstrap(seed: seed)
    p95Ratio = bootstrap.ratio(0.95, nowTimes, beforeTimes, arePaired: arePaired)
    guard arePaired else { return }
    let ratios = zip(nowTimes, beforeTimes).map { Double($0) / Double(max(1, $1)) }.sorted()
    if let median = Statistics.percentile(0.5, ofSorted: ratios) {
      let ranks = Statistics.rankInterval(0.5, of: ratios.count)
      medianRatio = Ratio(
        value: median,
        lower: ranks?.lower.map { ratios[$0 - 1] },
        upper: ranks?.upper.map { ratios[$0 - 1] }
      )
    }
    latencyProbability = Statistics.wilcoxon(zip(nowTimes, beforeTimes).map { Double($0 - $1) })
  }

  private static func rate(_ calls: [Observation]) -> Double? {
    calls.isEmpty
      ? nil : Double(calls.count { $0.ending == .succeeded }) / Double(calls.count)
  }
}

/// The calls of one report, each with its partner in another report.
private struct Pairing {
  var pairs: [(now: Observation, before: Observation)] = []
  var unpaired = 0

  /// Pairs calls with the same number, the same endpoint and the same decision for their first
  /// attempt. The numbers of calls may therefore differ. With another seed, only calls without
  /// faults are paired.
  init(_ now: [Observation], _ before: [Observation]) {
    var earlier: [Int: Observation] = [:]
    for call in before { earlier[call.call] = call }
    for call in now {
      guard let other = earlier[call.call], other.endpoint == call.endpoint,
        other.attempts.first?.decision == call.attempts.first?.decision,
        call.isJudged, other.isJudged
      else {
        unpaired += 1
        continue
      }
      earlier[call.call] = nil
      pairs.append((call, other))
    }
    unpaired += earlier.count
    // The calls are stored in the order in which they ended.
    pairs.sort { $0.now.call < $1.now.call }
  }

  /// The calls with a different result, or `nil` if there are no pairs.
  var flips: BaselineComparison.Flips? {
    if pairs.isEmpty { return nil }
    let lost = pairs.count { $0.before.ending == .succeeded && $0.now.ending != .succeeded }
    let won = pairs.count { $0.before.ending != .succeeded && $0.now.ending == .succeeded }
    return BaselineComparison.Flips(
      lost: lost,
      won: won,
      probability: Statistics.mcNemar(lost, won)
    )
  }
}

// A comparison in a report's JSON. It was calculated from two files, so a reader does not check it.
extension BaselineComparison: JSONObject {
  package static let blank = Self([], to: [], seed: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = (
      "pairs", "a comparison requires its pairs and unpaired calls"
    )
    try fields.int("pairs", &pairs, in: 0...Int.max, missing)
    try fields.int("unpaired", &unpaired, in: 0...Int.max, missing)
    fields.share("successRateBefore", &beforeRate)
    fields.share("successRate", &nowRate)
    try fields.ratio("p95Ratio", &p95Ratio)
    try fields.ratio("medianRatio", &medianRatio)
    var (lost, won, chance) = (flips?.lost, flips?.won, flips?.probability)
    fields.count("lostCalls", &lost)
    fields.count("wonCalls", &won)
    fields.share("flipProbability", &chance)
    if fields.isReading, let lost, let won, let chance {
      flips = Flips(lost: lost, won: won, probability: chance)
    }
    fields.share("latencyProbability", &latencyProbability)
    let word = JSON.text("not comparable")
    if fields.isReading {
      hasOtherLatencies = fields.object.take("latencies") == word
    } else {
      fields.write("latencies", hasOtherLatencies ? word : JSON?.none)
    }
  }
}

// Figures that are null if they are unknown.
extension JSONFields {
  mutating func share(_ name: String, _ value: inout Double?) {
    guard isReading else { return write(name, .share(value)) }
    value = object.take(name)?.doubleValue
  }

  fileprivate mutating func count(_ name: String, _ value: inout Int?) {
    guard isReading else { return write(name, .orNull(value)) }
    value = object.take(name)?.intValue
  }

  mutating func ratio(
    _ name: String,
    _ ratio: inout BaselineComparison.Ratio?
  ) throws(FormatError) {
    guard isReading else {
      let parts = ratio.map {
        ["value": .share($0.value), "lower": .share($0.lower), "upper": .share($0.upper)] as JSON
      }
      return write(name, parts ?? .null)
    }
    guard let json = object.take(name), json != .null else { return ratio = nil }
    let value = try required(json["value"]?.doubleValue, (name, "a ratio requires its value"))
    ratio = .init(
      value: value,
      lower: json["lower"]?.doubleValue,
      upper: json["upper"]?.doubleValue
    )
  }
}

extension Report {
  /// The name of the fact with the baseline's load, if that was different.
  static let baselineLoad = "baselineLoad"

  /// Compares each client in each scenario with an earlier report, and judges the gates with both.
  ///
  /// - Parameter baseline: The earlier report.
  /// - Returns: This report with the comparisons, and with its gates judged again.
  public func compared(to baseline: Report) -> Report {
    var report = self
    if let load = baseline.fact("load"), load != fact("load") {
      report.setFact(Self.baselineLoad, load)
    }
    let baseline = baseline.asBaseline(of: self)
    for place in scenarios.indices {
      var flown = scenarios[place]
      guard let before = baseline.scenarios.first(where: { $0.name == flown.name }) else {
        continue
      }
      // Known errors of another client do not apply to this one.
      let isSame = before.subjects.first?.name == flown.subjects.first?.name
      flown.brokenBefore = Dictionary(
        (isSame ? before.rules : []).compactMap(\.finding).map { ($0.rule, $0.severity) },
        uniquingKeysWith: max
      )
      for (row, subject) in flown.subjects.enumerated() {
        guard let other = before.subjects.first(where: { $0.name == subject.name }) else {
          continue
        }
        flown.subjects[row].comparison = BaselineComparison(
          subject.observations,
          to: other.observations,
          seed: seed,
          haveOneClock: !other.hasOtherClock
        )
      }
      flown.gates = flown.judged(by: flown.gates.map(\.gate), against: before)
      report.scenarios[place] = flown
    }
    report.gates = results(of: gates.map(\.gate), against: baseline)
    return report
  }

  /// Returns this report as a baseline of another report. Calls of another seed have no partners,
  /// and rows of another clock are marked.
  func asBaseline(of report: Report) -> Report {
    var baseline = self
    for place in scenarios.indices {
      let name = scenarios[place].name
      for row in scenarios[place].subjects.indices {
        var subject = scenarios[place].subjects[row]
        subject.hasOtherClock = isVirtual(in: name) != report.isVirtual(in: name)
        if seed != report.seed {
          for call in subject.observations.indices {
            subject.observations[call].call = -1 - subject.observations[call].call
          }
        }
        baseline.scenarios[place].subjects[row] = subject
      }
    }
    return baseline
  }

  /// The name of the fact with the clock of the run: `virtual`, or no fact for real time.
  package static let clock = "clock"
  /// The name of the fact with the scenarios of a run in virtual time that ran in real time.
  package static let inRealTime = "inRealTime"

  /// Returns whether a scenario ran in virtual time from start to end.
  private func isVirtual(in scenario: String) -> Bool {
    let real = fact(Self.inRealTime)?.split(separator: "; ") ?? []
    return fact(Self.clock) != nil && !real.contains { $0.hasPrefix("\(scenario): ") }
  }
}

extension Report.Row {
  /// Returns the reason why its latencies are not comparable with another row's, as a clause.
  func obstacle(toLatenciesOf other: Report.Row) -> String? {
    if other.hasOtherClock { return BaselineComparison.otherClock }
    let areAlike = observations.haveLatencies(like: other.observations)
    return areAlike ? nil : BaselineComparison.otherLatencies
  }
}

extension [Observation] {
  /// Returns whether both or neither of the reports separate the starts of programs. Calls without
  /// observations do not count.
  fileprivate func haveLatencies(like other: [Observation]) -> Bool {
    func tells(_ calls: [Observation]) -> Bool? {
      if calls.contains(where: { $0.startUp != nil }) { return true }
      return calls.contains { !$0.attempts.isEmpty } ? false : nil
    }
    guard let own = tells(self), let others = tells(other) else { return true }
    return own == others
  }
}

extension Figures {
  /// Returns a ratio with its interval as text: `1.20 (1.15 to 1.26)`.
  static func ratio(_ ratio: BaselineComparison.Ratio?) -> String {
    guard let ratio else { return unseen }
    return "\(decimal(ratio.value)) (\(decimal(ratio.lower)) to \(decimal(ratio.upper)))"
  }
}
