extension FindingRule {
  /// Nobody is there any more, and nobody asks.
  static let neverNoticesDeadConnection = FindingRule(
    id: "never-notices-a-dead-connection",
    title: "Holds on to a conversation whose server is gone.",
    condition:
      "the server of a conversation fell silent, or left a ping without a pong, and the call went on for "
      + "\(Figures.wait(patience)) or ended before that",
    cost: "A phone that came out of a lift shows what was true an hour ago.",
    fix:
      "Send a ping when nothing has come for some seconds, and connect again when nothing answers it.",
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
      // A service's call may be over long before what it holds open.
      if noticed == nil, call.claimsSuccess { continue }
      if (noticed ?? end) - dead < patience {
        // What the drill has ended had noticed nothing, and might have.
        if noticed != nil || !call.traits.contains(.hung) { isKept = true }
        continue
      }
      let what =
        log.silentSince == nil
        ? "left its ping without a pong"
        : log.unansweredSince == nil
          ? "fell silent" : "fell silent, and left its ping without a pong"
      return .broken(
        "\(Figures.time((noticed ?? end) - dead)) after the server of a conversation \(what), it still "
          + "held on to it and had begun no other."
      )
    }
    return isKept ? .kept : .notMet
  }

  /// The time in which a connection is known to be dead: libraries take up to 60 s (Phoenix, two
  /// heartbeats of 30 s; a usual `pongWait` of gorilla/websocket).
  private static let patience = Duration.seconds(75)
}

extension ConversationLog {
  /// The time of the last sign of a server that left a ping without a pong: what it says is one,
  /// too.
  fileprivate var lastSign: Duration? {
    // Of more messages than are kept the last is not known.
    guard further == 0 else { return nil }
    return unansweredSince.map { since in
      messages.last { $0.sender == .server }.map { max(since, $0.at) } ?? since
    }
  }
}

extension JudgedCall {
  /// Returns the time at which a conversation was ended by its client, where it was not the end of
  /// the client itself.
  fileprivate func end(of attempt: Observation.Attempt) -> Duration? {
    guard let opened = attempt.end, let log = attempt.conversation, let end = log.end else {
      return nil
    }
    switch log.ending {
    case .client, .clientLeft: break
    case .server, .serverLeft, .stopped, nil: return nil
    }
    // What has not ended is ended by the drill, and its connections with it.
    if traits.contains(.hung), let over = observation.end, opened + end > over - .seconds(1) {
      return nil
    }
    return opened + end
  }

  /// Returns the time of the first attempt behind a moment that asks for the same as another.
  fileprivate func nextAttempt(
    behind moment: Duration,
    like other: Observation.Attempt
  ) -> Duration? {
    attempts.lazy.filter { $0.key == other.key }.compactMap(\.start)
      .first { $0 > moment }
  }
}
