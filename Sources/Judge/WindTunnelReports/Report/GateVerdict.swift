extension Gate {
  /// Judges a client's calls by the gate.
  ///
  /// A gate is inconclusive if its figure was not observed, or if there are too few calls for a
  /// percentile or to prove a bound. It is also inconclusive if it compares with a missing
  /// baseline.
  ///
  /// - Parameters:
  ///   - row: The client that is judged.
  ///   - baseline: The same client in the same scenario of an earlier report.
  /// - Returns: The verdict with its figure.
  public func result(for row: Report.Row, against baseline: Report.Row? = nil) -> GateResult {
    let metrics = metrics(of: row)
    let pair = metric.isOfPair ? baseline.map { comparison(row, $0) } : nil
    let figure = pair.map { metric.figure.number(of: $0) } ?? self.figure(of: row, metrics)
    func result(_ verdict: GateResult.Status) -> GateResult {
      let got = metrics.calls > 0 ? figure.map { words($0, of: row, metrics) } : nil
      return GateResult(gate: self, verdict: verdict, got: got)
    }
    if let reason = gap(in: metrics, of: row, "") { return result(.inconclusive(reason)) }
    if baseline == nil, needsBaseline {
      return result(.inconclusive("there is no baseline to compare it with"))
    }
    if needsBaseline, metric.isOfLatencies, let baseline,
      let reason = row.obstacle(toLatenciesOf: baseline)
    {
      return result(.inconclusive(reason))
    }
    guard let figure else { return result(.inconclusive(unseen(in: row))) }
    let limit: Double
    switch bar {
    case .figure(let bar): limit = bar
    case .baseline(let times):
      guard let baseline else { return result(.failed) }
      let before = self.metrics(of: baseline)
      if let reason = gap(in: before, of: baseline, "in the baseline ") {
        return result(.inconclusive(reason))
      }
      guard let bar = self.figure(of: baseline, before) else {
        return result(.inconclusive("in the baseline \(metric.unseen)"))
      }
      limit = bar * times
    }
    if comparison.holds(figure, against: limit) { return result(.met) }
    let reason = tooFew(metrics) ?? late(metrics, figure, limit) ?? overloaded(row)
    if let reason { return result(.inconclusive(reason)) }
    let isDefault = metrics.screens == .byDefault && metric.isOfScreens
    return result(isDefault ? .warning(Self.defaultScreens) : .failed)
  }

  /// The reason why a gate on screens passes although it is not met.
  private static let defaultScreens =
    "every GET and HEAD counts as a screen by default; --critical names yours"

  /// Returns the figure of a client. Its coverage also depends on the scenario.
  func figure(of row: Report.Row, _ metrics: Metrics) -> Double? {
    metric == .coverage ? coverage(of: row)?.share : metric.figure.number(of: metrics)
  }

  private func words(_ figure: Double, of row: Report.Row, _ metrics: Metrics) -> String {
    let words = metric.words(figure, of: metrics)
    guard metric == .coverage, let coverage = coverage(of: row), !coverage.rows.isEmpty else {
      return words
    }
    return "\(words) (\(coverage.words))"
  }

  private func coverage(of row: Report.Row) -> Coverage? {
    guard let endpoint else { return row.coverage }
    return row.coverage?.of { endpoint.matches(Request(endpoint: $0)) }
  }

  /// Returns the reason why the figure is missing, as a clause. If bodies could not be compared, it
  /// quotes the printed text.
  private func unseen(in row: Report.Row) -> String {
    if metric == .coverage, let coverage = coverage(of: row), coverage.countable.isEmpty {
      return "no call could meet a fault of the scenario"
    }
    if metric.isOfScreens, let call = row.observations.first(where: \.isRead) {
      return "\(metric.unseen); --critical \"\(call.endpoint)\" names one"
    }
    guard metric == .silentTruncations,
      let printed = calls(of: row).lazy.compactMap(\.printed).first
    else { return metric.unseen }
    let other = "the program printed something else, such as \(JSON.text(printed))"
    return "\(metric.unseen): \(printed.isEmpty ? "the program printed nothing" : other)"
  }

  /// Returns the comparison of two rows, for all calls or for the calls of one endpoint.
  private func comparison(_ row: Report.Row, _ baseline: Report.Row) -> BaselineComparison {
    if endpoint == nil, let known = row.comparison { return known }
    return BaselineComparison(
      calls(of: row),
      to: calls(of: baseline),
      seed: 1,
      haveOneClock: !baseline.hasOtherClock
    )
  }

  private func calls(of row: Report.Row) -> [Observation] {
    guard let endpoint else { return row.observations }
    let meant = Set(row.endpoints.map(\.name).filter { endpoint.matches(Request(endpoint: $0)) })
    return row.observations.filter { meant.contains($0.endpoint) }
  }

  /// Returns the figures of the calls to which the gate applies.
  func metrics(of row: Report.Row) -> Metrics {
    endpoint == nil ? row.metrics : Metrics(calls(of: row), screens: row.screens)
  }

  /// Returns the reason why the figure is not meaningful yet, as a clause after the words for a
  /// place; `nil` if it is meaningful.
  private func gap(in metrics: Metrics, of row: Report.Row, _ place: String) -> String? {
    guard metrics.calls > 0 else {
      guard let endpoint, !row.endpoints.isEmpty else { return "\(place)there are no calls" }
      let some = row.endpoints.prefix(5).map(\.name).joined(separator: ", ")
      return "\(place)no call is of \(endpoint); there are \(some)"
        + (row.endpoints.count > 5 ? ", …" : "")
    }
    if metrics.notOnCassette == metrics.calls, metric != .calls {
      return "\(place)every call sent a request that is not on the cassette"
    }
    let samples = metric.samples(in: metrics)
    guard samples.count < samples.least else { return nil }
    return
      "\(place)\(metric.rawValue) needs \(samples.least) \(samples.word) and has \(samples.count)"
  }

  /// Returns the reason why a latency over the bar may be caused by the machine and not by the
  /// client. `nil` unless calls began late by more than a tenth of the bar, and the bar would have
  /// been met without this delay.
  private func late(_ metrics: Metrics, _ figure: Double, _ bar: Double) -> String? {
    guard metric.kind == .time, let delay = metrics.startDelayP99 else { return nil }
    let microseconds = Double(delay.wholeMicroseconds)
    let isDelayed = microseconds > bar / 10
    guard isDelayed, comparison.holds(figure - microseconds, against: bar) else { return nil }
    return "this machine began calls up to \(Figures.time(delay)) late"
  }

  /// Returns the reason why a latency may be caused by the machine and not by the client. Either
  /// more programs were due than the machine can start, so that they wait for each other, or calls
  /// without faults are slow as well. `nil` if neither is the case.
  private func overloaded(_ row: Report.Row) -> String? {
    guard metric.isOfLatencies else { return nil }
    if let starts = row.starts, starts.isBeyond { return starts.reason }
    return row.calm.map { calm in
      "calls without faults took \(Figures.fixed(calm.inMilliseconds / 1000, places: 1)) s: this "
        + "machine is busy, or the client is slow by itself"
    }
  }

  /// Returns the reason why a lower bound may be met with more calls. It could not be met with this
  /// number even if all calls had succeeded, and the calls do not prove that it never can. `nil` if
  /// this is not the case.
  private func tooFew(_ metrics: Metrics) -> String? {
    let judged = metrics.latency.calls
    guard case .figure(let bar) = bar, metric == .successRateLower,
      comparison == .atLeast || comparison == .above,
      let best = Statistics.wilson(judged, of: judged)?.lower,
      !comparison.holds(best, against: bar),
      let rate = metrics.successRate
    else { return nil }
    let failed = judged - Int((rate * Double(judged)).rounded())
    guard let failures = Statistics.wilson(failed, of: judged)?.lower, 1 - failures >= bar
    else { return nil }
    return "\(judged) calls prove at most \(JSON.number(best, places: 3))"
  }
}
