extension FindingRule {
  /// Nobody sends again by itself what was missed.
  static let losesWhatCameWhileAway = FindingRule(
    id: "loses-what-came-while-away",
    title: "Comes back after a conversation was lost, and does not ask for all that it missed.",
    condition:
      "a call that says what it receives lost a conversation, and was back for "
      + "\(Figures.wait(MessageComparison.patience)) or had asked for all that the cassette has",
    cost: "A message, a fill or an alarm is missing, and nobody sees that it is.",
    fix:
      "Keep the number of the last message that came; on the next connection ask for what is behind "
      + "it, and say everything again that was subscribed to.",
    source: "RFC 6455 §7.2.3; WHATWG HTML §9.2.4 (Last-Event-ID); Discord, Gateway (resuming)",
    restsOnTime: true
  ).eachCall(.conversed) { call in
    // Who ends with an error has said that something is missing.
    if case .failed = call.observation.ending { return .notMet }
    guard let away = MessageComparison(call.observation)?.away else { return .notMet }
    guard away > 0 else { return .kept }
    let messages = away == 1 ? "1 message" : "\(away) messages"
    return .broken(
      "It lost a conversation and connected again, and \(messages) that the cassette has for it "
        + "never came: it did not ask for them, and does not say that it has them."
    )
  }
}
