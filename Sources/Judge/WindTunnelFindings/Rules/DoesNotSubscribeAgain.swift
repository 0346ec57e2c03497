extension FindingRule {
  /// Nothing more comes, and nobody knows why.
  static let doesNotSubscribeAgain = FindingRule(
    id: "does-not-subscribe-again",
    severity: .warning,
    title:
      "Connects again after a conversation was lost, and does not ask again for what it had asked for.",
    condition:
      "a call asked for something in a conversation that several messages answered, and lost it, and the next one, "
      + "in which nothing went wrong, lasted \(Figures.wait(MessageComparison.patience))",
    cost:
      "The screen stands still behind a connection that looks well, and what came meanwhile is "
      + "lost.",
    fix:
      "Keep what was subscribed to, and say all of it again behind each handshake; ask for what was missed.",
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
      // Before its end nobody knows what else was said.
      guard let end = new.end.map({ pair.opened + $0 }) else { continue }
      // It may have to be greeted first, and may say the same in other words.
      let greetings = old.messages[..<question].count { $0.sender == .server }
      guard new.waiting > 0, end - pair.opened >= MessageComparison.patience,
        new.messages.count(where: { $0.sender == .server }) >= greetings,
        !new.messages.contains(where: { $0.sender == .client && $0.number == nil })
      else { continue }
      let waiting =
        new.waiting == 1 ? "1 message waits" : "\(new.waiting) messages wait"
      return .broken(
        "Connected again \(Figures.time(pair.wait)) after a conversation was lost, it did not ask in "
          + "\(Figures.time(end - pair.opened)) for \(missing.count) of \(Set(old.asked).count) that it "
          + "had asked for: \(waiting) for what it had said before."
      )
    }
    return isKept ? .kept : .notMet
  }
}

extension ConversationLog {
  /// The numbers of the recorded messages by which the client asked for something.
  fileprivate var asked: [Int] { messages.filter(\.asks).compactMap(\.number) }
}
