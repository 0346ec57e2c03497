extension FindingRule {
  /// Retries follow each other without a pause.
  static let noBackOff = FindingRule(
    "no-back-off",
    .error,
    "Tries again and again without a pause.",
    condition: "a call tried the same at least four times",
    cost: "What a server needs to recover is time, and it gets load in its place.",
    remedy:
      "Double the wait from attempt to attempt, with a random part; the first may be at once.",
    source: "AWS Architecture Blog, Exponential Backoff and Jitter (2015); RFC 8961 §4",
    scope: .call([.many, .repeats]) { call in
      let row = call.longestRow
      guard row.count >= leastRow else { return .notMet }
      let starts = row.compactMap { call.attempts[$0].start }
      guard starts.count == row.count else { return .notMet }
      let gaps = zip(row, row.dropFirst()).compactMap { call.gap($0, $1) }
      if let most = gaps.max(), most < pause {
        return .broken(
          Violation("It tried \(row.count) times and never waited more than \(Figures.time(most)).")
        )
      }
      let first = starts.indices.dropLast(burst - 1).first {
        starts[$0 + burst - 1] - starts[$0] < .seconds(1)
      }
      guard let first else { return .kept }
      let time = starts[first + burst - 1] - starts[first]
      return .broken(Violation("It tried \(burst) times within \(Figures.time(time))."))
    }
  )

  /// Fewer attempts may all be at once: one retry is common, and some clients re-send twice.
  private static let leastRow = 4
  /// Less is no pause.
  private static let pause = Duration.milliseconds(100)
  /// So many attempts in a second are a burst, whatever lies between them.
  private static let burst = 5
}
