extension Report.Flown {
  /// Everything about one scenario. Its place in the report is found by the page's own links.
  func html(at place: Int) -> String {
    guard let row = subjects.first else { return "" }
    return """
      <section id="s\(place)" class="scenario"><h2>\(name.escapedForHTML) \
      <small>\(stage == .onTheWire ? "on the wire" : "in process")</small></h2>
      <div class="tiles">\(row.tiles)</div>
      <div class="charts">\(row.distribution.svg)\(row.timeline.svg)</div>
      \(comparisonTable(row))\(subjectTable)\(endpointTable(row))\(weatherTable(row))\(backoffTable(row))\
      \(stageTable(row))
      \(row.stories(in: name))
      </section>
      """
  }

  private func comparisonTable(_ row: Report.Row) -> String {
    guard let pair = row.comparison else { return "" }
    let word =
      pair.hasOtherLatencies
      ? "not comparable"
      : pair.isSlower ? "slower" : pair.isFaster ? "faster" : "no difference beyond chance"
    let cells = [
      HTML.Cell("\(pair.pairs)"), HTML.Cell(Figures.percent(pair.successRate.before)),
      HTML.Cell(Figures.percent(pair.successRate.now)), .unwanted(pair.flips?.lost),
      HTML.Cell(Figures.count(pair.flips?.won)), HTML.Cell(Figures.ratio(pair.p95Ratio)),
      HTML.Cell(Figures.ratio(pair.medianRatio)),
      HTML.Cell(word, pair.isSlower ? .bad : pair.isFaster ? .good : .words),
    ]
    let heads = [
      "pairs", "success before", "now", "lost", "won", "P95 ratio", "median ratio", "latency",
    ]
    return "<h3>Against the baseline</h3>" + HTML.table(heads, [cells])
  }

  /// The judged subject beside its yardsticks.
  private var subjectTable: String {
    guard subjects.count > 1 else { return "" }
    let rows = subjects.map { [HTML.Cell($0.name, .words)] + $0.metrics.htmlCells }
    return "<h3>Beside the yardsticks</h3>" + HTML.table(["subject"] + Metrics.htmlHeads, rows)
  }

  private func endpointTable(_ row: Report.Row) -> String {
    let rows = row.endpoints.map { [HTML.Cell($0.name, .words)] + $0.metrics.htmlCells }
    guard !rows.isEmpty else { return "" }
    return "<h3>By endpoint</h3>" + HTML.table(["endpoint"] + Metrics.htmlHeads, rows)
  }

  /// Faults down, ends across.
  private func weatherTable(_ row: Report.Row) -> String {
    let endings = row.metrics.endings
    var (faults, ends): ([String], [String]) = ([], [])
    for one in endings {
      if !faults.contains(one.fault) { faults.append(one.fault) }
      if !ends.contains(one.ending) { ends.append(one.ending) }
    }
    guard !endings.isEmpty else { return "" }
    let fired = row.metrics.faults
    let rows = faults.map { fault -> [HTML.Cell] in
      let count = fired.first { $0.fault == fault }
      return [
        HTML.Cell(fault, .words), HTML.Cell(Figures.count(count?.attempts)),
        HTML.Cell(Figures.count(count?.noticed)),
      ]
        + ends.map { end in
          let calls = endings.first { $0.fault == fault && $0.ending == end }?.calls
          return HTML.Cell(calls.map { "\($0)" } ?? "")
        }
    }
    let planned = (row.plannedFaults ?? []).filter { name in !fired.contains { $0.fault == name } }
    let never =
      planned.isEmpty || row.metrics.amplification == nil
      ? "" : "<p class=\"dim\">Never fired: \(planned.joined(separator: ", ").escapedForHTML).</p>"
    return "<h3>What calls met, and how they ended</h3>"
      + HTML.table(["fault", "fired", "noticed"] + ends, rows) + never
  }

  private func stageTable(_ row: Report.Row) -> String {
    let seen = row.metrics.stages
    guard seen.contains(where: { $0.attempts > 0 }) else { return "" }
    let rows = seen.map { stage in
      [
        HTML.Cell(stage.words, .words), HTML.Cell("\(stage.attempts)"),
        HTML.Cell(Figures.time(stage.p50)), HTML.Cell(Figures.time(stage.p95)),
        HTML.Cell(Figures.time(stage.max)),
      ]
    }
    return "<h3>Where the time of attempts went</h3>"
      + HTML.table(["stage", "seen", "P50", "P95", "max"], rows)
  }

  private func backoffTable(_ row: Report.Row) -> String {
    guard let backoff = row.metrics.backoff, !backoff.isEmpty else { return "" }
    let rows = backoff.map { wait in
      [
        HTML.Cell(
          wait.retry == RetryAfterTally.retriesMax ? "8 and later" : "\(wait.retry)",
          .words
        ),
        HTML.Cell("\(wait.count)"), HTML.Cell(Figures.time(wait.min)),
        HTML.Cell(Figures.time(wait.median)), HTML.Cell(Figures.time(wait.max)),
        HTML.Cell(Figures.decimal(wait.variation)),
      ]
    }
    return "<h3>Waits before retries</h3>"
      + HTML.table(["retry", "seen", "shortest", "median", "longest", "variation"], rows)
  }
}

extension Metrics {
  fileprivate static let htmlHeads = [
    "calls", "success", "first try", "retries", "P50", "P90", "P95", "P99", "max", "blank",
    "duplicates",
  ]

  fileprivate var htmlCells: [HTML.Cell] {
    [
      HTML.Cell("\(calls)"), HTML.Cell(Figures.percent(successRate)),
      HTML.Cell(Figures.percent(firstTrySuccessRate)), HTML.Cell(Figures.decimal(averageRetries)),
      HTML.Cell(Figures.time(p50)), HTML.Cell(Figures.time(p90)), HTML.Cell(Figures.time(p95)),
      HTML.Cell(Figures.time(p99)), HTML.Cell(Figures.time(max)), .unwanted(blankPages),
      .unwanted(duplicates),
    ]
  }
}
