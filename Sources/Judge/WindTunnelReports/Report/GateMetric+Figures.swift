extension GateMetric {
  /// Whether the figure is a latency, or is calculated from latencies.
  var isOfLatencies: Bool { isOfPair ? kind == .ratio : kind == .time }

  /// Whether the figure is about screens.
  var isOfScreens: Bool { [.blankScreens, .blankScreenRate].contains(self) }

  /// Returns the number of values of the figure, the minimum number that it requires, and the word
  /// for them. A percentile q requires 1/(1−q) values. The upper end of its interval requires
  /// enough values for one above it in 97.5 % of all cases.
  func samples(in metrics: Metrics) -> (count: Int, least: Int, word: String) {
    let latencies = metrics.latency.calls
    return switch self {
    case .succeededP95: (metrics.succeeded.calls, 20, "successful calls")
    case .failedP95: (metrics.failed.calls, 20, "failed calls")
    case .p50: (latencies, 2, "calls")
    case .p90: (latencies, 10, "calls")
    case .p95: (latencies, 20, "calls")
    case .p99: (latencies, 100, "calls")
    case .p50Upper: (latencies, 6, "calls")
    case .p90Upper: (latencies, 36, "calls")
    case .p95Upper: (latencies, 72, "calls")
    case .p99Upper: (latencies, 368, "calls")
    default: (metrics.calls, 1, "calls")
    }
  }

  /// The reason why the figure is missing although there are calls, as a clause.
  var unseen: String {
    if isOfPair { return "the calls of the two cannot be paired, or there are too few of them" }
    return switch self {
    case .blankScreens, .blankScreenRate: "no GET or HEAD call is of a critical endpoint"
    case .failedActions, .failedActionRate:
      "no call but GET and HEAD is of a critical endpoint; --critical \"POST /orders\" names one"
    case .successRate, .successRateLower, .successRateUpper, .p50, .p90, .p95, .p99, .max,
      .p50Upper,
      .p90Upper, .p95Upper, .p99Upper:
      "every call was given up by its caller"
    case .recoveredRate: "no call is known to have met a fault"
    case .retryAfterCompliance, .earlyRetries: "no retry is known to have followed a Retry-After"
    case .silentRetries: "the client does not report its requests, or some could not be seen"
    case .worstSecondAmplification, .thunderingHerdIndex: "there are no times of retries"
    case .staleServed: "the client does not report stale results"
    case .silentTruncations: "no body was compared"
    case .recoveryP95: "no call is known to have recovered from a fault"
    case .firstRecovery:
      "no call succeeded after the end of a time window, or the scenario has none"
    case .steadyRecovery:
      "no \(RecoveryTally.row) calls in a row succeeded after the end of a time window, or the scenario "
        + "has none"
    case .attemptsAfterCancel, .cancelReturnP95:
      "no call was given up, or its end was not seen"
    case .faultCoverage, .coverage: "the faults that fired are not known"
    case .reconnectP95:
      "no call connected again after it had lost a conversation, or more than 5 % of lost "
        + "conversations had no successor"
    case .reconnectedRate: "no call lost a conversation"
    case .resubscribeP95:
      "no call subscribed again after it had lost a conversation, or more than 5 % did not"
    case .firstEventP95, .longestGap: "no conversation had an event"
    case .pingsAnswered: "no client of a conversation was sent a ping"
    case .messagesLost, .messagesDoubled, .messagesOutOfOrder, .messagesLate:
      "no client reports the messages that it received"
    default: "the attempts could not be seen"
    }
  }

  /// Returns a figure formatted for readers, with the values that it was calculated from.
  func words(_ figure: Double, of metrics: Metrics) -> String {
    switch kind {
    case .time: return "\(JSON.number(figure / 1000, places: 3)) ms"
    case .count, .ratio:
      let word = "\(JSON.number(figure, places: 6))"
      guard self == .averageRetries, metrics.hasOwnWord else { return word }
      let (count, judged) = (metrics.callsByOwnWord, metrics.latency.calls)
      return "\(word) (of \(count) of \(judged) calls by the client's own word)"
    case .share:
      let share = "\(JSON.number(figure, places: 6))"
      guard self == .successRate || self == .firstTrySuccessRate else { return share }
      let judged = metrics.latency.calls
      let count = Int((figure * Double(judged)).rounded())
      return "\(share) (\(count) of \(judged) calls)"
    }
  }
}
