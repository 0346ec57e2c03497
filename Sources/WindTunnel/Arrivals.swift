/// A request's key in a lane: whose counter it is.
struct LaneKey: Hashable {
  var lane: Lane
  var key: String
}

/// How many requests of each key came in each lane, and which are being carried.
struct Arrivals: Sendable {
  /// The requests of one key in one lane.
  private struct Tally: Sendable {
    /// How many came so far.
    var count = 0
    /// The outcomes that are being carried.
    var inFlight: [Int] = []
  }

  /// Who is in flight beside one that arrives.
  enum Others: Sendable, Hashable {
    case none
    case one(Int)
    case several
  }

  private var places: [LaneKey: Int] = [:]
  private var tallies: [Tally] = []
  /// Where each outcome counts that is being carried: its end is told without its key.
  private var carried: [Int: Int] = [:]

  /// How many keys have been asked for, and how many outcomes are being carried.
  var keyCount: Int { tallies.count }
  var carriedCount: Int { carried.count }

  /// Counts one more that is not told to end, and answers its ordinal.
  mutating func count(_ key: LaneKey) -> Int {
    let place = place(of: key)
    tallies[place].count += 1
    return tallies[place].count
  }

  /// Counts one more and answers its ordinal and who is in flight beside it.
  mutating func arrive(_ id: Int, _ key: LaneKey) -> (ordinal: Int, others: Others) {
    let place = place(of: key)
    carried[id] = place
    return Self.arrive(id, &tallies[place])
  }

  private static func arrive(_ id: Int, _ tally: inout Tally) -> (ordinal: Int, others: Others) {
    let others: Others =
      switch tally.inFlight.count {
      case 0: .none
      case 1: .one(tally.inFlight[0])
      default: .several
      }
    tally.inFlight.append(id)
    tally.count += 1
    return (tally.count, others)
  }

  /// An outcome has come to its end; a courier that was stopped twice tells of it twice.
  mutating func end(_ id: Int) {
    guard let place = carried.removeValue(forKey: id) else { return }
    tallies[place].inFlight.removeAll { $0 == id }
  }

  private mutating func place(of key: LaneKey) -> Int {
    if let place = places[key] { return place }
    places[key] = tallies.count
    tallies.append(Tally())
    return tallies.count - 1
  }
}
