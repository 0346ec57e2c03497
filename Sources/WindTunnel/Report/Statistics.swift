/// The statistics of a report, each by its published formula.
public enum Statistics {
  /// The lower bound of Wilson's 95 % interval for a share (Wilson 1927): 20 of 20 prove 0.839.
  public static func wilsonLower(_ successes: Int, of count: Int) -> Double? {
    guard count > 0 else { return nil }
    let z = 1.959_963_984_540_054
    let n = Double(count)
    let share = Double(successes) / n
    let centre = share + z * z / (2 * n)
    let spread = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    return max(0, (centre - spread) / (1 + z * z / n))
  }

  /// The nearest-rank percentile: the value at rank ⌈share·n⌉ of the sorted values, so always one
  /// that was observed.
  public static func percentile<Value: Comparable>(_ share: Double, ofSorted values: [Value])
    -> Value?
  {
    guard !values.isEmpty else { return nil }
    // The tolerance keeps 0.95·20 at rank 19 whatever its last binary digit says.
    let rank = (share * Double(values.count) - 1e-9).rounded(.up)
    return values[min(max(Int(rank), 1), values.count) - 1]
  }
}
