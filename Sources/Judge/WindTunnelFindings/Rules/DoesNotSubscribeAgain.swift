extension FindingRule {
  /// Finds clients that reconnect but do not repeat their subscription, so that they receive
  /// nothing.
  static let doesNotSubscribeAgain = FindingRule(
    id: "does-not-subscribe-again",
    severity: .warning,
    title: "Reconnects after losing a conversation, but does not subscribe again.",
    condition:
      "a call sent a request in a conversation that several messages answered, then lost it, and "
      + "the next conversation had no faults and lasted "
      + "\(Figures.wait(MessageComparison.patience))",
    cost:
      "The screen shows old data although the connection looks healthy, and new messages are lost.",
    fix:
      "Store the subscriptions, send all of them after each handshake, and request missed "
      + "messages.",
    source: "graphql-ws, Recipes (retries); Phoenix Channels (rejoin); RFC 6455 §7.2.3",
    restsOnTime: true
  ).eachCall(.conversed) { call in
    var isKept = false
    for pair in call.observation.reconnections {
      let (first, second) = (call.attempts[pair.before], call.attempts[pair.after])
      guard let old = first.conversation, let new = second.conversation,
        let question = old.messages.firstIndex(where: \.asks), second.decision.metNothing
      else { continue }
      let missing = Set(old.asked).subtracting(new.asked)
      if missing.isEmpty {
        isKept = true
        continue
      }
      // Before the end of the conversation, the client may still send its request.
      guard let end = new.end.map({ pair.opened + $0 }) else { continue }
      // The client may wait for a greeting first, and may word its request differently.
      let greetings = old.messages[..<question].count { $0.sender == .server }
      guard new.waiting > 0, end - pair.opened >= MessageComparison.patience,
        new.messages.count(where: { $0.sender == .server }) >= greetings,
        !new.messages.contains(where: { $0.sender == .client && $0.number == nil })
      else { continue }
      let waiting =
        new.waiting == 1 ? "1 message waits" : "\(new.waiting) messages wait"
      return .broken(
        "Reconnected \(Figures.time(pair.wait)) after losing a conversation, it did not repeat "
          + "\(missing.count) of its \(Set(old.asked).count) requests within "
          + "\(Figures.time(end - pair.opened)): \(waiting) for a message that it had sent before."
      )
    }
    return isKept ? .kept : .notMet
  }
}

extension ConversationLog {
  /// The numbers of the recorded messages by which the client requested something.
  fileprivate var asked: [Int] { messages.filter(\.asks).compactMap(\.number) }
}
