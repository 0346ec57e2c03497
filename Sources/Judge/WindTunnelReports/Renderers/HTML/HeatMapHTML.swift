extension Report {
  /// The map of the judged client's success, with a row for each scenario and a column for each
  /// endpoint.
  var heatMap: String {
    let called = scenarios.flatMap { $0.subjects.first?.endpoints ?? [] }
    let endpoints = called.grouped(by: \.name).map(\.key)
    let shown = Array(endpoints.prefix(HeatCell.endpointsMax))
    let names = ["all"] + shown
    let rows = scenarios.enumerated().map { place, flown -> String in
      let cells = zip(names, flown.heatCells(at: shown)).map { $1.html($0, linkingTo: place) }
      let name = "<a href=\"#s\(place)\">\(flown.name.escapedForHTML)</a>"
      return "<tr><th class=\"words\">\(name)</th>\(cells.joined())</tr>"
    }
    let more = endpoints.count - shown.count
    let rest = more > 0 ? "<p class=\"dim\">Endpoints missing on the map: \(more).</p>" : ""
    return """
      <section id="heat"><h2>Success by scenario and endpoint</h2>
      \(HeatCell.legend)
      \(HTML.grid([""] + names, rows, class: "heat"))\(rest)
      </section>
      """
  }
}

extension Report.ScenarioResult {
  /// Returns the cell of all calls, then a cell for each of these endpoints.
  func heatCells(at names: [String]) -> [HeatCell] {
    let row = subjects.first
    let errors = rules.compactMap(\.finding).filter { $0.severity == .error }
    var cells: [String: HeatCell] = [:]
    for endpoint in row?.endpoints ?? [] {
      var cell = HeatCell(metrics: endpoint.metrics, expected: expectedCalls(of: endpoint.metrics))
      cell.isBroken = errors.contains { $0.endpoint == endpoint.name }
      cells[endpoint.name] = cell
    }
    let measured = cells.values.filter { $0.level != nil }
    let expected = Set(measured.map(\.expected))
    var all = HeatCell(metrics: row?.metrics, expected: expected.first ?? .all)
    all.isBroken = !errors.isEmpty
    if expected.count > 1 { all.parts = measured }
    return [all] + names.map { cells[$0] ?? HeatCell() }
  }

  /// Returns the share of an endpoint's calls that can succeed. It is every call if none met a
  /// fault, and if the scenario's faults do not affect other calls.
  private func expectedCalls(of metrics: Metrics) -> Survival.Calls {
    let faults = scenario?.faultNames ?? subjects.first?.plannedFaults ?? []
    let isLocal = scenario.map { $0.link == nil && !$0.keepsConnections } ?? true
    // A call that sent no request may have failed because of faults that earlier calls met.
    let isSpared = metrics.faults.isEmpty && (metrics.amplification ?? 0) >= 1
    if isLocal, !faults.isEmpty, isSpared { return .all }
    return scenario?.survival?.calls ?? (faults.isEmpty ? Survival.Calls.all : Survival.Calls.some)
  }
}

/// A cell of the map: the success of calls, compared with the share that can succeed.
struct HeatCell {
  /// The maximum number of endpoints on the map. With more than twelve it scrolls on a desktop.
  static let endpointsMax = 40

  /// The figures of the calls; `nil` if there were no calls.
  var metrics: Metrics?
  /// The share of the calls that can succeed.
  var expected = Survival.Calls.all
  /// Whether a call is the example of a finding with severity `error`.
  var isBroken = false
  /// The cells of the endpoints if their expectations differ. The worst of them determines the
  /// level.
  var parts: [HeatCell] = []

  /// The level of success from 0 (wrong) to 4 (as expected); `nil` if no call was measured.
  var level: Int? {
    if isBroken { return 0 }
    guard parts.isEmpty else { return parts.compactMap(\.level).min() }
    guard let rate = metrics?.successRate else { return nil }
    switch expected {
    case .none: return rate == 0 ? 4 : 0
    case .some: return rate > 0 ? 4 : 0
    case .all: return rate >= 1 ? 4 : rate >= 0.95 ? 3 : rate >= 0.8 ? 2 : rate >= 0.5 ? 1 : 0
    }
  }

  /// The figures as a phrase.
  private var title: String {
    let calls = (level == nil ? metrics?.calls : metrics?.latency.calls) ?? 0
    let count = calls.counted("call")
    guard level != nil else { return "Not measured: \(count)" }
    let share = parts.isEmpty ? expected.rawValue : "differs by endpoint"
    return "\(Figures.percent(metrics?.successRate)) succeeded, expected: \(share), \(count), "
      + "P95 \(Figures.time(metrics?.p95))" + (isBroken ? ", a rule is broken here" : "")
  }

  /// Returns the cell of a table, with a link to a scenario.
  func html(_ name: String, linkingTo place: Int) -> String {
    let names = "data-name=\"\(name.escapedForHTML)\" title=\"\(title)\""
    guard let level else { return "<td class=\"hx\" \(names)>\(Figures.unseen)</td>" }
    let rate = metrics?.successRate
    let sign = level == 0 ? "✗ " : rate == 0 ? "✓ " : ""
    return "<td class=\"h\(level)\" \(names)><a href=\"#s\(place)\">\(sign)"
      + "\(Figures.percent(rate)) <small>\(Figures.time(metrics?.p95))</small></a></td>"
  }

  /// The meaning of the colours, in one sentence.
  static let legend = """
    <p class="dim"><span class="key h4">Green</span> is as expected; ✓ 0 % means that no call \
    can succeed. <span class="key h2">Yellow</span> is too few successes, <span class="key h0">red\
    </span> (✗) is wrong, and <span class="key hx">hatched</span> (–) is not measured.</p>
    """
}
