/// How soon calls succeed again once the weather has cleared: after the last end of a scenario's time
/// windows.
///
/// Only the first calls after it matter. As many are kept as can be the first of all whatever order they
/// came in, so that tallies merge exactly.
struct RecoveryTally: Sendable, Hashable {
  /// So many calls are looked at; who has not recovered by then has not.
  static let callsMax = 1000
  /// So many successes in a row are a recovery, and not a lucky one.
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
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] < end { low = middle + 1 } else { high = middle }
    }
    ends.insert(end, at: low)
    if ends.count > Self.callsMax { ends.removeLast() }
  }

  /// When the first call succeeded.
  var first: Duration? { ends.first { $0.isSuccess }?.at }

  /// When so many had succeeded in a row.
  var steady: Duration? {
    var count = 0
    for end in ends {
      count = end.isSuccess ? count + 1 : 0
      if count == Self.row { return end.at }
    }
    return nil
  }
}
