/// The result of a bar over the scenarios of its class, or of a scenario's own bar.
public struct BarResult: Sendable, Hashable {
  /// The class of the scenarios; `nil` for the own bar of a scenario without a class.
  public let scenarios: Survival.Calls?
  /// The bar of the set, or a scenario's own bar on a figure for which the set has none.
  public let bar: Gate
  /// The condition that was judged in ``scenario``. It is the bar, the scenario's own bar, or a bar
  /// on the slowest call if there are too few calls for a P95.
  public let gate: Gate
  /// Whether the condition is the scenario's own.
  public let isOwn: Bool
  /// The reason for the condition.
  public let source: String
  /// The worst verdict of the scenarios. A bar that could not be judged is worse than one that is
  /// met, unless the scenario does not measure the figure at all.
  public let verdict: GateResult.Status
  /// The figure with the worst distance from its limit, formatted for readers; `nil` if none was
  /// measured.
  public let got: String?
  /// The scenario with the worst figure.
  public let scenario: String
  /// The scenarios that fail.
  public let failed: [String]
  /// The scenarios in which it could not be judged.
  public let unjudged: [String]
  /// The number of scenarios in which it was judged.
  public let held: Int

  /// The name of the figure in a table.
  var figure: String {
    let name =
      switch bar.metric {
      case .successRate: "success"
      case .averageRetries: "retries"
      case .p95: "P95"
      case .blankScreenRate: "blank screens"
      default: bar.metric.rawValue
      }
    return bar.endpoint.map { "\(name)(\($0))" } ?? name
  }

  /// The condition without the figure, such as `>= 99.0 %`.
  var condition: String {
    guard case .figure(let value) = gate.bar else { return "" }
    return "\(gate.comparison.rawValue) \(gate.metric.shown(value))\(isOwn ? " (its own)" : "")"
  }

  /// The verdict with the scenarios that fail, and with the scenarios that could not be judged.
  var verdictWords: String {
    let words =
      switch verdict {
      case .failed: "FAILED in \(failed.count) of \(held): \(Self.list(failed))"
      case .met: unjudged.isEmpty ? "met" : "met in \(held) of \(held + unjudged.count)"
      case .inconclusive(let reason), .warning(let reason): "\(verdict.word): \(reason)"
      }
    return held == 0 || unjudged.isEmpty ? words : "\(words); not judged: \(Self.list(unjudged))"
  }

  /// The maximum number of scenarios that a verdict names.
  private static let namesMax = 3

  private static func list(_ names: [String]) -> String {
    names.prefix(namesMax).joined(separator: ", ") + (names.count > namesMax ? ", …" : "")
  }

  /// The result as a judgement. The prefix of its gate is the class, unless the gate is the
  /// scenario's own.
  var judgement: Judgement {
    let ofClass = Gate(gate.metric, of: nil, gate.comparison, gate.bar, in: scenarios?.rawValue)
    return Judgement(
      scenario: scenario,
      result: GateResult(gate: isOwn ? gate : ofClass, verdict: verdict, got: got)
    )
  }

  var json: JSON {
    [
      "class": .orNull(scenarios?.rawValue), "gate": .text(bar.description),
      "held": .text(gate.description), "verdict": .text(verdict.word), "got": .orNull(got),
      "scenario": .text(scenario), "failed": .texts(failed), "unjudged": .texts(unjudged),
      "scenarios": .number(held), "source": .text(source),
    ]
  }
}

extension Report {
  /// The results of the bars, in the order of the set, then of the scenarios' own bars on other
  /// figures. Empty if there are no bars. Bars of a class without a scenario in the run are
  /// omitted.
  public var barResults: [BarResult] {
    guard let bars else { return [] }
    let ofSet = bars.all.compactMap { bar in
      let flown = scenarios.filter { $0.calls == bar.scenarios }
      return BarResult(
        bar.gate,
        source: bar.source,
        of: bar.scenarios,
        flown.flatMap { $0.held(by: bar.gate) }
      )
    }
    let own = scenarios.flatMap { flown in
      let known = Set(bars.all.filter { $0.scenarios == flown.calls }.map(\.gate.metric))
      return (flown.scenario?.bars ?? []).compactMap { gate -> BarResult? in
        if gate.endpoint == nil, known.contains(gate.metric) { return nil }
        return BarResult(gate, of: flown.calls, flown.held([gate], isOwn: true))
      }
    }
    return ofSet + own
  }

