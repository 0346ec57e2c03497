extension FindingRule {
  /// The client's process dies in a call.
  package static let crashes = FindingRule(
    id: "crashes",
    severity: .error,
    title: "Its process dies in a call.",
    condition: "any call",
    cost: "The user sees the app go away, and what was not saved with it.",
    fix:
      "Handle every error that a transport can return; force nothing that the network decides.",
    source: "POSIX.1-2024, Shell Command Language, 2.8.2 (an exit by a signal)"
  ).together { rule, troubled, flight in
    rule.fallen(troubled.filter { $0.traits.contains(.crashed) }, in: flight) { call in
      Violation("Its process died \(Figures.time(call.observation.latency)) after the call began.")
    }
  }

  /// Judges how calls ended.
  func fallen(
    _ fallen: [JudgedCall],
    in flight: ClientRun,
    _ violation: (JudgedCall) -> Violation
  ) -> RuleStanding.Standing {
    let grave = fallen.filter { violation($0).severity == nil }
    guard let first = grave.smallest ?? fallen.smallest else {
      return flight.calls.isEmpty ? .notMet(unmet(by: 0)) : .passed(flight.calls.count)
    }
    return broken(violation(first), in: first, calls: fallen.count, of: flight.calls.count)
  }
}
