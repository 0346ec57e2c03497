/// A request's key in a lane: whose counter it is.
struct LaneKey: Hashable {
  var lane: Lane
  var key: String
}

/// The requests of one key in one lane.
struct Arrivals: Sendable {
  /// How many came so far.
  var count = 0
  /// The outcomes that are being carried.
  var inFlight: [Int] = []

  /// Counts one more and answers its ordinal and who is in flight beside it.
  mutating func arrive(_ id: Int) -> (ordinal: Int, others: [Int]) {
    defer { inFlight.append(id) }
    count += 1
    return (count, inFlight)
  }
}
