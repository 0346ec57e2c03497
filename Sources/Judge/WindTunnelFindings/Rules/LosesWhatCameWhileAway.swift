extension FindingRule {
  /// Finds clients that reconnect without requesting the messages that they missed.
  static let losesWhatCameWhileAway = FindingRule(
    id: "loses-what-came-while-away",
    title: "Reconnects after losing a conversation, but does not request all that it missed.",
    condition:
      "a call that reports its messages lost a conversation, and then was connected for "
      + "\(Figures.wait(MessageComparison.patience)) or had requested all that the cassette has",
    cost: "A message or an alarm is missing, and the user cannot see it.",
    fix:
      "Store the number of the last message received. On the next connection, request later "
      + "messages and repeat all subscriptions.",
    source: "RFC 6455 §7.2.3; WHATWG HTML §9.2.4 (Last-Event-ID); Discord, Gateway (resuming)",
    restsOnTime: true
  ).eachCall(.conversed) { call in
    // A client that ends with an error reports that something is missing.
    if case .failed = call.observation.ending { return .notMet }
    guard let away = MessageComparison(call.observation)?.away else { return .notMet }
    guard away > 0 else { return .kept }
    return .broken(
      "It lost a conversation and reconnected, but \(away.counted("message")) in the cassette never "
        + "arrived: it did not request them, and does not report them."
    )
  }
}
