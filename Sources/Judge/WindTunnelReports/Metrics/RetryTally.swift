/// The numbers and times of the attempts of calls.
struct RetryTally: Sendable, Hashable {
  /// The number of calls whose attempts could be observed, of all that were not cancelled.
  private(set) var seen = 0
  private(set) var unseen = 0
  /// The number of these whose client says how often it tried, and the retries by its word.
  private(set) var reported = 0
  private(set) var reportedRetries = 0
  private(set) var attempts = 0
  private(set) var retries = 0
  private(set) var firstTry = 0
  private(set) var most = 0
  /// The number of calls that made so many retries, by that number.
  private(set) var calls: [Int] = []
  /// The number of requests that the client says it sent, where it says so.
  private(set) var clientSeen = 0
  private(set) var clientAttempts = 0
  private var seconds = SecondCounts()
  /// The number of retries that began in each tenth of a second that has any.
  private var slots: [Int: Int] = [:]

  /// A call with more retries counts as one with so many where calls are counted by retries.
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
    // A client that answered from elsewhere made no attempt, and no negative number of retries.
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

  /// Returns the retries that so large a share of the calls stay within, by nearest rank.
  func percentile(_ share: Double) -> Int? {
    guard let rank = Statistics.rank(share, of: seen) else { return nil }
    var through = 0
    for (retries, count) in calls.enumerated() {
      through += count
      if through >= rank { return retries }
    }
    return most
  }

  /// The attempts a call in the worst second: of the calls that began in it.
  var worstSecond: Double? { seconds.worst }

  /// The retries of the worst tenth of a second over those of one on average, from the first to the
  /// last that has any: 1 is an even flow, and much more a herd.
  var herdIndex: Double? {
    guard let first = slots.keys.min(), let last = slots.keys.max(), let peak = slots.values.max()
    else { return nil }
    let total = slots.values.reduce(0, +)
    return Double(peak) * Double(last - first + 1) / Double(total)
  }
}

extension Observation {
  /// The number of requests behind the first that ask for something else or follow a redirect.
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

/// The calls that began in each second of a scenario, and the attempts that were made for them.
private struct SecondCounts: Sendable, Hashable {
  private struct Second: Sendable, Hashable {
    var calls = 0
    var attempts = 0

    mutating func add(_ other: Second) {
      calls += other.calls
      attempts += other.attempts
    }
  }

  /// More than an hour of seconds stands in a row, since most calls begin in one of them.
  private static let rowMax = 4096

  /// Up to the last that has any.
  private var row: [Second] = []
  /// No more of them than calls, whatever times a file tells.
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

  /// The attempts a call in the worst second that has any calls.
  var worst: Double? {
    let seconds = row.filter { $0.calls > 0 } + Array(others.values)
    return seconds.map { Double($0.attempts) / Double($0.calls) }.max()
  }
}
