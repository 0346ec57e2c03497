extension FindingRule {
  /// Nobody waits that long for nothing.
  static let waitsOnSilence = FindingRule(
    id: "waits-on-silence",
    title:
      "Waits longer than 25 seconds while nothing comes, or than 30 seconds over all attempts.",
    condition: "a call met silence, and ended by itself",
    cost: "The user looks at a spinner, and a connection and a thread are gone for as long.",
    fix: "Limit the wait for the first byte and for the next one to some seconds.",
    source: "Nielsen, Response Times (1993); Google SRE Book, ch. 22 (deadlines)",
    restsOnTime: true
  ).eachCall(.unanswered) { call in
    guard !call.traits.contains(.hung), !call.traits.contains(.crashed) else { return .notMet }
    if call.isUnseen {
      let latency = call.observation.latency
      // By the client's own word it may have tried several times, or not at all.
      let told = call.observation.clientAttempts
      guard told != 0 else { return .notMet }
      let silence = latency / (told ?? 1)
      if silence < longestSilence { return latency < .seconds(1) ? .notMet : .kept }
      return .broken(
        "It gave up after \(Figures.time(latency)), in which no connection came about.",
        severity: .warning
      )
    }
    guard let silence = call.silence,
      call.attempts.last?.status == nil || call.attempts.last?.error != nil
    else { return .notMet }
    if silence >= longestSilence {
      return .broken("It waited \(Figures.time(silence)) at its last attempt, and nothing came.")
    }
    let count = call.attempts.count
    // Nobody waits for what code sends in the background, such as an outbox.
    if call.client != .library, count > 1, call.attempts.allSatisfy(\.isSilence),
      let begun = call.begun, let whole = call.observation.end.map({ $0 - begun }),
      whole > longestWait
    {
      return .broken("It waited \(Figures.time(whole)) over \(count) attempts, and nothing came.")
    }
    return silence < .seconds(1) ? .notMet : .kept
  }

  /// The longest that a user waits for nothing, however often a client tries.
  private static let longestWait = Duration.seconds(30)

  /// The longest silence that a client may wait on: beyond it no user does.
  static let longestSilence = Duration.seconds(25)
}

extension JudgedCall {
  /// Tells whether it failed where nobody sees an attempt, since no connection comes about.
  fileprivate var isUnseen: Bool {
    observation.attemptCount == nil && attempts.isEmpty && !claimsSuccess && !observation.wasGivenUp
  }

  /// The age of its last attempt at the call's end, which is how long it had waited if nothing came
  /// in it; no time where bytes came now and then, and `nil` where no attempt was seen.
  var silence: Duration? {
    guard let last = attempts.last, let start = last.start, let end = observation.end else {
      return nil
    }
    return last.isSlow ? .zero : max(.zero, end - start)
  }
}

extension Observation.Attempt {
  /// Tells whether its answer came a few bytes at a time.
  var isSlow: Bool {
    decision.faults.contains {
      switch $0 {
      case .dribble, .throttle: true
      default: false
      }
    }
  }
}
