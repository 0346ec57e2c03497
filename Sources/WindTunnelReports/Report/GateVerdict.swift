extension Gate {
  /// Holds the gate against a subject's calls.
  ///
  /// Inconclusive is what was not seen, a percentile of too few calls, a bound that so few calls
  /// cannot prove, and a bar at a baseline that is not there.
  ///
  /// - Parameters:
  ///   - row: The subject that is judged.
  ///   - baseline: The same subject in the same scenario at another time.
  /// - Returns: The verdict with the figure that led to it.
  public func result(for row: Report.Row, against baseline: Report.Row? = nil) -> GateResult {
    let metrics = metrics(of: row)
    let pair = metric.isOfPair ? baseline.map { comparison(row, $0) } : nil
    let figure = pair.map { metric.figure(of: $0) } ?? metric.figure(of: metrics)
    func result(_ verdict: GateResult.Verdict) -> GateResult {
      let got = metrics.calls > 0 ? figure.map { metric.words($0, of: metrics) } : nil
      return GateResult(gate: self, verdict: verdict, got: got)
    }
    if let reason = gap(in: metrics, of: row, "") { return result(.inconclusive(reason)) }
    if baseline == nil, needsBaseline {
      return result(.inconclusive("there is no baseline to hold it against"))
    }
    if needsBaseline, metric.isOfLatencies, let baseline, !row.hasLatencies(like: baseline) {
      return result(.inconclusive(BaselineComparison.otherLatencies))
    }
    guard let figure else { return result(.inconclusive(unseen(in: row))) }
    switch bar {
    case .figure(let bar):
      if holds(figure, against: bar) { return result(.met) }
      if let reason = tooFew(metrics, toProve: bar) ?? late(metrics, figure, bar)
        ?? overloaded(row)
      {
        return result(.inconclusive(reason))
      }
      return result(.failed)
    case .baseline(let times):
      guard let baseline else { return result(.failed) }
      let before = self.metrics(of: baseline)
      if let reason = gap(in: before, of: baseline, "in the baseline ") {
        return result(.inconclusive(reason))
      }
      guard let bar = metric.figure(of: before) else {
        return result(.inconclusive("in the baseline \(metric.unseen)"))
      }
      if holds(figure, against: bar * times) { return result(.met) }
      let reason = late(metrics, figure, bar * times) ?? overloaded(row)
      return result(reason.map { .inconclusive($0) } ?? .failed)
    }
  }

  /// Returns the reason why there is no figure, as half a sentence; where bodies could not be
  /// compared, it quotes what was printed in their place.
  private func unseen(in row: Report.Row) -> String {
    guard metric == .silentTruncations,
      let printed = calls(of: row).lazy.compactMap(\.printed).first
    else { return metric.unseen }
    let other = "the program printed something else, such as \(JSON.text(printed))"
    return "\(metric.unseen): \(printed.isEmpty ? "the program printed nothing" : other)"
  }

  /// The two compared, whole as they were or the calls of one endpoint.
  private func comparison(_ row: Report.Row, _ baseline: Report.Row) -> BaselineComparison {
    if endpoint == nil, let known = row.comparison { return known }
    return BaselineComparison(calls(of: row), to: calls(of: baseline), seed: 1)
  }

  private func calls(of row: Report.Row) -> [Observation] {
    guard let endpoint else { return row.observations }
    let meant = Set(row.endpoints.map(\.name).filter { endpoint.matches(Request(endpoint: $0)) })
    return row.observations.filter { meant.contains($0.endpoint) }
  }

  /// The figures of the calls that are meant.
  private func metrics(of row: Report.Row) -> Metrics {
    endpoint == nil ? row.metrics : Metrics(calls(of: row))
  }

  /// Returns the reason why the figure says nothing yet, as half a sentence behind the words for a
  /// place; `nil` where it says something.
  private func gap(in metrics: Metrics, of row: Report.Row, _ place: String) -> String? {
    guard metrics.calls > 0 else {
      guard let endpoint, !row.endpoints.isEmpty else { return "\(place)there are no calls" }
      let some = row.endpoints.prefix(5).map(\.name).joined(separator: ", ")
      return "\(place)no call is of \(endpoint); there are \(some)"
        + (row.endpoints.count > 5 ? ", …" : "")
    }
    if metrics.notOnCassette == metrics.calls, metric != .calls {
      return "\(place)every call asked for what is not on the cassette"
    }
    let count = metric.samples(in: metrics)
    guard count < metric.samplesMin else { return nil }
    return
      "\(place)\(metric.rawValue) needs \(metric.samplesMin) \(metric.sampleWord) and has \(count)"
  }

  /// Returns the reason why a latency over the bar may be the machine's and not the client's: calls
  /// began late by more than a tenth of the bar, and without that it would have been met; `nil`
  /// where that is not so.
  private func late(_ metrics: Metrics, _ figure: Double, _ bar: Double) -> String? {
    guard metric.kind == .time, let delay = metrics.startDelayP99 else { return nil }
    let microseconds = Double(delay.wholeMicroseconds)
    guard microseconds > bar / 10, holds(figure - microseconds, against: bar) else { return nil }
    return "this machine began calls up to \(Figures.time(delay)) late"
  }

  /// Returns the reason why a latency may be the machine's and not the client's: it was asked for
  /// more programs than it can start, so that they wait for one another; `nil` where that is not
  /// so.
  private func overloaded(_ row: Report.Row) -> String? {
    guard metric.isOfLatencies, let starts = row.starts, starts.isBeyond else { return nil }
    return starts.reason
  }

  /// Returns the reason why a lower bound that is not there yet may be there after more calls: not
  /// even if all of these had succeeded would it be, and they do not prove that it never will;
  /// `nil` where that is not so.
  private func tooFew(_ metrics: Metrics, toProve bar: Double) -> String? {
    let judged = metrics.latency.calls
    guard metric == .successRateLower, comparison == .atLeast || comparison == .above,
      let best = Statistics.wilsonLower(judged, of: judged),
      !holds(best, against: bar),
      let rate = metrics.successRate
    else { return nil }
    let failed = judged - Int((rate * Double(judged)).rounded())
    guard let failures = Statistics.wilsonLower(failed, of: judged), 1 - failures >= bar
    else { return nil }
    return "\(judged) calls prove at most \(JSON.number(best, places: 3))"
  }
}

