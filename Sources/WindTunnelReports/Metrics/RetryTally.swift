/// How often calls were tried, and when.
struct RetryTally: Sendable, Hashable {
  /// So many calls whose attempts could be seen, of all that were not given up.
  var seen = 0
  var unseen = 0
  var attempts = 0
  var retries = 0
  var firstTry = 0
  var most = 0
  /// How many calls made so many retries, by that number.
  private(set) var calls: [Int] = []
  /// What the client says that it sent, where it says so.
  var clientSeen = 0
  var clientAttempts = 0
  private(set) var seconds = SecondCounts()
  /// How many retries began in each tenth of a second that has any.
  private(set) var slots: [Int: Int] = [:]

  /// A call with more retries counts as one with so many where calls are counted by retries.
  static let retriesMax = 100

  mutating func add(_ call: Observation) {
    if call.wasGivenUp { return }
    guard let count = call.attemptCount else {
      unseen += 1
      return
    }
    seen += 1
    attempts += count
    // A client that answered from elsewhere made no attempt, and no negative number of retries.
    let again = max(0, count - 1)
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
    addTimes(call, count)
  }

  private mutating func addTimes(_ call: Observation, _ count: Int) {
    if let start = call.intendedStart ?? call.start {
      seconds.add(count, at: start)
    }
    guard call.attempts.count > 1 else { return }
    for attempt in call.attempts.dropFirst() {
      guard let start = attempt.start else { continue }
      slots[Int(start.wholeMicroseconds / 100_000), default: 0] += 1
    }
  }

  mutating func merge(_ other: RetryTally) {
    seen += other.seen
    unseen += other.unseen
    attempts += other.attempts
    retries += other.retries
    firstTry += other.firstTry
    most = max(most, other.most)
    clientSeen += other.clientSeen
    clientAttempts += other.clientAttempts
    calls.merge(other.calls, empty: 0) { $0 + $1 }
    slots.merge(other.slots) { $0 + $1 }
    seconds.merge(other.seconds)
  }

  /// The retries that so large a share of the calls stay within, by nearest rank.
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

  /// How much the worst tenth of a second has of retries over what one has on average, from the first
  /// to the last that has any: 1 is an even flow, and much more a herd.
  var herdIndex: Double? {
    guard let first = slots.keys.min(), let last = slots.keys.max(), let peak = slots.values.max()
    else { return nil }
    let total = slots.values.reduce(0, +)
    return Double(peak) * Double(last - first + 1) / Double(total)
  }
}

extension Array {
  /// Joins element by element; the shorter one is followed by empty ones.
  mutating func merge(_ other: [Element], empty: Element, _ join: (Element, Element) -> Element) {
    if count < other.count { self += Array(repeating: empty, count: other.count - count) }
    for (place, element) in other.enumerated() { self[place] = join(self[place], element) }
  }
}
