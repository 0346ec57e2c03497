/// The interval of a ratio of two percentiles, by resampling the calls (Efron 1979) from a seed.
/// The same report has the same interval on every machine.
struct Bootstrap {
  let seed: UInt64

  /// The number of resamples for few calls. The bounds are at ranks 10 and 390.
  private static let rounds = 400
  /// The maximum number of calls for resampling. With more calls, an interval by the percentiles'
  /// own order statistics is as narrow and faster.
  private static let callsMax = 20_000
  /// The minimum number of calls for a meaningful 95th percentile.
  private static let callsMin = 20

  /// Calculates the ratio of a percentile.
  ///
  /// - Parameters:
  ///   - share: The share of the percentile.
  ///   - now: The values of the numerator.
  ///   - before: The values of the denominator.
  ///   - arePaired: Whether the values at the same index are pairs, which are then drawn together.
  /// - Returns: The ratio and its interval; `nil` if there are too few values.
  func ratio(_ share: Double, _ now: [Int64], _ before: [Int64], arePaired: Bool)
    -> BaselineComparison.Ratio?
  {
    guard now.count >= Self.callsMin, before.count >= Self.callsMin else { return nil }
    let (nows, befores) = (RankedValues(now), RankedValues(before))
    let value =
      nows.percentile(share, of: Array(now.indices))
      / befores.percentile(share, of: Array(before.indices))
    guard now.count <= Self.callsMax, before.count <= Self.callsMax else {
      // From the lowest numerator over the highest denominator to the opposite.
      let (top, bottom) = (nows.interval(share), befores.interval(share))
      return .init(value: value, lower: top.lower / bottom.upper, upper: top.upper / bottom.lower)
    }
    let draws = Draws(seed: seed, key: "bootstrap", ordinal: now.count)
    var next = 0
    func draw(_ count: Int) -> [Int] {
      (0..<count).map { _ in
        next += 1
        return Int(draws.unit(next) * Double(count))
      }
    }
    let ratios = (0..<Self.rounds).map { _ -> Double in
      let first = draw(now.count)
      let second = arePaired ? first : draw(before.count)
      return nows.percentile(share, of: first) / befores.percentile(share, of: second)
    }.sorted()
    return .init(value: value, lower: ratios[9], upper: ratios[Self.rounds - 11])
  }
}

/// Values that are drawn by their indices, for percentiles of the drawn values.
private struct RankedValues {
  private let sorted: [Double]
  /// The rank of each value, by its index.
  private let ranks: [Int]

  init(_ values: [Int64]) {
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    sorted = order.map { Double(max(1, values[$0])) }
    var ranks = Array(repeating: 0, count: values.count)
    for (rank, place) in order.enumerated() { ranks[place] = rank }
    self.ranks = ranks
  }

  func percentile(_ share: Double, of drawn: [Int]) -> Double {
    var counts = Array(repeating: 0, count: sorted.count)
    for place in drawn { counts[ranks[place]] += 1 }
    let rank = Statistics.rank(share, of: drawn.count) ?? 1
    // Percentiles here are high, so the search begins at the top.
    var above = drawn.count - rank
    for place in sorted.indices.reversed() {
      above -= counts[place]
      if above < 0 { return sorted[place] }
    }
    return sorted[0]
  }

  func interval(_ share: Double) -> (lower: Double, upper: Double) {
    let ranks = Statistics.rankInterval(share, of: sorted.count)
    return (sorted[(ranks?.lower ?? 1) - 1], sorted[(ranks?.upper ?? sorted.count) - 1])
  }
}