extension Request {
  /// A request of an observation's endpoint, `GET /home`.
  fileprivate init(endpoint: String) {
    let words = endpoint.split(separator: " ", maxSplits: 1).map(String.init)
    let method = words.first ?? ""
    self.init(method, RequestURL(words.count > 1 ? words[1] : "", askedBy: method))
  }
}

extension GateMetric {
  /// The figure; a time in microseconds, a share from 0 to 1. `nil` where it was not seen, and of a
  /// pair of reports.
  func figure(of metrics: Metrics) -> Double? {
    switch self {
    case .calls: Double(metrics.calls)
    case .successRate: metrics.successRate
    case .successRateLower: metrics.successRateLower
    case .successRateUpper: metrics.successRateUpper
    case .firstTrySuccessRate: metrics.firstTrySuccessRate
    case .recoveredRate: metrics.recoveredRate
    case .averageRetries: metrics.averageRetries
    case .retriesP95: metrics.retriesP95.map { Double($0) }
    case .retriesMax: metrics.retriesMax.map { Double($0) }
    case .amplification: metrics.amplification
    case .worstSecondAmplification: metrics.worstSecondAmplification
    case .silentRetries: metrics.silentRetries.map { Double($0) }
    case .duplicates: metrics.duplicates.map { Double($0) }
    case .retryAfterCompliance: metrics.retryAfterCompliance
    case .earlyRetries: metrics.earlyRetries.map { Double($0) }
    case .thunderingHerdIndex: metrics.thunderingHerdIndex
    case .blankPages: metrics.blankPages.map { Double($0) }
    case .blankPageRate: metrics.blankPageRate
    case .staleServed: metrics.staleServed.map { Double($0) }
    case .silentTruncations: metrics.silentTruncations.map { Double($0) }
    case .crashes: Double(metrics.crashes)
    case .hangs: Double(metrics.hangs)
    case .unexpectedErrors: metrics.unexpectedErrors.map { Double($0) }
    case .cancelledCalls: Double(metrics.cancelledCalls)
    case .attemptsAfterCancel: metrics.attemptsAfterCancel.map { Double($0) }
    case .faultCoverage: metrics.faultCoverage
    default: time(of: metrics).map { Double($0.wholeMicroseconds) }
    }
  }

  /// Latencies are measured in whole microseconds, so they compare exactly.
  private func time(of metrics: Metrics) -> Duration? {
    switch self {
    case .p50: metrics.p50
    case .p90: metrics.p90
    case .p95: metrics.p95
    case .p99: metrics.p99
    case .max: metrics.max
    case .p50Upper: metrics.latency.p50?.upper
    case .p90Upper: metrics.latency.p90?.upper
    case .p95Upper: metrics.latency.p95?.upper
    case .p99Upper: metrics.latency.p99?.upper
    case .succeededP95: metrics.succeeded.p95?.value
    case .failedP95: metrics.failed.p95?.value
    case .recoveryP95: metrics.recoveryP95
    case .firstRecovery: metrics.firstRecovery
    case .steadyRecovery: metrics.steadyRecovery
    case .cancelReturnP95: metrics.cancelReturnP95
    default: nil
    }
  }

