internal import WindTunnel

/// The result of a bar over the scenarios of its class.
public struct BarResult: Sendable, Hashable {
  /// The bar that was held.
  public let bar: Bars.Bar
  /// The verdict: failed if one scenario fails, and inconclusive if none could be judged.
  public let verdict: GateResult.Verdict
  /// The worst figure, as a person reads it; `nil` if none was measured.
  public let got: String?
  /// The scenario with the worst figure.
  public let scenario: String
  /// The scenarios that fail.
  public let failed: [String]
  /// The number of scenarios in which it was judged.
  public let held: Int

  /// The name of the figure, as a table has it.
  var figure: String {
    switch bar.gate.metric {
    case .successRate: "success"
    case .averageRetries: "retries"
    case .p95: "P95"
    case .blankScreenRate: "blank screens"
    default: bar.gate.metric.rawValue
    }
  }

  /// The condition without the figure, such as `>= 99.0 %`.
  var condition: String {
    guard case .figure(let value) = bar.gate.bar else { return "" }
    return "\(bar.gate.comparison.rawValue) \(bar.gate.metric.shown(value))"
  }

  /// The verdict with the scenarios that fail.
  var verdictWords: String {
    switch verdict {
    case .failed:
      "FAILED in \(failed.count) of \(held): "
        + failed.prefix(Self.namesMax).joined(separator: ", ")
        + (failed.count > Self.namesMax ? ", …" : "")
    case .met: "met"
    case .inconclusive(let reason), .warning(let reason): "\(verdict.word): \(reason)"
    }
  }

  /// The number of scenarios that a verdict names.
  private static let namesMax = 3

  /// The result as a judgement, whose gate has the class as its prefix.
  var judgement: Judgement {
    let gate = Gate(
      bar.gate.metric,
      of: nil,
      bar.gate.comparison,
      bar.gate.bar,
      in: bar.scenarios.rawValue
    )
    return Judgement(
      scenario: scenario,
      result: GateResult(gate: gate, verdict: verdict, got: got)
    )
  }

  var json: JSON {
    [
      "class": .text(bar.scenarios.rawValue), "gate": .text(bar.gate.description),
      "verdict": .text(verdict.word), "got": .orNull(got), "scenario": .text(scenario),
      "failed": .texts(failed), "scenarios": .number(held), "source": .text(bar.source),
    ]
  }
}

extension Report {
  /// The results of the bars, in the order of the set; empty without bars, and without those of a
  /// class that no scenario of the run is in.
  public var barResults: [BarResult] {
    (bars?.all ?? []).compactMap { bar in
      let flown = scenarios.filter { $0.scenario?.survival?.calls == bar.scenarios }
      return BarResult(bar, flown.compactMap { $0.held(by: bar.gate) })
    }
  }

  /// The results of the bars, and of the scenarios' own on figures that the set has no bar on.
  var barJudgements: [Judgement] { barResults.map(\.judgement) + ownBars }

  private var ownBars: [Judgement] {
    guard let bars else { return [] }
    return scenarios.flatMap { flown -> [Judgement] in
      let calls = flown.scenario?.survival?.calls
      let known = Set(bars.all.filter { $0.scenarios == calls }.map(\.gate.metric))
      let own = (flown.scenario?.bars ?? []).filter { !known.contains($0.metric) }
      return flown.judged(by: own, against: nil).map { Judgement(scenario: flown.name, result: $0) }
    }
  }
}

extension Report.ScenarioResult {
  /// Holds a bar, or the scenario's own on the same figure, against the judged client.
  fileprivate func held(by bar: Gate) -> HeldBar? {
    guard let row = subjects.first else { return nil }
    let own = scenario?.bars.first { $0.metric == bar.metric && $0.endpoint == nil }
    var gate = own ?? bar
    // Of few calls the slowest is the percentile by nearest rank.
    let samples = gate.metric.samples(in: row.metrics)
    if gate.metric == .p95, samples.count < samples.least {
      gate = Gate(.max, of: nil, gate.comparison, gate.bar, in: nil)
    }
    let figure = gate.metric.figure.number(of: row.metrics)
    return HeldBar(scenario: name, gate: gate, result: gate.result(for: row), figure: figure)
  }
}

/// A bar in one scenario.
private struct HeldBar {
  let scenario: String
  let gate: Gate
  let result: GateResult
  let figure: Double?

  /// The rank of the verdict, the worst last.
  var rank: Int {
    switch result.verdict {
    case .inconclusive: 0
    case .met: 1
    case .warning: 2
    case .failed: 3
    }
  }

  /// Returns whether another figure is worse, by the direction of the bar.
  func isBetter(than other: HeldBar) -> Bool {
    guard rank == other.rank, let figure, let worse = other.figure else {
      return rank < other.rank
    }
    let wantsMore = [Gate.Comparison.atLeast, .above].contains(gate.comparison)
    return wantsMore ? figure > worse : figure < worse
  }
}

extension BarResult {
  /// Creates a result of those in the scenarios of a class; `nil` if there are none.
  fileprivate init?(_ bar: Bars.Bar, _ all: [HeldBar]) {
    guard let worst = all.max(by: { $0.isBetter(than: $1) }) else { return nil }
    self.bar = bar
    verdict = worst.result.verdict
    got = worst.figure.map { worst.gate.metric.shown($0) }
    scenario = worst.scenario
    failed = all.filter { $0.result.verdict == .failed }.map(\.scenario)
    held = all.count { !$0.result.verdict.isInconclusive }
  }
}

extension GateMetric {
  /// Returns a figure as a table has it.
  fileprivate func shown(_ figure: Double) -> String {
    switch kind {
    case .share: Figures.percent(figure)
    case .time: Figures.time(.microseconds(Int64(figure)))
    case .ratio: Figures.decimal(figure)
    case .count: "\(JSON.number(figure, places: 0))"
    }
  }
}
