extension Report.ScenarioResult {
  /// Returns everything about one scenario. The page's own links use its index in the report.
  func html(at place: Int) -> String {
    guard let row = subjects.first else { return "" }
    let judged = row.observations.filter(\.isJudged)
    let latencies = DistributionChart(calls: judged, p50: row.metrics.p50, p95: row.metrics.p95)
    return """
      <section id="s\(place)" class="scenario"><h2>\(name.escapedForHTML) \
      <small>\(stage == .onTheWire ? "on the wire" : "in process")</small></h2>
      <div class="tiles">\(row.tiles)</div>
      <div class="charts">\(latencies.svg)\(TimelineChart(calls: judged).svg)</div>
      \(comparisonTable(row))\(subjectTable)\(subjectComparisonTable)\(endpointTable(row))\(weatherTable(row))\(backoffTable(row))\
      \(stageTable(row))
      \(row.stories(in: name))
      </section>
      """
  }

  private func comparisonTable(_ row: Report.Row) -> String {
    guard let pair = row.comparison else { return "" }
    let columns = [.pairs] + PairColumn.ofBaseline
    let latency = pair.latencyCell
    let last = pair.hasOtherLatencies ? HTML.Cell("not comparable", latency.kind) : latency
    let heads = columns.map(\.rawValue) + ["latency"]
    return HTML.table("Against the baseline", heads, [pair.cells(columns) + [last]])
  }

  /// The figures of the judged client and of the other clients.
  private var subjectTable: String {
    guard subjects.count > 1 else { return "" }
    let rows = subjects.map { [HTML.Cell.words($0.name)] + $0.metrics.htmlCells }
    return HTML.table("Compared with other clients", ["client"] + Metrics.htmlHeads, rows)
  }

  /// The comparisons of the judged client with the others, call by call.
  private var subjectComparisonTable: String {
    let rows = subjects.compactMap { row in
      row.against.map { against in
        let pair = against.comparison
        return [HTML.Cell.words(row.name)] + pair.cells(PairColumn.ofSubjects)
          + [pair.latencyCell]
      }
    }
    let heads = ["client"] + PairColumn.ofSubjects.map(\.rawValue) + ["latency"]
    return HTML.table("Against \(subjects.first?.name ?? ""), call by call", heads, rows)
  }

  private func endpointTable(_ row: Report.Row) -> String {
    let rows = row.endpoints.map { [HTML.Cell.words($0.name)] + $0.metrics.htmlCells }
    return HTML.table("By endpoint", ["endpoint"] + Metrics.htmlHeads, rows)
  }

  /// Returns a table with a row for each fault and a column for each ending.
  private func weatherTable(_ row: Report.Row) -> String {
    let endings = row.metrics.endings
    let faults = endings.grouped(by: \.fault).map(\.key)
    let ends = endings.grouped(by: \.ending).map(\.key)
    let fired = row.metrics.faults
    let rows = faults.map { fault -> [HTML.Cell] in
      let count = fired.first { $0.fault == fault }
      return [.words(fault), .count(count?.attempts), .count(count?.noticed)]
        + ends.map { end in
          let calls = endings.first { $0.fault == fault && $0.ending == end }?.calls
          return HTML.Cell(calls.map { "\($0)" } ?? "")
        }
    }
    let planned = (row.plannedFaults ?? []).filter { name in !fired.contains { $0.fault == name } }
    let never =
      planned.isEmpty || row.metrics.amplification == nil
      ? "" : "<p class=\"dim\">Never fired: \(planned.joined(separator: ", ").escapedForHTML).</p>"
    let heads = ["fault", "fired", "noticed"] + ends
    return HTML.table("Faults and the results of their calls", heads, rows) + never
  }

  private func stageTable(_ row: Report.Row) -> String {
    let seen = row.metrics.stages
    guard seen.contains(where: { $0.attempts > 0 }) else { return "" }
    let rows = seen.map { stage -> [HTML.Cell] in
      let times = [stage.p50, stage.p95, stage.max].map { HTML.Cell.time($0) }
      return [.words(stage.words), .count(stage.attempts)] + times
    }
    let heads = ["stage", "seen", "P50", "P95", "max"]
    return HTML.table("Time of attempts by stage", heads, rows)
  }

