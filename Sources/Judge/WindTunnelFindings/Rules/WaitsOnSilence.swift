extension FindingRule {
  /// Finds clients that wait too long for a silent server.
  static let waitsOnSilence = FindingRule(
    id: "waits-on-silence",
    title: "Waits over 25 seconds for a byte, or over 30 seconds in all attempts.",
    condition: "a call met silence, and ended by itself",
    cost: "The user looks at a spinner, and a connection and a thread stay occupied as long.",
    fix: "Limit the wait for the first byte and for each further byte to some seconds.",
    source: "Nielsen, Response Times (1993); Google SRE Book, ch. 22 (deadlines)",
    restsOnTime: true
  ).eachCall(.unanswered) { call in
    guard !call.traits.contains(.hung), !call.traits.contains(.crashed) else { return .notMet }
    if call.isUnseen {
      let latency = call.observation.latency
      // By its own report, the client may have tried several times, or not at all.
      let told = call.observation.clientAttempts
      guard told != 0 else { return .notMet }
      let silence = latency / (told ?? 1)
      if silence < longestSilence { return latency < .seconds(1) ? .notMet : .kept }
      return .broken(
        "It gave up after \(Figures.time(latency)) without a connection.",
        severity: .warning
      )
    }
    guard let silence = call.silence,
      call.attempts.last?.status == nil || call.attempts.last?.error != nil
    else { return .notMet }
    func what(_ attempts: some Sequence<Observation.Attempt>) -> String {
      attempts.contains { ($0.bytes ?? 0) > 0 } ? "a whole response" : "a byte"
    }
    if silence >= longestSilence {
      return .broken(
        "It waited \(Figures.time(silence)) in its last attempt without receiving "
          + "\(what(call.attempts.suffix(1)))."
      )
    }
    let count = call.attempts.count
    // No user waits for requests that code sends in the background, such as an outbox.
    if call.client != .library, count > 1, call.attempts.allSatisfy(\.isSilence),
      let begun = call.begun, let whole = call.observation.end.map({ $0 - begun }),
      whole > longestWait
    {
      return .broken(
        "It waited \(Figures.time(whole)) over \(count) attempts without receiving "
          + "\(what(call.attempts))."
      )
    }
    return silence < .seconds(1) ? .notMet : .kept
  }

  /// The maximum time that a user waits for nothing, for any number of attempts.
  private static let longestWait = Duration.seconds(30)

  /// The maximum silence in which a client may wait. No user waits longer.
  static let longestSilence = Duration.seconds(25)
}

extension JudgedCall {
  /// Whether the call failed without an observed attempt, because no connection was opened.
  fileprivate var isUnseen: Bool {
    observation.attemptCount == nil && attempts.isEmpty && !claimsSuccess && !observation.wasGivenUp
  }

  /// The age of the last attempt at the call's end, which is the length of its silence if nothing
  /// was received. Zero if bytes arrived slowly; `nil` if no attempt was observed.
  var silence: Duration? {
    guard let last = attempts.last, let start = last.start, let end = observation.end else {
      return nil
    }
    return last.isSlow ? .zero : max(.zero, end - start)
  }
}

extension Observation.Attempt {
  /// Whether its response arrived a few bytes at a time.
  var isSlow: Bool {
    decision.faults.contains {
      switch $0 {
      case .dribble, .throttle: true
      default: false
      }
    }
  }
}