  /// The figure of a pair of reports.
  fileprivate func figure(of pair: BaselineComparison) -> Double? {
    switch self {
    case .p95Ratio: pair.p95Ratio?.value
    case .p95RatioLower: pair.p95Ratio?.lower
    case .p95RatioUpper: pair.p95Ratio?.upper
    case .medianRatio: pair.medianRatio?.value
    case .medianRatioLower: pair.medianRatio?.lower
    case .medianRatioUpper: pair.medianRatio?.upper
    case .lostCalls: pair.flips.map { Double($0.lost) }
    case .wonCalls: pair.flips.map { Double($0.won) }
    case .lossProbability: pair.flips?.lossProbability
    default: nil
    }
  }

  /// Tells whether it is a latency, or made of latencies.
  fileprivate var isOfLatencies: Bool {
    switch self {
    case .p95Ratio, .p95RatioLower, .p95RatioUpper, .medianRatio, .medianRatioLower,
      .medianRatioUpper:
      true
    default: kind == .time
    }
  }

  /// The number of values that the figure is worked out from.
  fileprivate func samples(in metrics: Metrics) -> Int {
    switch self {
    case .succeededP95: metrics.succeeded.calls
    case .failedP95: metrics.failed.calls
    case .p50, .p90, .p95, .p99, .p50Upper, .p90Upper, .p95Upper, .p99Upper: metrics.latency.calls
    default: metrics.calls
    }
  }

  /// The fewest that the figure means something for: a percentile q needs 1/(1−q) of them, and the
  /// upper end of its interval as many as leave one above it in 97.5 % of all cases.
  fileprivate var samplesMin: Int {
    switch self {
    case .p50: 2
    case .p90: 10
    case .p95, .succeededP95, .failedP95: 20
    case .p99: 100
    case .p50Upper: 6
    case .p90Upper: 36
    case .p95Upper: 72
    case .p99Upper: 368
    default: 1
    }
  }

  /// The word for what the samples are.
  fileprivate var sampleWord: String {
    switch self {
    case .succeededP95: "successful calls"
    case .failedP95: "failed calls"
    default: "calls"
    }
  }

  /// The reason why there is no figure although there are calls, as half a sentence.
  fileprivate var unseen: String {
    switch self {
    case .blankPages, .blankPageRate: "no call is of a critical endpoint"
    case .successRate, .successRateLower, .successRateUpper, .p50, .p90, .p95, .p99, .max,
      .p50Upper,
      .p90Upper, .p95Upper, .p99Upper:
      "every call was given up by its caller"
    case .recoveredRate: "no call is known to have met a fault"
    case .retryAfterCompliance, .earlyRetries: "no retry is known to have followed a Retry-After"
    case .silentRetries: "the client does not say what it sent, or not all of it could be seen"
    case .worstSecondAmplification, .thunderingHerdIndex: "there are no times of retries"
    case .staleServed: "the client does not say what was stale"
    case .silentTruncations: "no body was compared"
    case .recoveryP95: "no call is known to have recovered from a fault"
    case .firstRecovery:
      "no call succeeded after the end of a time window, or the scenario has none"
    case .steadyRecovery:
      "no \(RecoveryTally.row) calls in a row succeeded after the end of a time window, or the scenario "
        + "has none"
    case .attemptsAfterCancel, .cancelReturnP95: "no call was given up, or its end was not seen"
    case .faultCoverage: "it was not seen which faults fired"
    case .p95Ratio, .p95RatioLower, .p95RatioUpper, .medianRatio, .medianRatioLower,
      .medianRatioUpper, .lostCalls, .wonCalls, .lossProbability:
      "the calls of the two cannot be paired, or there are too few of them"
    default: "the attempts could not be seen"
    }
  }

  /// A figure as people read it, with what it was made of.
  fileprivate func words(_ figure: Double, of metrics: Metrics) -> String {
    switch kind {
    case .time: return "\(JSON.number(figure / 1000, places: 3)) ms"
    case .count, .ratio: return "\(JSON.number(figure, places: 6))"
    case .share:
      let share = "\(JSON.number(figure, places: 6))"
      guard self == .successRate || self == .firstTrySuccessRate else { return share }
      let judged = metrics.latency.calls
      let count = Int((figure * Double(judged)).rounded())
      return "\(share) (\(count) of \(judged) calls)"
    }
  }
}