  /// The results of the bars as judgements.
  var barJudgements: [Judgement] { barResults.map(\.judgement) }

  /// The sentence about scenarios without a class, to which no bar applies. `nil` if there are
  /// none, or if there are no bars.
  var withoutBars: String? {
    let names = scenarios.filter { $0.calls == nil && $0.scenario?.bars.isEmpty != false }
    guard bars != nil, !names.isEmpty else { return nil }
    return "no bar is held in \(names.map(\.name).joined(separator: ", ")): add \"survival\" to "
      + (names.count == 1 ? "it" : "them")
  }

  /// The reason why no bar of a run could be judged; `nil` if one was.
  var noBarHeld: String? {
    guard let bars, barResults.isEmpty else { return nil }
    return withoutBars ?? "no bar of \(bars.name) is for the class of a scenario here"
  }
}

extension Report.ScenarioResult {
  fileprivate var calls: Survival.Calls? { scenario?.survival?.calls }

  /// Judges the client by a bar, or by the scenario's own bar on the same figure.
  fileprivate func held(by bar: Gate) -> [HeldBar] {
    let own = scenario?.bars.filter { $0.metric == bar.metric && $0.endpoint == nil } ?? []
    return own.isEmpty ? held([bar], isOwn: false) : held(own, isOwn: true)
  }

  fileprivate func held(_ bars: [Gate], isOwn: Bool) -> [HeldBar] {
    guard let all = subjects.first else { return [] }
    let note = scenario?.notes.first { $0.name == "_bars" }?.value.stringValue
    return bars.map { bar in
      // A call whose fault was not applied may succeed in a scenario of this class.
      let isOfFaults = bar.metric == .successRate && calls == Survival.Calls.none
      let row = isOfFaults ? all.withoutUndone : all
      var gate = bar
      let metrics = bar.metrics(of: row)
      // With few calls, the slowest is the percentile by nearest rank.
      let samples = bar.metric.samples(in: metrics)
      if bar.metric == .p95, samples.count < samples.least {
        gate = Gate(.max, of: bar.endpoint, bar.comparison, bar.bar, in: nil)
        gate.location = bar.location
      }
      let result = gate.result(for: row)
      let excuse =
        row.observations.isEmpty
        ? all.metrics.unappliedFaultsText
        : result.verdict == .failed ? excuse(for: gate.metric, row) : nil
      return HeldBar(
        scenario: name,
        gate: gate,
        source: isOwn ? note ?? "the scenario's own" : nil,
        verdict: excuse.map { .warning($0) } ?? result.verdict,
        figure: gate.figure(of: row, metrics)
      )
    }
  }

  /// Returns the reason why a failed bar is only a warning; `nil` if it fails.
  private func excuse(for metric: GateMetric, _ row: Report.Row) -> String? {
    guard metric.isOfScreens || metric == .successRate else { return nil }
    return unrenewable(row) ?? (metric.isOfScreens ? unloaded(row) : nil)
  }

  /// Returns the reason why no client can renew its credential: neither the cassette's calls nor
  /// their attempts include a request to the issuer. `nil` if there is such a request, or no
  /// credential.
  private func unrenewable(_ row: Report.Row) -> String? {
    guard let issuer = scenario?.credential?.issuer else { return nil }
    let isRenewable = row.observations.contains { call in
      ([call.endpoint] + call.attempts.map(\.decision.key)).contains {
        issuer.matches(Request(endpoint: String($0.prefix { $0 != "?" })))
      }
    }
    guard !isRenewable else { return nil }
    return "no request was \(issuer), which renews the credential: set \"credential\""
  }

