/// The manner in which a client treats the server: whether it waits as long as it was asked to, how
/// it backs off, and whether it does twice what must be done once.
struct RetryAfterTally: Sendable, Hashable {
  /// Retries that followed an answer with `Retry-After`, those that came early, and those of which
  /// the time was not seen.
  private(set) var asked = 0
  private(set) var early = 0
  private(set) var askedUnseen = 0
  /// Requests that must not be repeated, beyond the first of their kind in their call. What breaks
  /// off on its way is none: a request is decided when it has come whole.
  private(set) var duplicates = 0
  /// Requests of which it was not seen whether they may be.
  private(set) var repeatableUnseen = 0
  /// The waits before each retry, the first retry's first; the last are of all that follow.
  private(set) var gaps: [Distribution] = []

  /// The waits before later retries are counted with those before the eighth.
  static let retriesMax = 8
  /// A retry may be early by so much: clocks are not finer than their readers.
  private static let tolerance = Duration.milliseconds(5)

  mutating func add(_ call: Observation) {
    // Most calls are one attempt, which repeats none.
    if call.attempts.count == 1 {
      if call.attempts[0].isRepeatable == nil, call.attempts[0].isRequest { repeatableUnseen += 1 }
      return
    }
    addDuplicates(call.attempts)
    var retry = 0
    for (before, attempt) in zip(call.attempts, call.attempts.dropFirst()) {
      // A redirect's target is something else. A connection that failed has no request, and what
      // follows it tries once more.
      if attempt.isRequest, before.isRequest, attempt.decision.key != before.decision.key {
        continue
      }
      addGap(before, attempt, retry)
      retry += 1
    }
  }

  private mutating func addDuplicates(_ attempts: [Observation.Attempt]) {
    // A call may post to one place and, redirected or by its own design, to another.
    var keys: Set<String> = []
    for attempt in attempts where attempt.isRepeatable != true && attempt.isRequest {
      guard attempt.isRepeatable != nil else {
        repeatableUnseen += 1
        continue
      }
      let key = attempt.decision.key
      if keys.contains(key) { duplicates += 1 }
      // What was refused for its credential was not done (RFC 9110 §15.5.2).
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
    // Who was cut off may not have heard of it.
    if before.error == nil { addWish(of: before, attempt, gap) }
    guard let gap else { return }
    let place = min(retry, Self.retriesMax - 1)
    while gaps.count <= place { gaps.append(Distribution(exactMax: 10_000)) }
    gaps[place].add(gap)
  }

  /// Holds a retry against the `Retry-After` that it follows: a date is a moment, and seconds count
  /// from the answer's end (RFC 9110 §10.2.3).
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
