extension FindingRule {
  /// The client's process dies in a call.
  package static let crashes = FindingRule(
    id: "crashes",
    title: "Its process dies in a call.",
    condition: "any call",
    cost: "The user sees the app go away, and what was not saved with it.",
    fix:
      "Handle every error that a transport can return; force nothing that the network decides.",
    source: "POSIX.1-2024, Shell Command Language, 2.8.2 (an exit by a signal)"
  ).together { rule, troubled, flight in
    let crashed = troubled.filter { $0.traits.contains(.crashed) }
    return rule.standing(crashed, of: flight.calls.count) { call in
      "Its process died \(Figures.time(call.observation.latency)) after the call began."
    }
  }
}