  private func backoffTable(_ row: Report.Row) -> String {
    let rows = (row.metrics.backoff ?? []).map { wait -> [HTML.Cell] in
      let isLast = wait.retry == RetryAfterTally.retriesMax
      let times = [wait.min, wait.median, wait.max].map { HTML.Cell.time($0) }
      return [.words(isLast ? "8 and later" : "\(wait.retry)"), .count(wait.count)] + times
        + [HTML.Cell(Figures.decimal(wait.variation))]
    }
    let heads = ["retry", "seen", "shortest", "median", "longest", "variation"]
    return HTML.table("Waits before retries", heads, rows)
  }
}

extension BaselineComparison {
  fileprivate func cells(_ columns: [PairColumn]) -> [HTML.Cell] {
    columns.map { $0 == .lost ? .unwanted(flips?.lost) : HTML.Cell($0.text(self)) }
  }

  /// Whether the client got slower or faster.
  fileprivate var latencyCell: HTML.Cell {
    isSlower
      ? HTML.Cell("slower", .bad)
      : isFaster ? HTML.Cell("faster", .good) : HTML.Cell("no significant difference", .words)
  }
}

extension Metrics {
  fileprivate static let htmlHeads = [
    "calls", "success", "first try", "retries", "P50", "P90", "P95", "P99", "max",
    "blank screens", "failed actions", "duplicates",
  ]

  fileprivate var htmlCells: [HTML.Cell] {
    [
      .count(calls), HTML.Cell(Figures.percent(successRate)),
      HTML.Cell(Figures.percent(firstTrySuccessRate)), HTML.Cell(retryWords), .time(p50),
      .time(p90), .time(p95), .time(p99), .time(max), .unwanted(blankScreens),
      .unwanted(failedActions), .unwanted(duplicates),
    ]
  }
}

extension Report.Row {
  /// The meaning of wrong bodies, or the reason why bodies were not compared.
  private var wrongBodiesNote: String {
    guard metrics.silentTruncations == nil,
      let printed = observations.lazy.compactMap(\.printed).first
    else { return "counted as successes" }
    return printed.isEmpty ? "nothing was printed" : "not compared: \(printed) was printed"
  }

  /// The figures of the client, each in a box.
  fileprivate var tiles: String {
    let p95 = metrics.latency.p95
    let (lower, upper) = (metrics.successRateLower, metrics.successRateUpper)
    let retries =
      metrics.retriesMax.map { "at most \($0)" }
      ?? (metrics.hasOwnWord ? "reported by the client" : "")
    let worst = metrics.worstSecondAmplification.map {
      "\(Figures.decimal($0)) in the worst second"
    }
    let tiles = [
      HTML.tile(
        "success",
        Figures.percent(metrics.successRate),
        "\(Figures.percent(lower)) to \(Figures.percent(upper))"
      ),
      HTML.tile("on first try", Figures.percent(metrics.firstTrySuccessRate)),
      HTML.tile("recovered", Figures.percent(metrics.recoveredRate), "of calls that met a fault"),
      HTML.tile("retries per call", metrics.retryWords, retries),
      HTML.tile(
        "P95",
        Figures.time(metrics.p95),
        "\(Figures.time(p95?.lower)) to \(Figures.time(p95?.upper))"
      ),
      HTML.tile("gives up within", Figures.time(metrics.failed.p95?.value), "P95 of failed calls"),
      unwanted("blank screens", metrics.blankScreens, Figures.percent(metrics.blankScreenRate)),
      unwanted("failed actions", metrics.failedActions, Figures.percent(metrics.failedActionRate)),
      HTML.tile("amplification", Figures.decimal(metrics.amplification), worst ?? ""),
      unwanted("duplicates", metrics.duplicates, "of POST and PATCH"),
      HTML.tile(
        "Retry-After",
        Figures.percent(metrics.retryAfterCompliance),
        metrics.earlyRetries.map { "\($0) too early" } ?? "not received",
        isBad: (metrics.earlyRetries ?? 0) > 0
      ),
      HTML.tile("herd index", Figures.decimal(metrics.thunderingHerdIndex), "1: evenly spread"),
      HTML.tile("silent retries", Figures.count(metrics.silentRetries), "by the transport"),
      unwanted("wrong bodies", metrics.silentTruncations, wrongBodiesNote),
      HTML.tile("stale served", Figures.count(metrics.staleServed)),
      HTML.tile("recovery", Figures.time(metrics.recoveryP95), "P95 from the last fault"),
      HTML.tile(
        "crashes, hangs",
        "\(metrics.crashes), \(metrics.hangs)",
        isBad: metrics.crashes + metrics.hangs > 0
      ),
    ]
    return (tiles + seldomTiles).joined(separator: "\n")
  }

