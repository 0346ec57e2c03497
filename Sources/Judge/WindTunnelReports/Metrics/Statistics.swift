internal import Foundation

/// The statistics of a report, each by its published formula.
public enum Statistics {
  /// The 97.5 % quantile of the normal distribution.
  private static let z = 1.959_963_984_540_054

  /// Returns Wilson's 95 % interval for a share (Wilson 1927): 0.764 to 0.991 for 19 of 20.
  public static func wilson(_ successes: Int, of count: Int) -> (lower: Double, upper: Double)? {
    guard count > 0 else { return nil }
    let n = Double(count)
    let share = Double(successes) / n
    let centre = share + z * z / (2 * n)
    let spread = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    let whole = 1 + z * z / n
    return (max(0, (centre - spread) / whole), min(1, (centre + spread) / whole))
  }

  /// Returns the nearest-rank percentile: the value at rank ⌈share·n⌉ of the sorted values, which
  /// is always an observed value.
  public static func percentile<Value: Comparable>(_ share: Double, ofSorted values: [Value])
    -> Value?
  {
    rank(share, of: values.count).map { values[$0 - 1] }
  }

  /// Returns the rank ⌈share·n⌉, counted from one, or `nil` if there are no values.
  static func rank(_ share: Double, of count: Int) -> Int? {
    guard count > 0 else { return nil }
    // With the tolerance, 0.95·20 has rank 19 in spite of rounding errors.
    let rank = (share * Double(count) - 1e-9).rounded(.up)
    return min(max(Int(rank), 1), count)
  }

  /// Returns the ranks between which a percentile lies with 95 % confidence, for any distribution
  /// (Hahn and Meeker 1991, §5.2). For the 95th percentile of 200 values, they are 184 and 197. A
  /// bound that requires more values is `nil`; the upper bound of the 95th percentile requires 72.
  public static func rankInterval(_ share: Double, of count: Int) -> (lower: Int?, upper: Int?)? {
    guard count > 0, share > 0, share < 1 else { return nil }
    let n = Double(count)
    let deviation = (n * share * (1 - share)).squareRoot()
    // Values further out have probabilities too small for a `Double`.
    let first = max(0, Int(n * share - 12 * deviation) - 12)
    var (lower, upper): (Int?, Int?)
    var below = 0.0
    for value in first..<count {
      below += binomial(value, of: count, share)
      // `below` is the probability that at most `value` values are below the percentile, so that
      // the percentile is below the value of the next rank.
      if below <= 0.025 { lower = value + 1 }
      if below >= 0.975 {
        upper = value + 1
        break
      }
    }
    return (lower, upper)
  }

  /// Returns the probability of a number of hits in `count` tries.
  private static func binomial(_ hits: Int, of count: Int, _ share: Double) -> Double {
    guard share > 0 else { return hits == 0 ? 1 : 0 }
    guard share < 1 else { return hits == count ? 1 : 0 }
    let choices = logFactorial(count) - logFactorial(hits) - logFactorial(count - hits)
    return exp(choices + Double(hits) * log(share) + Double(count - hits) * log(1 - share))
  }

  /// Returns the logarithm of n!.
  static func logFactorial(_ n: Int) -> Double { lgamma(Double(n) + 1).0 }

  /// Returns the probability that a number of coins show heads at most `most` times.
  static func heads(atMost most: Int, of count: Int) -> Double {
    guard count > 0 else { return 1 }
    return min(1, (0...most).reduce(0.0) { $0 + binomial($1, of: count, 0.5) })
  }

  /// Returns the two-sided p-value of McNemar's exact test: the probability that coin flips are at
  /// least as uneven. For 1 and 9 it is 0.0215.
  static func mcNemar(_ lost: Int, _ won: Int) -> Double {
    let count = lost + won
    guard count > 0 else { return 1 }
    return min(1, 2 * heads(atMost: min(lost, won), of: count))
  }

  /// Returns the two-sided p-value of Wilcoxon's signed-rank test by the normal approximation. Ties
  /// have their average rank, and the variance is corrected for them. Differences of zero are
  /// omitted, as by Wilcoxon (1945). Returns `nil` if fewer than ten differences remain.
  static func wilcoxon(_ differences: [Double]) -> Double? {
    let sorted = differences.filter { $0 != 0 }.sorted { $0.magnitude < $1.magnitude }
    guard sorted.count >= 10 else { return nil }
    let n = Double(sorted.count)
    var (positive, ties) = (0.0, 0.0)
    var start = 0
    while start < sorted.count {
      var end = start
      while end < sorted.count, sorted[end].magnitude == sorted[start].magnitude { end += 1 }
      let rank = Double(start + 1 + end) / 2
      positive += rank * Double(sorted[start..<end].count { $0 > 0 })
      let size = Double(end - start)
      ties += size * size * size - size
      start = end
    }
    let mean = n * (n + 1) / 4
    let variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    guard variance > 0 else { return nil }
    return erfc(((positive - mean) / variance.squareRoot()).magnitude / 2.0.squareRoot())
  }
}
