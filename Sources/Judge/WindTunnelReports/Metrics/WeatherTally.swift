/// The faults that calls met, and what came to the surface of them.
struct WeatherTally: Sendable, Hashable {
  /// A fault with the end of a call that met it, or with the reason why it was not done.
  private struct Case: Sendable, Hashable, Comparable {
    var fault: String
    var words: String

    static func < (one: Self, other: Self) -> Bool {
      (one.fault, one.words) < (other.fault, other.words)
    }
  }

  /// The number of calls with each fault and end; a call counts once with each fault that it met,
  /// and one that met none with ``none``.
  private var surfaced = BoundedCounts<Case>()
  /// The number of times that each fault fired.
  private var fired = BoundedCounts<String>()
  /// The number of times that it did in an attempt which was followed by another, or by a failure;
  /// those of an app's start are followed by the call's own.
  private var noticed = BoundedCounts<String>()
  /// The number of attempts in which each was decided and not done, by name and reason.
  private var undone = BoundedCounts<Case>()
  /// Most calls meet nothing and succeed: they are counted without a look at their names.
  private var plain = 0
  private(set) var met = 0
  private(set) var recovered = 0
  /// Calls that failed though they met nothing, and had not been answered with a recorded error.
  private(set) var unexpected = 0
  /// From the beginning of the last attempt that met a fault to the success.
  private(set) var recovery = Distribution(exactMax: 10_000)

  private static let none = "none"
  private static let unseen = "unseen"
  /// The name that stands for all that are not counted by their own.
  private static let others = "others"
  /// The longest text of an end that is told apart.
  private static let charactersMax = 80

  mutating func add(_ call: Observation) {
    if call.ending == .succeeded, call.attemptCount != nil,
      call.attempts.indices.allSatisfy({ call.attempts[$0].decision.metNothing }),
      call.startAttempts.allSatisfy(\.decision.metNothing)
    {
      plain += 1
      return
    }
    var all: [String] = []
    // What came of the faults of an app's start is no recovery: nothing was tried again for them.
    _ = count(call.startAttempts, in: &all) { _ in
      !call.attempts.isEmpty || call.ending != .succeeded
    }
    let last = count(call.attempts, in: &all) { place in
      place < call.attempts.count - 1 || call.ending != .succeeded
    }
    if let last {
      met += 1
      if call.ending == .succeeded {
        if call.attempts.count > 1 { recovered += 1 }
        if let end = call.end, let start = call.attempts[last].start { recovery.add(end - start) }
      }
    } else if all.isEmpty {
      // What nobody could see may have been anything.
      all = [call.attemptCount == nil ? Self.unseen : Self.none]
      // An error that was recorded is what the client was to meet.
      let isRecorded = (call.attempts.last?.status ?? 0) >= 400
      if call.ending != .succeeded, !call.wasGivenUp, !isRecorded { unexpected += 1 }
    }
    let end = Self.words(call)
    for fault in all { surfaced.add(Case(fault: fault, words: end)) }
  }

  /// Counts the faults of attempts, adds each once to a list, and returns the place of the last
  /// attempt that met one.
  private mutating func count(
    _ attempts: [Observation.Attempt],
    in all: inout [String],
    isNoticed: (Int) -> Bool
  ) -> Int? {
    var last: Int?
    for place in attempts.indices where !attempts[place].decision.metNothing {
      for one in attempts[place].undone { undone.add(Case(fault: one.fault, words: one.reason)) }
      for fault in attempts[place].faults {
        last = place
        fired.add(fault)
        if isNoticed(place) { noticed.add(fault) }
        if !all.contains(fault) { all.append(fault) }
      }
    }
    return last
  }

  /// Returns the end of a call, as the matrix has it.
  private static func words(_ call: Observation) -> String {
    guard let reason = call.ending.reason else { return call.ending.word }
    if call.cancellation != nil { return "given up" }
    // No text has more characters than bytes.
    return reason.utf8.count <= charactersMax ? reason : String(reason.prefix(charactersMax))
  }

