internal import Foundation

extension Statistics {
  /// The probability that so many coins show heads at most so often.
  static func heads(atMost most: Int, of count: Int) -> Double {
    guard count > 0 else { return 1 }
    return min(1, (0...most).reduce(0.0) { $0 + binomial($1, of: count, 0.5) })
  }

  /// McNemar's test in its exact form: the probability that so many flips fall at least as unevenly
  /// as heads and tails do, two-sided. Of 1 and 9 it is 0.0215.
  static func mcNemar(_ lost: Int, _ won: Int) -> Double {
    let count = lost + won
    guard count > 0 else { return 1 }
    return min(1, 2 * heads(atMost: min(lost, won), of: count))
  }

  /// Wilcoxon's signed-rank test by the normal approximation, with ties given their average rank and
  /// the variance corrected for them: the two-sided probability of differences at least as one-sided
  /// where there is no shift. Differences of nothing are left out, as Wilcoxon (1945) does; `nil` of
  /// fewer than ten others.
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
