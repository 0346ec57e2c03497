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
  private var seconds = SecondCounts()
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
    if let start = call.intendedStart ?? call.start { seconds.add(count, at: start) }
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
    seconds.merge(other.seconds)
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
  var worstSecond: Double? { seconds.worst }

  /// The retries in the worst tenth of a second, divided by the average from the first to the last
  /// with retries. 1 means an even flow, and a much larger number a thundering herd.
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

/// The number of calls that began in each second of a scenario, and of their attempts.
private struct SecondCounts: Sendable, Hashable {
  private struct Second: Sendable, Hashable {
    var calls = 0
    var attempts = 0

    mutating func add(_ other: Second) {
      calls += other.calls
      attempts += other.attempts
    }
  }

  /// The number of seconds that are stored in an array, which is more than an hour. Most calls
  /// begin within it.
  private static let rowMax = 4096

  /// The seconds up to the last one with a call.
  private var row: [Second] = []
  /// The later seconds. The number of entries is at most that of calls, even if a file has extreme
  /// times.
  private var others: [Int: Second] = [:]

  mutating func add(_ attempts: Int, at start: Duration) {
    add(Second(calls: 1, attempts: attempts), at: Int(start.components.seconds))
  }

  mutating func merge(_ other: SecondCounts) {
    for (second, count) in other.row.enumerated() { add(count, at: second) }
    for (second, count) in other.others { add(count, at: second) }
  }

  private mutating func add(_ count: Second, at second: Int) {
    guard 0..<Self.rowMax ~= second else {
      others[second, default: Second()].add(count)
      return
    }
    if row.count <= second { row += Array(repeating: Second(), count: second + 1 - row.count) }
    row[second].add(count)
  }

  /// The maximum number of attempts per call in any second with calls.
  var worst: Double? {
    let seconds = row.filter { $0.calls > 0 } + Array(others.values)
    return seconds.map { Double($0.attempts) / Double($0.calls) }.max()
  }
}
