extension FindingRule {
  /// One message is taken for two.
  static let doublesMessages = FindingRule(
    id: "doubles-messages",
    title: "Hands a message on more often than it came.",
    condition: "a call says what it receives of its conversations",
    cost: "An order is filled twice on the screen, and a counter counts what never was.",
    fix:
      "Take the old connection's listeners away before the next is opened, and know a message "
      + "again by its number.",
    source: "RFC 6455 §7.2.3; Phoenix Channels (rejoin); AMQP 1.0 §2.6.13 (resuming deliveries)"
  ).eachCall(.conversed) { call in
    guard let seen = MessageComparison(call.observation) else { return .notMet }
    guard seen.doubled > 0 else { return .kept }
    let times = seen.doubled == 1 ? "once" : "\(seen.doubled) times"
    // Without a number in the message nobody can know that it is the same.
    let isCopied = call.attempts.flatMap(\.decision.faults).contains {
      if case .conversation(.message(.duplicate, _)) = $0 { true } else { false }
    }
    return .broken(
      "It says \(times) more that it received a message than connections brought it.",
      severity: isCopied ? .warning : nil
    )
  }
}
