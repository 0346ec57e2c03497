extension FindingRule {
  /// Finds clients that pass one message on twice.
  static let doublesMessages = FindingRule(
    id: "doubles-messages",
    title: "Delivers a message more often than it was received.",
    condition: "a call reports the messages that it receives",
    cost: "An order is shown as filled twice, and a counter counts too much.",
    fix: "Remove the old connection's listeners before opening the next, and number the messages.",
    source: "RFC 6455 §7.2.3; Phoenix Channels (rejoin); AMQP 1.0 §2.6.13 (resuming deliveries)"
  ).eachCall(.conversed) { call in
    guard let seen = MessageComparison(call.observation) else { return .notMet }
    guard seen.doubled > 0 else { return .kept }
    let times = seen.doubled == 1 ? "once" : "\(seen.doubled) times"
    // Without a number in the message, a client cannot recognise a duplicate.
    let isCopied = call.attempts.flatMap(\.decision.faults).contains {
      if case .conversation(.message(.duplicate, _)) = $0 { true } else { false }
    }
    return .broken(
      "It reports a message \(times) more than connections delivered it.",
      severity: isCopied ? .warning : nil
    )
  }
}