  mutating func merge(_ other: WeatherTally) {
    surfaced.merge(other.surfaced)
    fired.merge(other.fired)
    noticed.merge(other.noticed)
    undone.merge(other.undone)
    plain += other.plain
    met += other.met
    recovered += other.recovered
    unexpected += other.unexpected
    recovery.merge(other.recovery)
  }

  var allFired: [Metrics.Fired] {
    var all = fired.named.map { name, count in
      Metrics.Fired(fault: name, attempts: count, noticed: noticed.named[name] ?? 0)
    }
    all.sort { $0.fault < $1.fault }
    if fired.others > 0 {
      all.append(.init(fault: Self.others, attempts: fired.others, noticed: noticed.others))
    }
    return all
  }

  /// Those that were decided and not done, in the order of their names; more than are counted by
  /// name are not told.
  var allUndone: [Metrics.Undone] {
    undone.named.sorted { $0.key < $1.key }.map { one, count in
      Metrics.Undone(fault: one.fault, reason: one.words, attempts: count)
    }
  }

  var allSurfaced: [Metrics.Surfaced] {
    var all = surfaced.named.map { one, count in
      Metrics.Surfaced(fault: one.fault, ending: one.words, calls: count)
    }
    if plain > 0 { all.append(.init(fault: Self.none, ending: "succeeded", calls: plain)) }
    all.sort { ($0.fault, $0.ending) < ($1.fault, $1.ending) }
    if surfaced.others > 0 {
      all.append(.init(fault: Self.others, ending: Self.others, calls: surfaced.others))
    }
    return all
  }
}

/// The counts of names, where nobody knows how many names there will be.
///
/// Beyond a bound only those that come first in the alphabet are counted by name. A name that has
/// once been left out can never be among them again, so what is kept is counted whole, and the
/// counts are the same in whatever order they came and were merged.
struct BoundedCounts<Name: Sendable & Hashable & Comparable>: Sendable, Hashable {
  /// The greatest number of names that are kept.
  static var namesMax: Int { 200 }

  private(set) var named: [Name: Int] = [:]
  private(set) var total = 0

  /// The count of names that are not kept.
  var others: Int { total - named.values.reduce(0, +) }

  mutating func add(_ name: Name, _ times: Int = 1) {
    total += times
    if let count = named[name] {
      named[name] = count + times
      return
    }
    named[name] = times
    if named.count > Self.namesMax, let last = named.keys.max() { named[last] = nil }
  }

  mutating func merge(_ other: BoundedCounts) {
    let left = other.others
    for (name, count) in other.named { add(name, count) }
    total += left
  }
}

/// The time until calls succeed again once the weather has cleared: after the last end of a
/// scenario's time windows.
///
/// Only the first calls after it matter. As many are kept as can be the first of all whatever order
/// they came in, so that tallies merge exactly.
struct RecoveryTally: Sendable, Hashable {
  /// The number of calls in which a recovery is looked for; a client without one by then has not
  /// recovered.
  static let callsMax = 1000
  /// The number of successes in a row that are a recovery, and not a lucky one.
  static let row = 5

  private struct End: Sendable, Hashable, Comparable {
    var at: Duration
    var call: Int
    var isSuccess: Bool

    static func < (one: End, other: End) -> Bool {
      (one.at, one.call) < (other.at, other.call)
    }
  }

  /// In the order of their ends.
  private var ends: [End] = []

  mutating func add(_ call: Observation) {
    guard let at = call.afterWindow, !call.wasGivenUp else { return }
    insert(End(at: at, call: call.call, isSuccess: call.ending == .succeeded))
  }

  mutating func merge(_ other: RecoveryTally) { for end in other.ends { insert(end) } }

  private mutating func insert(_ end: End) {
    if ends.count == Self.callsMax, let last = ends.last, last < end { return }
    ends.insert(end, at: ends.countOfFirst { $0 < end })
    if ends.count > Self.callsMax { ends.removeLast() }
  }

  /// The moment at which the first call succeeded.
  var first: Duration? { ends.first { $0.isSuccess }?.at }

  /// The moment at which so many had succeeded in a row.
  var steady: Duration? {
    var count = 0
    for end in ends {
      count = end.isSuccess ? count + 1 : 0
      if count == Self.row { return end.at }
    }
    return nil
  }
}
