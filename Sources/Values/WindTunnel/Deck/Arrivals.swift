@_spi(WindTunnel) internal import WindTunnelCore

/// A request's key in a lane, which has a counter of its own.
struct LaneKey: Hashable {
  private var lane: Lane
  private var key: Fingerprint

  init(_ lane: Lane, _ key: Fingerprint) { (self.lane, self.key) = (lane, key) }

  func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    // All that most servers ever see is of this one, and hashing its name would tell nothing.
    if lane != .deck { hasher.combine(lane) }
  }
}

/// The number of requests of each key in each lane, and those that are being carried.
///
/// Of the keys that come after very many others only the last are remembered (``BoundedTable``):
/// one that was forgotten counts from one again.
struct Arrivals: Sendable {
  /// The requests of one key in one lane.
  private struct Tally: Sendable {
    /// The number of requests that came so far.
    var count = 0
    /// The outcome that is being carried; 0: none.
    var carried = 0
    /// The other outcomes that are being carried, of which there are seldom any.
    var more: [Int] = []

    var isCarrying: Bool { carried != 0 || !more.isEmpty }
  }

  /// The requests in flight beside one that arrives.
  enum Others: Sendable, Hashable {
    case none
    case one(Int)
    case several
  }

  /// The place of a request among those of its key and lane.
  struct Arrival: Sendable, Hashable {
    /// The request's ordinal within its key and lane, from 1.
    var ordinal: Int
    var others: Others
    /// The place where its end is noted, without its key.
    var slot: Int
  }

  private var tallies: BoundedTable<LaneKey, Tally>

  /// Begins without any request.
  init() { tallies = BoundedTable() }

  /// Begins without any request, and with room for so many keys.
  init(keeping keptMax: Int, passing passingMax: Int) {
    tallies = BoundedTable(keeping: keptMax, passing: passingMax)
  }

  /// The number of keys that are counted.
  var keyCount: Int { tallies.count }
  /// The number of outcomes that are being carried.
  var carriedCount: Int {
    tallies.values.reduce(0) { $0 + ($1.carried == 0 ? 0 : 1) + $1.more.count }
  }

  /// Counts one more whose end is not noted, and returns its ordinal.
  mutating func count(_ key: LaneKey) -> Int {
    let place = place(of: key)
    tallies[place].count += 1
    return tallies[place].count
  }

  /// Counts one more and returns its ordinal and what is in flight beside it.
  mutating func arrive(_ id: Int, _ key: LaneKey) -> Arrival {
    let place = place(of: key)
    let (ordinal, others) = Self.arrive(id, &tallies[place])
    return Arrival(ordinal: ordinal, others: others, slot: place)
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

  /// Notes the end of an outcome; a courier that was stopped twice notes it twice, and one
  /// that ends after everything began anew has no slot any more.
  mutating func end(_ id: Int, at slot: Int) {
    guard slot < tallies.count else { return }
    if tallies[slot].carried == id {
      tallies[slot].carried = 0
    } else if !tallies[slot].more.isEmpty {
      tallies[slot].more.removeAll { $0 == id }
    }
  }

  private mutating func place(of key: LaneKey) -> Int {
    tallies.place(of: key, or: Tally()) { $0.isCarrying }
  }
}
