extension FindingRule {
  /// The client's process dies in a call.
  static let crashes = FindingRule(
    "crashes",
    .error,
    "Its process dies in a call.",
    condition: "any call",
    cost: "The user sees the app go away, and what was not saved with it.",
    remedy:
      "Handle every error that a transport can return; force nothing that the network decides.",
    source: "POSIX.1-2024, Shell Command Language, 2.8.2 (an exit by a signal)",
    scope: .flight { rule, _, flight in
      rule.fallen(.crashed, in: flight) { call in
        "Its process died \(Figures.time(call.latency)) after the call began."
      }
    }
  )

  /// Judges how calls ended.
  func fallen(
    _ ending: Observation.CallResult,
    in flight: Flight,
    seen: (Observation) -> String
  ) -> RuleStanding.Standing {
    let fallen = flight.calls.filter { $0.ending == ending }
    let first = fallen.min { ($0.attempts.count, $0.call) < ($1.attempts.count, $1.call) }
    guard let first else {
      return flight.calls.isEmpty ? .notMet(unmet(by: 0)) : .passed(flight.calls.count)
    }
    return .broken(
      finding(
        Violation(seen(first)),
        in: JudgedCall(first, of: flight.client),
        calls: fallen.count,
        judged: flight.calls.count
      )
    )
  }
}