  /// Returns the reason why a client could not show a copy instead of its blank screens; `nil` if
  /// it could, or if every call can succeed.
  private func unloaded(_ row: Report.Row) -> String? {
    guard let calls, calls != .all else { return nil }
    if row.client == .program {
      return "a program that starts for each call cannot show a copy; omit {url}"
    }
    let loaded = Dictionary(
      row.observations.filter { $0.ending == .succeeded }.map { ($0.endpoint, $0.call) },
      uniquingKeysWith: min
    )
    let hadCopy = row.observations.contains { call in
      call.isRead && !call.showed && (call.isCritical || row.screens == .byDefault)
        && (loaded[call.endpoint] ?? .max) < call.call
    }
    return hadCopy ? nil : "this screen was never loaded earlier in this scenario"
  }
}

extension Report.Row {
  /// The row without the calls whose faults were not applied.
  fileprivate var withoutUndone: Self {
    guard !metrics.unappliedFaults.isEmpty else { return self }
    return Self(name, observations.filter { !$0.wasSpared }, of: client, screens: screens)
  }
}

extension Observation {
  /// Whether the last attempt of each request met no fault because one was not applied.
  fileprivate var wasSpared: Bool {
    let last = Dictionary(attempts.map { ($0.decision.key, $0) }, uniquingKeysWith: { $1 }).values
    return last.allSatisfy(\.faults.isEmpty) && last.contains { !$0.unappliedFaults.isEmpty }
  }
}

/// A bar in one scenario.
private struct HeldBar {
  let scenario: String
  let gate: Gate
  /// The reason for the scenario's own bar; `nil` for a bar of the set.
  let source: String?
  let verdict: GateResult.Status
  let figure: Double?

  /// The rank of the verdict, the worst last.
  private var rank: Int {
    switch verdict {
    case .inconclusive: figure == nil ? 0 : 2
    case .met: 1
    case .warning: 3
    case .failed: 4
    }
  }

  /// The distance of the figure from its limit, in the direction of the bar.
  private var margin: Double? {
    guard let figure, case .figure(let limit) = gate.bar else { return nil }
    let wantsMore = [Gate.Comparison.atLeast, .above].contains(gate.comparison)
    return wantsMore ? figure - limit : limit - figure
  }

  /// Returns whether another bar is worse, by its verdict and by the distance from its own limit.
  func isBetter(than other: HeldBar) -> Bool {
    guard rank == other.rank, let margin, let worse = other.margin else {
      return rank < other.rank
    }
    return margin > worse
  }
}

extension BarResult {
  /// Creates the result of the bars in the scenarios of a class; `nil` if there are none.
  fileprivate init?(
    _ bar: Gate,
    source: String = "",
    of scenarios: Survival.Calls?,
    _ all: [HeldBar]
  ) {
    guard let worst = all.max(by: { $0.isBetter(than: $1) }) else { return nil }
    func names(_ isMeant: (GateResult.Status) -> Bool) -> [String] {
      all.filter { isMeant($0.verdict) }.grouped(by: \.scenario).map(\.0)
    }
    (self.scenarios, self.bar, gate) = (scenarios, bar, worst.gate)
    (isOwn, self.source) = (worst.source != nil, worst.source ?? source)
    (verdict, scenario) = (worst.verdict, worst.scenario)
    got = worst.figure.map { worst.gate.metric.shown($0) }
    failed = names { $0 == .failed }
    unjudged = names(\.isInconclusive)
    held = names { !$0.isInconclusive }.count
  }
}

extension GateMetric {
  /// Returns a figure formatted for a table.
  fileprivate func shown(_ figure: Double) -> String {
    switch kind {
    case .share: Figures.percent(figure)
    case .time: Figures.time(.microseconds(Int64(figure)))
    case .ratio: Figures.decimal(figure)
    case .count: "\(JSON.number(figure, places: 0))"
    }
  }
}
