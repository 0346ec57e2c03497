extension FlowRun {
  /// Returns the calls of the flow. A call is a request with all its attempts.
  ///
  /// A request with the same key begins another call if the previous one succeeded, or if it has
  /// other content under another `Idempotency-Key`. It also does if a user returned or a process
  /// started in between, or if the maximum time of a call is over. A flow may make several calls
  /// with a key without faults. Then a request that is too early for a retry, or must not be
  /// repeated, begins the next of these calls. So does each POST that does not occur without
  /// faults.
  ///
  /// - Parameters:
  ///   - deadline: The time that a call may take.
  ///   - calm: The number of calls with each key without faults.
  /// - Returns: The calls, in the order of their beginnings.
  func calls(within deadline: Duration, calm: [String: Int] = [:]) -> [Observation] {
    var calls: [Observation] = []
    var last: [String: Int] = [:]
    var counts: [String: Int] = [:]
    for (place, attempt) in zip(places, attempts) {
      if let open = last[place.key], goesOn(calls[open], attempt, deadline) {
        // A POST that does not occur without faults may renew a credential for any call.
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
  /// Returns whether an attempt may be the next call: it may be repeated, and the wait that the
  /// last response requested is over.
  fileprivate func mayBeFollowed(by next: Attempt) -> Bool {
    guard let last = attempts.last, let end = last.end, let start = next.start else { return true }
    return next.isRepeatable != false && start >= end + (last.retryAfter ?? .zero)
  }
}

extension Observation.Attempt {
  /// Returns whether an attempt is for another action than a previous one, by its key and its
  /// content. The same content under a new key is the same action, repeated wrongly.
  fileprivate func isAnotherDeed(than other: Self) -> Bool {
    guard let sent, let others = other.sent, let key = sent.key, let otherKey = others.key,
      let content = sent.content, let otherContent = others.content
    else { return false }
    return key != otherKey && content != otherContent
  }
}
