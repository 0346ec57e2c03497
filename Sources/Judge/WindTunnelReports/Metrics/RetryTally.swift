/// The numbers and times of the attempts of calls.
struct RetryTally: Sendable, Hashable {
  /// The numbers of calls with and without observed attempts, among all that were not cancelled.
  private(set) var seen = 0
  private(set) var unseen = 0
  /// The number of calls without observed attempts whose client reports their number, and the
  /// reported retries.
  private(set) var reported = 0
  private(set) var reportedRetries = 0
  private(set) var attempts = 0
  private(set) var retries = 0
  private(set) var firstTry = 0
  private(set) var most = 0
  /// The number of calls with a certain number of retries, indexed by that number.
  private(set) var calls: [Int] = []
  /// The numbers of requests of calls whose client reports them: as observed, and as reported.
  private(set) var clientSeen = 0
  private(set) var clientAttempts = 0
  /// The numbers of calls that began in each second of a scenario, and of their attempts.
  private var (callsBySecond, attemptsBySecond): ([Int: Int], [Int: Int]) = ([:], [:])
  /// The number of retries that began in each tenth of a second, if there were any.
  private var slots: [Int: Int] = [:]

  /// The maximum number of retries in `calls`. A call with more retries counts as one with this
  /// number.
  private static let retriesMax = 100

  mutating func add(_ call: Observation) {
    if call.wasGivenUp { return }
    guard let count = call.attemptCount else {
      unseen += 1
      if let client = call.clientAttempts {
        reported += 1
        reportedRetries += max(0, client - 1)
      }
      return
    }
    seen += 1
    attempts += count
    // A client that returned a result from another source made no attempt, which is not a negative
    // number of retries.
    let again = max(0, count - 1 - call.furtherRequests)
    retries += again
    most = max(most, again)
    let place = min(again, Self.retriesMax)
    if calls.count <= place { calls += Array(repeating: 0, count: place + 1 - calls.count) }
    calls[place] += 1
    if call.ending == .succeeded, count <= 1 { firstTry += 1 }
    if let client = call.clientAttempts {
      clientSeen += 1
      clientAttempts += client
    }
    if let start = call.intendedStart ?? call.start {
      let second = Int(start.components.seconds)
      callsBySecond[second, default: 0] += 1
      attemptsBySecond[second, default: 0] += count
    }
    for attempt in call.attempts.dropFirst() {
      guard let start = attempt.start else { continue }
      slots[Int(start.wholeMicroseconds / 100_000), default: 0] += 1
    }
  }

  mutating func merge(_ other: RetryTally) {
    for count in Self.counts { self[keyPath: count] += other[keyPath: count] }
    most = max(most, other.most)
    let missing = max(0, other.calls.count - calls.count)
    calls += repeatElement(0, count: missing)
    for (retries, count) in other.calls.enumerated() { calls[retries] += count }
    slots.merge(other.slots) { $0 + $1 }
    callsBySecond.merge(other.callsBySecond) { $0 + $1 }
    attemptsBySecond.merge(other.attemptsBySecond) { $0 + $1 }
  }

  private static let counts: [any WritableKeyPath<RetryTally, Int> & Sendable] = [
    \.seen, \.unseen, \.reported, \.reportedRetries, \.attempts, \.retries, \.firstTry,
    \.clientSeen, \.clientAttempts,
  ]

  /// Returns a percentile of the number of retries of a call, by nearest rank.
  func percentile(_ share: Double) -> Int? {
    guard let rank = Statistics.rank(share, of: seen) else { return nil }
    var through = 0
    for (retries, count) in calls.enumerated() {
      through += count
      if through >= rank { return retries }
    }
    return most
  }

  /// The number of attempts per call, for the calls that began in the worst second.
  var worstSecond: Double? {
    callsBySecond.map { Double(attemptsBySecond[$0] ?? 0) / Double($1) }.max()
  }

  /// The retries in the worst tenth of a second, divided by the average of all tenths.
  ///
  /// The average is from the first to the last tenth with retries. 1 means an even flow, and a much
  /// larger number a thundering herd.
  var herdIndex: Double? {
    guard let first = slots.keys.min(), let last = slots.keys.max(), let peak = slots.values.max()
    else { return nil }
    let total = slots.values.reduce(0, +)
    return Double(peak) * Double(last - first + 1) / Double(total)
  }
}

extension Observation {
  /// The number of requests after the first that are for another URL or follow a redirect.
  fileprivate var furtherRequests: Int {
    guard attempts.count > 1 else { return 0 }
    var (keys, isRedirected, further): (Set<String>, Bool, Int) = ([], false, 0)
    for attempt in attempts where attempt.isRequest {
      let isNew = keys.insert(attempt.key).inserted
      if isNew ? keys.count > 1 : isRedirected { further += 1 }
      isRedirected =
        attempt.error == nil && [301, 302, 303, 307, 308].contains(attempt.status ?? 0)
    }
    return further
  }
}
