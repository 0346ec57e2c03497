extension FindingRule {
  /// Finds clients that do not detect the end of a server without a close.
  static let neverNoticesDeadConnection = FindingRule(
    id: "never-notices-a-dead-connection",
    title: "Keeps a conversation with a dead server.",
    condition:
      "the server of a conversation fell silent, or left a ping without a pong, and the call "
      + "lasted \(Figures.wait(patience)) more or ended earlier",
    cost: "A phone that has left a lift shows data that is an hour old.",
    fix: "Send a ping after some seconds without a message, and reconnect if no pong arrives.",
    source: "RFC 6455 §5.5.2 (keepalive); RFC 1122 §4.2.3.6; Socket.IO, How it works (pingTimeout)",
    restsOnTime: true
  ).eachCall(.conversed) { call in
    guard !call.traits.contains(.crashed) else { return .notMet }
    var isKept = false
    for place in call.attempts.indices {
      let attempt = call.attempts[place]
      guard let opened = attempt.end, let log = attempt.conversation, !log.isEndedByServer,
        let silence = log.silentSince ?? log.lastSign, let end = call.observation.end
      else { continue }
      let dead = opened + silence
      let noticed = call.end(of: attempt) ?? call.nextAttempt(behind: dead, like: attempt)
      // A call of a service may end long before its conversation does.
      if noticed == nil, call.claimsSuccess { continue }
      if (noticed ?? end) - dead < patience {
        // A client that the drill ended had not noticed the silence, but might have later.
        if noticed != nil || !call.traits.contains(.hung) { isKept = true }
        continue
      }
      let what =
        log.silentSince == nil
        ? "left its ping without a pong"
        : log.unansweredSince == nil
          ? "fell silent" : "fell silent, and left its ping without a pong"
      return .broken(
        "\(Figures.time((noticed ?? end) - dead)) after the server of a conversation \(what), it "
          + "still kept the conversation and had begun no other."
      )
    }
    return isKept ? .kept : .notMet
  }

  /// The maximum time to detect a dead connection. Libraries take up to 60 s (Phoenix, two
  /// heartbeats of 30 s; a usual `pongWait` of gorilla/websocket).
  private static let patience = Duration.seconds(75)
}

extension ConversationLog {
  /// The time of the last sign of a server that left a ping without a pong. A message is a sign,
  /// too.
  fileprivate var lastSign: Duration? {
    // If there are more messages than are stored, the last one is unknown.
    guard further == 0 else { return nil }
    return unansweredSince.map { since in
      messages.last { $0.sender == .server }.map { max(since, $0.at) } ?? since
    }
  }
}

extension JudgedCall {
  /// Returns the time at which the client ended a conversation, or `nil` if the client's own end
  /// was the reason.
  fileprivate func end(of attempt: Observation.Attempt) -> Duration? {
    guard let opened = attempt.end, let log = attempt.conversation, let end = log.end else {
      return nil
    }
    switch log.ending {
    case .client, .clientLeft: break
    case .server, .serverLeft, .stopped, nil: return nil
    }
    // The drill ends a hung client, and its connections with it.
    if traits.contains(.hung), let over = observation.end, opened + end > over - .seconds(1) {
      return nil
    }
    return opened + end
  }

  /// Returns the time of the first attempt after a moment with the same request as another.
  fileprivate func nextAttempt(
    behind moment: Duration,
    like other: Observation.Attempt
  ) -> Duration? {
    attempts.lazy.filter { $0.key == other.key }.compactMap(\.start)
      .first { $0 > moment }
  }
}