  private func unwanted(_ name: String, _ number: Int?, _ note: String) -> String {
    HTML.tile(name, Figures.count(number), note, isBad: (number ?? 0) > 0)
  }

  /// The boxes of figures that few drills have.
  private var seldomTiles: [String] {
    var tiles: [String] = []
    if metrics.notOnCassette > 0 {
      let note = "calls not counted in any rate"
      tiles.append(unwanted("not on the cassette", metrics.notOnCassette, note))
    }
    if metrics.cancelledCalls > 0 {
      let note =
        "\(Figures.count(metrics.attemptsAfterCancel)) attempts after, "
        + "back in \(Figures.time(metrics.cancelReturnP95))"
      tiles.append(HTML.tile("cancelled", Figures.count(metrics.cancelledCalls), note))
    }
    if observations.contains(where: { $0.afterWindow != nil }) {
      let note = "\(Figures.time(metrics.steadyRecovery)) until five successes in a row"
      tiles.append(HTML.tile("after the faults", Figures.time(metrics.firstRecovery), note))
    }
    return tiles
  }

  /// The maximum number of failing calls whose attempts are shown.
  private static let storiesMax = 100

  /// Returns each failing call, attempt by attempt.
  fileprivate func stories(in scenario: String) -> String {
    let fallen = fallenCalls
    guard !fallen.isEmpty else { return "" }
    let told = fallen.prefix(Self.storiesMax).map { $0.story(in: scenario) }
    let rest = fallen.count - told.count
    return "<h3>\(fallen.count.counted("failing call"))</h3>"
      + told.joined(separator: "\n")
      + (rest > 0 ? "<p class=\"dim\">The JSON report has \(rest) more.</p>" : "")
  }
}

extension Observation {
  fileprivate func story(in scenario: String) -> String {
    let head = "\(scenario)/\(call) \(endpoint): \(endingWords), \(Figures.time(latency))"
    return
      "<details class=\"story\"><summary>\(head.escapedForHTML)</summary>\(attemptTable)</details>"
  }

  private var attemptTable: String {
    guard !attempts.isEmpty else {
      return attemptCount == nil
        ? "<p class=\"dim\">Its attempts could not be observed.</p>"
        : "<p class=\"dim\">The server received no request.</p>"
    }
    let begin = intendedStart ?? start
    var last: Duration?
    let rows = attempts.enumerated().map { place, attempt -> [HTML.Cell] in
      let wait = attempt.start.flatMap { start in last.map { max(.zero, start - $0) } }
      last = attempt.end ?? attempt.start
      let offset = attempt.start.flatMap { start in begin.map { max(.zero, start - $0) } }
      let took = attempt.end.flatMap { end in attempt.start.map { end - $0 } }
      return [
        .count(place + 1), .time(offset), .time(wait), .words(attempt.scenario),
        .words(attempt.source.words), .count(attempt.status),
        HTML.Cell(Figures.bytes(attempt.bytes)), .time(took), .words(attempt.error ?? ""),
      ]
    }
    let heads = [
      "attempt", "at", "waited", "faults", "response", "status", "bytes", "took", "error",
    ]
    return HTML.table(heads, rows) + ConversationLanes(of: attempts, since: begin).svg
  }
}

extension Observation.Attempt {
  /// The faults of the attempt with all drawn values: `status 503, retryAfterSeconds 1`.
  fileprivate var scenario: String {
    // A decision that cannot be parsed is shown unchanged.
    guard let faults = decision.faultObjects else { return decision.line }
    if faults.isEmpty { return "nothing" }
    return faults.map { fault in
      guard case .object(let members) = fault else { return "\(fault)" }
      return members.map { "\($0.name.value) \($0.value.stringValue ?? "\($0.value)")" }
        .joined(separator: ", ")
    }.joined(separator: " → ")
  }
}
