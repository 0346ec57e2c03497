extension FindingRule {
  /// A copy is shown as if it were new.
  static let showsStaleAsFresh = FindingRule(
    "shows-stale-as-fresh",
    .warning,
    "Shows an answer again that was too old when it came, asks nobody, and does not say that it is a copy.",
    condition:
      "an answer was older than its server lets anybody show it without asking, and a later call was made to "
      + "the same endpoint",
    cost: "The user acts on a price, a balance or a departure that is no more.",
    remedy:
      "Count an answer's Age and the time since it came against its max-age; ask again when it is over, and "
      + "say so where a copy is shown all the same.",
    source: "RFC 9111 §4 (reuse only what is fresh or validated), §4.2.3 (age), §4.2.4",
    clients: [.service, .library],
    scope: .flight { rule, _, flight in
      // The first answer that was too old, by endpoint, and when it had come.
      var came: [String: Duration] = [:]
      for call in flight.calls where call.ending == .succeeded {
        guard let end = call.end, call.attempts.last?.isStaleOnArrival == true else { continue }
        came[call.endpoint] = min(came[call.endpoint] ?? end, end)
      }
      let later = flight.calls.indices.filter { place in
        let call = flight.calls[place]
        guard call.isJudged, let start = call.start, let old = came[call.endpoint] else {
          return false
        }
        return start > old
      }
      guard !later.isEmpty else { return .notMet(rule.unmet(by: 0)) }
      let shown = later.filter { flight.calls[$0].showsKept && !flight.isAsked(during: $0) }
      guard let example = shown.min(by: { flight.calls[$0].call < flight.calls[$1].call }) else {
        return .passed(later.count)
      }
      return .broken(
        rule.finding(
          Violation(
            "It asked nobody, and showed an answer that had been older than it may be when it came."
          ),
          in: JudgedCall.one(at: example, in: flight),
          calls: shown.count,
          judged: later.count
        )
      )
    }
  )
}

extension Observation {
  /// Tells whether it shows what was recorded for it, asked nobody for it, and does not say that it
  /// is a copy.
  fileprivate var showsKept: Bool {
    ending == .succeeded && attempts.isEmpty && bodyMatches == true && isStale != true
  }
}

extension Flight {
  /// Tells whether another call asked for the same meanwhile, whose answer may be what was shown.
  fileprivate func isAsked(during place: Int) -> Bool {
    let call = calls[place]
    guard let start = call.start, let end = call.end else { return true }
    return calls.contains { other in
      other.endpoint == call.endpoint
        && other.attempts.contains { attempt in
          guard attempt.isRequest, let began = attempt.start else { return false }
          return began <= end && (attempt.end ?? end) >= start
        }
    }
  }
}
