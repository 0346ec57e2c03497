/// A request's key in a lane: whose counter it is.
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

/// How many requests of each key came in each lane, and which are being carried.
///
/// Of the keys that come after very many others only the last are remembered (``KeptTable``): one
/// that was forgotten counts from one again.
struct Arrivals: Sendable {
  /// The requests of one key in one lane.
  private struct Tally: Sendable {
    /// How many came so far.
    var count = 0
    /// The outcome that is being carried; 0: none.
    var carried = 0
    /// What is carried beside it, which is seldom anything.
    var more: [Int] = []

    var isCarrying: Bool { carried != 0 || !more.isEmpty }
  }

  /// Who is in flight beside one that arrives.
  enum Others: Sendable, Hashable {
    case none
    case one(Int)
    case several
  }

  /// What one that arrives is told.
  struct Arrival: Sendable, Hashable {
    /// The how-manieth of its key in its lane it is, counted from one.
    var ordinal: Int
    var others: Others
    /// The place where its end is told, without its key.
    var slot: Int
  }

  private var tallies: KeptTable<LaneKey, Tally>

  /// Begins with nobody.
  init() { tallies = KeptTable() }

  /// Begins with nobody, and with room for so many keys.
  init(keeping keptMax: Int, passing passingMax: Int) {
    tallies = KeptTable(keeping: keptMax, passing: passingMax)
  }

  /// How many keys are counted, and how many outcomes are being carried.
  var keyCount: Int { tallies.count }
  var carriedCount: Int {
    tallies.values.reduce(0) { $0 + ($1.carried == 0 ? 0 : 1) + $1.more.count }
  }

  /// Counts one more that is not told to end, and answers its ordinal.
  mutating func count(_ key: LaneKey) -> Int {
    let place = place(of: key)
    tallies[place].count += 1
    return tallies[place].count
  }

  /// Counts one more and answers its ordinal and who is in flight beside it.
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

  /// An outcome has come to its end; a courier that was stopped twice tells of it twice, and one
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
