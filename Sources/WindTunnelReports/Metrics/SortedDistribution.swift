/// A distribution that is asked for ranks, with its values in order.
struct SortedDistribution {
  let count: Int
  private let form: Form

  private enum Form {
    case values([UInt64])
    /// Values with how many there are up to and with each.
    case cumulated([(value: UInt64, through: Int)])
  }

  init(_ distribution: Distribution) {
    count = distribution.count
    let steps = distribution.steps
    if distribution.isExact {
      form = .values(steps.map(\.value))
    } else {
      var through = 0
      form = .cumulated(
        steps.map { step in
          through += step.count
          return (step.value, through)
        }
      )
    }
  }

  /// The value at a rank, counted from one.
  func value(atRank rank: Int) -> Duration? {
    guard 1...max(1, count) ~= rank, count > 0 else { return nil }
    switch form {
    case .values(let values): return .microseconds(Int64(clamping: values[rank - 1]))
    case .cumulated(let steps):
      var (low, high) = (0, steps.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if steps[middle].through < rank { low = middle + 1 } else { high = middle }
      }
      return .microseconds(Int64(clamping: steps[low].value))
    }
  }

  /// The nearest-rank percentile.
  func percentile(_ share: Double) -> Duration? {
    Statistics.rank(share, of: count).flatMap { value(atRank: $0) }
  }

  /// A percentile with its 95 % interval by order statistics.
  func quantile(_ share: Double) -> Metrics.Quantile? {
    guard let value = percentile(share) else { return nil }
    let ranks = Statistics.rankInterval(share, of: count)
    return Metrics.Quantile(
      value: value,
      lower: ranks?.lower.flatMap { self.value(atRank: $0) },
      upper: ranks?.upper.flatMap { self.value(atRank: $0) }
    )
  }

  /// The standard deviation over the mean; `nil` of fewer than two, or where all are nothing.
  var variation: Double? {
    guard count > 1 else { return nil }
    let steps: [(value: UInt64, count: Int)]
    switch form {
    case .values(let values): steps = values.map { ($0, 1) }
    case .cumulated(let cumulated):
      var before = 0
      steps = cumulated.map { step in
        defer { before = step.through }
        return (step.value, step.through - before)
      }
    }
    let n = Double(count)
    let mean = steps.reduce(0.0) { $0 + Double($1.value) * Double($1.count) } / n
    guard mean > 0 else { return nil }
    let squares = steps.reduce(0.0) { sum, step in
      let away = Double(step.value) - mean
      return sum + away * away * Double(step.count)
    }
    return (squares / (n - 1)).squareRoot() / mean
  }
}
