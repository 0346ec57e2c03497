/// The interval of a ratio of two percentiles, by drawing the calls again and again (Efron 1979),
/// from a seed: the same report has the same interval on every machine.
struct Bootstrap {
  let seed: UInt64

  /// The number of times that the calls are drawn again, if they are few; the bounds lie at ranks
  /// 10 and 390.
  private static let rounds = 400
  /// With more calls an interval by the percentiles' own order statistics is as narrow, and
  /// quicker.
  private static let callsMax = 20_000
  /// Fewer calls have no 95th percentile to speak of.
  private static let callsMin = 20

  /// Works a ratio out.
  ///
  /// - Parameters:
  ///   - share: Which percentile.
  ///   - now: The values above the line.
  ///   - before: The values below it.
  ///   - arePaired: Whether those of one place belong together: then both of a pair are drawn at
  ///     once.
  /// - Returns: The ratio and its interval; `nil` of too few values.
  func ratio(_ share: Double, _ now: [Int64], _ before: [Int64], arePaired: Bool)
    -> BaselineComparison.Ratio?
  {
    guard now.count >= Self.callsMin, before.count >= Self.callsMin else { return nil }
    let (nows, befores) = (RankedValues(now), RankedValues(before))
    let value =
      nows.percentile(share, of: Array(now.indices))
      / befores.percentile(share, of: Array(before.indices))
    guard now.count <= Self.callsMax, before.count <= Self.callsMax else {
      // From the lowest that the one may be over the highest that the other may be to the contrary.
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

/// Values that are drawn by their places and asked for a percentile of what was drawn.
private struct RankedValues {
  private let sorted: [Double]
  /// The rank of each value by its place.
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
    // High percentiles are asked for, so from the top.
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
