/// A comparison of a subject's flight in a scenario with that of an earlier report.
///
/// The same seed makes the same story, so that call *n* of one is paired with call *n* of the
/// other, and the effects of the weather cancel out.
public struct BaselineComparison: Sendable, Hashable {
  /// A ratio, now to before, with its 95 % confidence interval.
  public struct Ratio: Sendable, Hashable {
    /// The ratio: 1.2 is a fifth more.
    public var value: Double
    /// The lower bound; `nil` where it needs more calls.
    public var lower: Double?
    /// The upper bound; `nil` where it needs more calls.
    public var upper: Double?
  }

  /// The calls that succeeded in only one of the two reports.
  public struct Flips: Sendable, Hashable {
    /// The number of calls that succeeded before and do not now.
    public var lost: Int
    /// The number of calls that did not succeed before and do now.
    public var won: Int
    /// The probability of flips at least as uneven where nothing has changed: McNemar's test in its
    /// exact form (McNemar 1947), two-sided.
    public var probability: Double
    /// The probability of at least so many lost calls among those that flipped where nothing has
    /// changed: the same test, one-sided, so that calls which were won never count against a
    /// client. `nil` of more calls than a drill has.
    public var lossProbability: Double? {
      guard lost <= Self.callsMax, won <= Self.callsMax else { return nil }
      return Statistics.heads(atMost: won, of: lost + won)
    }

    private static let callsMax = 10_000_000
  }

  /// The number of calls that met the same faults in both reports.
  public var pairs: Int
  /// The number of calls of either report that have no partner in the other.
  public var unpaired: Int
  /// The success rates before and now, of all calls.
  public var successRate: (before: Double?, now: Double?) { (beforeRate, nowRate) }
  /// The ratio of the P95 now to that before: of pairs where there are any, by a seeded bootstrap.
  public var p95Ratio: Ratio?
  /// The median of each pair's ratio, with its interval by order statistics.
  public var medianRatio: Ratio?
  /// The calls that succeeded in only one of the two; `nil` without pairs.
  public var flips: Flips?
  /// The probability of latencies at least as far apart where nothing has changed: Wilcoxon's
  /// signed-rank test, two-sided (Wilcoxon 1945); `nil` of fewer than ten pairs that differ.
  public var latencyProbability: Double?
  /// Tells whether the two reports measure different latencies, so that no ratio of them is given.
  public var hasOtherLatencies = false
  private var beforeRate: Double?
  private var nowRate: Double?

  /// The reason why latencies of two clocks do not compare, as half a sentence.
  static let otherClock =
    "not comparable: one of the two ran in virtual time, the other in real time"

  /// The reason why latencies of programs do not compare, as half a sentence.
  static let otherLatencies =
    "not comparable: in the latencies of one of the two reports programs' starts are in, and in those of "
    + "the other they are a stage of their own"

  /// Tells whether the client got slower beyond chance.
  public var isSlower: Bool { isBeyondChance && (medianRatio?.value ?? 1) > 1 }
  /// Tells whether the client got faster beyond chance.
  public var isFaster: Bool { isBeyondChance && (medianRatio?.value ?? 1) < 1 }

  private var isBeyondChance: Bool { latencyProbability.map { $0 < 0.05 } ?? false }

  /// Compares calls with those of a baseline.
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

/// The calls of one report, each with the call of another that it belongs to.
private struct Pairing {
  var pairs: [(now: Observation, before: Observation)] = []
  var unpaired = 0

  /// Two belong together that have one number and one endpoint and met the same on their first
  /// attempt: so it does not matter how many calls there were, and another seed pairs nothing that
  /// the weather touched.
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
    // The order in which calls are told is the clock's.
    pairs.sort { $0.now.call < $1.now.call }
  }

  /// The calls that ended otherwise; `nil` without pairs.
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

// A comparison in a report's text. It is of two files, so a reader takes it as it stands.
extension BaselineComparison: JSONObject {
  package static let blank = Self([], to: [], seed: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let missing: JSONFields.Missing = ("pairs", "a comparison needs its pairs and unpaired calls")
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
    let value = try required(json["value"]?.doubleValue, (name, "a ratio needs its value"))
    ratio = .init(
      value: value,
      lower: json["lower"]?.doubleValue,
      upper: json["upper"]?.doubleValue
    )
  }
}

extension Report {
  /// The fact that says which load the baseline flew, where that was another.
  static let baselineLoad = "baselineLoad"

  /// Compares each subject in each scenario with an earlier report, and judges the gates by both.
  ///
  /// - Parameter baseline: The earlier report.
  /// - Returns: This report with the comparisons in it, and its gates judged again.
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
      // Another client's bugs are not known of this one.
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

  /// Returns this report as a baseline of another: the calls of another seed have no partners, and
  /// rows of another clock are marked.
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
  /// Returns the reason why its latencies do not compare with another's, as half a sentence.
  func obstacle(toLatenciesOf other: Report.Row) -> String? {
    if other.hasOtherClock { return BaselineComparison.otherClock }
    let areAlike = observations.haveLatencies(like: other.observations)
    return areAlike ? nil : BaselineComparison.otherLatencies
  }
}

extension [Observation] {
  /// Tells whether starts of programs are told apart in both or in neither. Calls of which nothing
  /// was seen say nothing about that.
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
  /// Writes a ratio with its interval: `1.20 (1.15 to 1.26)`.
  static func ratio(_ ratio: BaselineComparison.Ratio?) -> String {
    guard let ratio else { return unseen }
    return "\(decimal(ratio.value)) (\(decimal(ratio.lower)) to \(decimal(ratio.upper)))"
  }
}
