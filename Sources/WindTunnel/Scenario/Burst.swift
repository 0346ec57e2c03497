/// A chain of two states that takes a step with each request of a key in a lane (Gilbert 1960): faults
/// come in bursts of `1 / badToGood` requests on average, and `goodToBad / (goodToBad + badToGood)` of
/// all requests meet one.
public struct Burst: Sendable, Hashable {
  /// The probability that a good state is followed by a bad one, from 0 to 1.
  public var goodToBad: Double
  /// The probability that a bad state is followed by a good one, from 0 to 1.
  public var badToGood: Double

  /// Makes a chain.
  public init(goodToBad: Double, badToGood: Double) {
    (self.goodToBad, self.badToGood) = (goodToBad, badToGood)
  }

  /// The share of bad states in the long run, in which the chain starts; of one that never moves, none.
  public var badShare: Double {
    let moves = goodToBad + badToGood
    return moves > 0 ? goodToBad / moves : 0
  }

  /// Whether the state at an ordinal, counted from one, is the bad one.
  ///
  /// A pure function of the ordinal: it goes back to the last step whose draw says the state whatever
  /// it was before, and forward from there. That is few steps back, unless the chain hardly ever moves.
  func isBad(at ordinal: Int, _ draws: Draws) -> Bool {
    // A draw below both is followed by the bad state, one not below either by the good one. Between
    // them it keeps the state, or changes it where a bad state is the likelier one after a good one.
    let (fromGood, fromBad) = (goodToBad, 1 - badToGood)
    let (low, high) = (min(fromGood, fromBad), max(fromGood, fromBad))
    let flips = fromGood > fromBad
    var (place, changes) = (ordinal, false)
    while place > 1 {
      let draw = draws.unit(place)
      if draw < low { return !changes }
      if draw >= high { return changes }
      if flips { changes.toggle() }
      place -= 1
    }
    return (draws.unit(1) < badShare) != changes
  }
}
