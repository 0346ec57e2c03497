extension FindingRule {
  /// Finds clients whose process crashes during a call.
  package static let crashes = FindingRule(
    id: "crashes",
    title: "Its process crashes during a call.",
    condition: "any call",
    cost: "The app disappears, and unsaved work is lost.",
    fix:
      "Handle every error that a transport can return. Never force-unwrap data from the network.",
    source: "POSIX.1-2024, Shell Command Language, 2.8.2 (an exit by a signal)"
  ).together { rule, troubled, flight in
    let crashed = troubled.filter { $0.traits.contains(.crashed) }
    return rule.standing(crashed, of: flight.calls.count) { call in
      "Its process crashed \(Figures.time(call.observation.latency)) after the call began."
    }
  }
}
