/// The behaviour of a client towards the server. It shows whether the client respects requested
/// waits, how it backs off, and whether it repeats requests that must not be repeated.
struct RetryAfterTally: Sendable, Hashable {
  /// The numbers of retries after a response with `Retry-After`: all, early ones, and retries
  /// without an observed time.
  private(set) var asked = 0
  private(set) var early = 0
  private(set) var askedUnseen = 0
  /// The number of requests that must not be repeated, beyond the first of their kind in their
  /// call. Incomplete requests do not count, because a request is decided when it is complete.
  private(set) var duplicates = 0
  /// The number of requests for which it was not observed whether they may be repeated.
  private(set) var repeatableUnseen = 0
  /// The waits before each retry, beginning with the first retry. The last element is for all later
  /// retries.
  private(set) var gaps: [Distribution] = []

  /// The maximum number of retries with waits of their own. Waits before later retries are counted
  /// with the last one.
  static let retriesMax = 8
  /// The tolerance for an early retry, given the resolution of clocks.
  private static let tolerance = Duration.milliseconds(5)

  mutating func add(_ call: Observation) {
    // Most calls have one attempt, and no repetition.
    if call.attempts.count == 1 {
      if call.attempts[0].isRepeatable == nil, call.attempts[0].isRequest { repeatableUnseen += 1 }
      return
    }
    addDuplicates(call.attempts)
    var retry = 0
    for (before, attempt) in zip(call.attempts, call.attempts.dropFirst()) {
      // The target of a redirect is another request. A failed connection has no request, and the
      // next attempt is a retry.
      if attempt.isRequest, before.isRequest, attempt.decision.key != before.decision.key {
        continue
      }
      addGap(before, attempt, retry)
      retry += 1
    }
  }

  private mutating func addDuplicates(_ attempts: [Observation.Attempt]) {
    // A call may post to several URLs, by a redirect or by design.
    var keys: Set<String> = []
    for attempt in attempts where attempt.isRepeatable != true && attempt.isRequest {
      guard attempt.isRepeatable != nil else {
        repeatableUnseen += 1
        continue
      }
      let key = attempt.decision.key
      if keys.contains(key) { duplicates += 1 }
      // A request with a rejected credential was not processed (RFC 9110 §15.5.2).
      if attempt.status != 401 { keys.insert(key) }
    }
  }

  private mutating func addGap(
    _ before: Observation.Attempt,
    _ attempt: Observation.Attempt,
    _ retry: Int
  ) {
    let gap = attempt.start.flatMap { start in
      (before.end ?? before.start).map { max(.zero, start - $0) }
    }
    // A client may not have read the field of a response that was cut.
    if before.error == nil { addWish(of: before, attempt, gap) }
    guard let gap else { return }
    let place = min(retry, Self.retriesMax - 1)
    while gaps.count <= place { gaps.append(Distribution(exactMax: 10_000)) }
    gaps[place].add(gap)
  }

  /// Compares a retry with the `Retry-After` before it. A date is a moment, and seconds count from
  /// the response's end (RFC 9110 §10.2.3).
  private mutating func addWish(
    of before: Observation.Attempt,
    _ attempt: Observation.Attempt,
    _ gap: Duration?
  ) {
    let missing: Duration?
    if let moment = before.retryNotBefore {
      missing = attempt.start.map { moment - $0 }
    } else if let wanted = before.retryAfter {
      missing = gap.map { wanted - $0 }
    } else {
      return
    }
    asked += 1
    guard let missing else {
      askedUnseen += 1
      return
    }
    if missing > Self.tolerance { early += 1 }
  }

  mutating func merge(_ other: RetryAfterTally) {
    asked += other.asked
    early += other.early
    askedUnseen += other.askedUnseen
    duplicates += other.duplicates
    repeatableUnseen += other.repeatableUnseen
    for (place, distribution) in other.gaps.enumerated() {
      if gaps.count <= place { gaps.append(Distribution(exactMax: 10_000)) }
      gaps[place].merge(distribution)
    }
  }
}
