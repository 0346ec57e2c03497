/// The faults that calls met, and their effects.
struct WeatherTally: Sendable, Hashable {
  /// A fault with the ending of a call that met it, or with the reason why it was not applied.
  private struct Case: Sendable, Hashable, Comparable {
    var fault: String
    var words: String

    static func < (one: Self, other: Self) -> Bool {
      (one.fault, one.words) < (other.fault, other.words)
    }
  }

  /// The number of calls with each fault and ending. A call counts once for each fault that it met,
  /// or for `none` if it met no fault.
  private var surfaced = BoundedCounts<Case>()
  /// The number of times that each fault fired.
  private var fired = BoundedCounts<String>()
  /// The number of times that each fault fired in an attempt before another attempt or a failure.
  /// The attempts of an app's start precede the call's own.
  private var noticed = BoundedCounts<String>()
  /// The number of attempts in which each fault was decided but not applied, by name and reason.
  private var undone = BoundedCounts<Case>()
  /// The number of calls that met no fault and succeeded. These are most calls, and their names are
  /// not read.
  private var plain = 0
  private(set) var met = 0
  private(set) var recovered = 0
  /// The number of calls that failed without a fault or a recorded error.
  private(set) var unexpected = 0
  /// The time from the beginning of the last attempt with a fault to the success.
  private(set) var recovery = Distribution(exactMax: 10_000)

  private static let none = "none"
  private static let unseen = "unseen"
  /// The name for everything that is not counted by its own name.
  private static let others = "others"
  /// The maximum length of the text of an ending.
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
    // Success after faults of an app's start is not a recovery, because nothing was retried for
    // them.
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
      // Unobserved attempts may have met any fault.
      all = [call.attemptCount == nil ? Self.unseen : Self.none]
      // A recorded error is the expected result for the client.
      let isRecorded = (call.attempts.last?.status ?? 0) >= 400
      if call.ending != .succeeded, !call.wasGivenUp, !isRecorded { unexpected += 1 }
    }
    let end = Self.words(call)
    for fault in all { surfaced.add(Case(fault: fault, words: end)) }
  }

  /// Counts the faults of attempts, and adds each to a list once. Returns the index of the last
  /// attempt that met a fault.
  private mutating func count(
    _ attempts: [Observation.Attempt],
    in all: inout [String],
    isNoticed: (Int) -> Bool
  ) -> Int? {
    var last: Int?
    for place in attempts.indices where !attempts[place].decision.metNothing {
      for one in attempts[place].unappliedFaults {
        undone.add(Case(fault: one.fault, words: one.reason))
      }
      for fault in attempts[place].faults {
        last = place
        fired.add(fault)
        if isNoticed(place) { noticed.add(fault) }
        if !all.contains(fault) { all.append(fault) }
      }
    }
    return last
  }

  /// Returns the ending of a call as text for the matrix.
  private static func words(_ call: Observation) -> String {
    guard let reason = call.ending.reason else { return call.ending.word }
    if call.cancellation != nil { return "given up" }
    // A text never has more characters than bytes.
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

  /// The faults that were decided but not applied, ordered by name. Faults beyond the maximum
  /// number of names are omitted.
  var allUndone: [Metrics.UnappliedFault] {
    undone.named.sorted { $0.key < $1.key }.map { one, count in
      Metrics.UnappliedFault(fault: one.fault, reason: one.words, attempts: count)
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

/// The counts of names, with a maximum number of names.
///
/// Beyond the maximum, only the first names in alphabetical order are counted by name. A name that
/// was once omitted can never be among them again, so the counts of all remaining names are
/// complete. The counts do not depend on the order in which they were added and merged.
struct BoundedCounts<Name: Sendable & Hashable & Comparable>: Sendable, Hashable {
  /// The maximum number of names that are kept.
  static var namesMax: Int { 200 }

  private(set) var named: [Name: Int] = [:]
  private(set) var total = 0

  /// The sum of the counts of all other names.
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

/// The time until calls succeed again after the end of a scenario's last time window.
///
/// Only the first calls after it matter. The calls that can be the first in any order are kept, so
/// that tallies merge exactly.
struct RecoveryTally: Sendable, Hashable {
  /// The number of calls in which a recovery is searched for. A client without one by then has not
  /// recovered.
  static let callsMax = 1000
  /// The number of consecutive successes that count as a recovery, because fewer may be accidental.
  static let row = 5

  private struct CallEnd: Sendable, Hashable, Comparable {
    var at: Duration
    var call: Int
    var isSuccess: Bool

    static func < (one: CallEnd, other: CallEnd) -> Bool {
      (one.at, one.call) < (other.at, other.call)
    }
  }

  /// The ends of calls, in order.
  private var ends: [CallEnd] = []

  mutating func add(_ call: Observation) {
    guard let at = call.afterWindow, !call.wasGivenUp else { return }
    insert(CallEnd(at: at, call: call.call, isSuccess: call.ending == .succeeded))
  }

  mutating func merge(_ other: RecoveryTally) { for end in other.ends { insert(end) } }

  private mutating func insert(_ end: CallEnd) {
    if ends.count == Self.callsMax, let last = ends.last, last < end { return }
    ends.insert(end, at: ends.countOfFirst { $0 < end })
    if ends.count > Self.callsMax { ends.removeLast() }
  }

  /// The time at which the first call succeeded.
  var first: Duration? { ends.first { $0.isSuccess }?.at }

  /// The time at which that number of consecutive calls had succeeded.
  var steady: Duration? {
    var count = 0
    for end in ends {
      count = end.isSuccess ? count + 1 : 0
      if count == Self.row { return end.at }
    }
    return nil
  }
}
