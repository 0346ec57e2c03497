@_spi(WindTunnel) internal import WindTunnelCore

/// A request's key in a lane, which has its own counter.
struct LaneKey: Hashable {
  private var lane: Lane
  private var key: Fingerprint

  init(_ lane: Lane, _ key: Fingerprint) { (self.lane, self.key) = (lane, key) }

  func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    // Most servers only have this lane, and hashing its name would add nothing.
    if lane != .deck { hasher.combine(lane) }
  }
}

/// The number of requests of each key in each lane, and the requests that are running.
///
/// Beyond a large number of keys only the last ones are kept (``BoundedTable``). A key that was
/// removed counts from 1 again.
struct Arrivals: Sendable {
  /// The requests of one key in one lane.
  private struct Tally: Sendable {
    /// The number of requests so far.
    var count = 0
    /// The number of a running outcome; 0 for none.
    var carried = 0
    /// The numbers of the other running outcomes, which are rare.
    var more: [Int] = []

    var isCarrying: Bool { carried != 0 || !more.isEmpty }
  }

  /// The requests that are running when another one arrives.
  enum Others: Sendable, Hashable {
    case none
    case one(Int)
    case several
  }

  /// The ordinal of a request, and the concurrent requests of its key and lane.
  struct ArrivalPosition: Sendable, Hashable {
    /// The request's ordinal within its key and lane, from 1.
    var ordinal: Int
    var others: Others
    /// The index at which its end is recorded, without its key.
    var slot: Int
  }

  private var tallies: BoundedTable<LaneKey, Tally>

  /// Creates a table without requests.
  init() { tallies = BoundedTable() }

  /// Creates a table without requests, with a limited number of keys.
  init(keeping keptMax: Int, passing passingMax: Int) {
    tallies = BoundedTable(keeping: keptMax, passing: passingMax)
  }

  /// The number of keys that are counted.
  var keyCount: Int { tallies.count }
  /// The number of outcomes that are running.
  var carriedCount: Int {
    tallies.values.reduce(0) { $0 + ($1.carried == 0 ? 0 : 1) + $1.more.count }
  }

  /// Counts a request whose end is not recorded, and returns its ordinal.
  mutating func count(_ key: LaneKey) -> Int {
    let place = place(of: key)
    tallies[place].count += 1
    return tallies[place].count
  }

  /// Counts a request, and returns its ordinal and the running requests. The slot of an earlier
  /// request with the key saves a search.
  mutating func arrive(_ id: Int, _ key: LaneKey, likely: Int? = nil) -> ArrivalPosition {
    let place = place(of: key, likely: likely)
    let (ordinal, others) = Self.arrive(id, &tallies[place])
    return ArrivalPosition(ordinal: ordinal, others: others, slot: place)
  }

  private static func arrive(_ id: Int, _ tally: inout Tally) -> (ordinal: Int, others: Others) {
    tally.count += 1
    guard tally.isCarrying else {
      tally.carried = id
      return (tally.count, .none)
    }
    let isOne = tally.carried == 0 ? tally.more.count == 1 : tally.more.isEmpty
    let others: Others = isOne ? .one(tally.carried == 0 ? tally.more[0] : tally.carried) : .several
    tally.more.append(id)
    return (tally.count, others)
  }

  /// Records the end of an outcome.
  ///
  /// A courier that was stopped twice calls this twice. An outcome that ends after a reset has no
  /// slot any more.
  mutating func end(_ id: Int, at slot: Int) {
    guard slot < tallies.count else { return }
    if tallies[slot].carried == id {
      tallies[slot].carried = 0
    } else if !tallies[slot].more.isEmpty {
      tallies[slot].more.removeAll { $0 == id }
    }
  }

  private mutating func place(of key: LaneKey, likely: Int? = nil) -> Int {
    tallies.place(of: key, likely: likely, or: Tally()) { $0.isCarrying }
  }
}
