extension FlowRun {
  /// The calls of the flow: each is a request with the attempts that were made for it.
  ///
  /// A request of the same key is another call when the one before was answered, when it has
  /// another content under another `Idempotency-Key`, and when a user has come back, a process has
  /// started anew or the time of a call has gone by in between. Where the flow makes several calls
  /// of a key in calm, one that comes too early for a retry, or that must not be repeated, is the
  /// next of these; and so is each POST that calm does not know.
  ///
  /// - Parameters:
  ///   - deadline: The time that a call may take.
  ///   - calm: The number of calls of each key in calm.
  /// - Returns: The calls, in the order of their beginnings.
  func calls(within deadline: Duration, calm: [String: Int] = [:]) -> [Observation] {
    var calls: [Observation] = []
    var last: [String: Int] = [:]
    var counts: [String: Int] = [:]
    for (place, attempt) in zip(places, attempts) {
      if let open = last[place.key], goesOn(calls[open], attempt, deadline) {
        // A POST that calm does not know renews something, for whoever needs it next.
        let ofCalm = calm[place.key] ?? (place.key.hasPrefix("POST ") ? .max : 0)
        let isMaybeNext = counts[place.key, default: 0] < ofCalm
        if !isMaybeNext || calls[open].mayBeFollowed(by: attempt) {
          calls[open].attempts.append(attempt)
          continue
        }
      }
      last[place.key] = calls.count
      counts[place.key, default: 0] += 1
      calls.append(.begun(calls.count, by: attempt, showed: true))
      calls[calls.count - 1].attempts.append(attempt)
    }
    for place in calls.indices {
      calls[place].conclude(\.isFailed)
      calls[place].showed = calls[place].ending == .succeeded
    }
    return calls
  }

  private func goesOn(
    _ call: Observation,
    _ next: Observation.Attempt,
    _ deadline: Duration
  ) -> Bool {
    guard let before = call.attempts.last, before.isFailed, !next.isAnotherDeed(than: before)
    else { return false }
    guard let start = before.start, let again = next.start else { return true }
    if let first = call.start, again - first > deadline * 1.5 { return false }
    return anew.map { start >= $0 || again < $0 } ?? true
  }
}

extension Observation {
  /// Tells whether an attempt comes when a retry of the last one may, and may be one.
  fileprivate func mayBeFollowed(by next: Attempt) -> Bool {
    guard let last = attempts.last, let end = last.end, let start = next.start else { return true }
    return next.isRepeatable != false && start >= end + (last.retryAfter ?? .zero)
  }
}

extension Observation.Attempt {
  /// Tells whether it asks for something else than another one, which keys and bodies say: the same
  /// content under a new key is the same deed, done wrong.
  fileprivate func isAnotherDeed(than other: Self) -> Bool {
    guard let sent, let others = other.sent, let key = sent.key, let otherKey = others.key,
      let content = sent.content, let otherContent = others.content
    else { return false }
    return key != otherKey && content != otherContent
  }
}
