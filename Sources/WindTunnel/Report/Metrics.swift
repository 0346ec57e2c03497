/// The figures of one subject in one scenario: a fold over observations.
///
/// What cannot be seen is `nil`, never zero.
public struct Metrics: Sendable, Hashable {
  /// How many calls were made.
  public var calls: Int
  /// The share of calls that succeeded.
  public var successRate: Double?
  /// The lower bound of its 95 % Wilson interval.
  public var successRateLower: Double?
  /// The share of calls that succeeded on the first attempt.
  public var firstTrySuccessRate: Double?
  /// Attempts beyond the first, a call.
  public var averageRetries: Double?
  /// The latency that half of the calls stay within, failed ones included.
  public var p50: Duration?
  /// The latency that 95 % of the calls stay within.
  public var p95: Duration?
  /// The latency that 99 % of the calls stay within.
  public var p99: Duration?
  /// The share of calls of critical endpoints that had nothing to show.
  public var blankPageRate: Double?
  /// How many calls the client's process died in.
  public var crashes: Int
  /// How many calls did not end.
  public var hangs: Int
  /// The latency that 90 % of the calls stay within.
  public var p90: Duration?
  /// The longest latency.
  public var max: Duration?
  /// How many calls of critical endpoints had nothing to show; `nil` where none is critical.
  public var blankPages: Int?

  /// Folds observations.
  public init(_ observations: [Observation]) {
    calls = observations.count
    let succeeded = observations.count { $0.ending == .succeeded }
    successRate = Self.share(succeeded, of: calls)
    successRateLower = Statistics.wilsonLower(succeeded, of: calls)
    let counts = observations.compactMap(\.attemptCount)
    if counts.count == calls, calls > 0 {
      // A client that answered from elsewhere made no attempt, and no negative number of retries.
      averageRetries = Double(counts.reduce(0) { $0 + Swift.max(0, $1 - 1) }) / Double(calls)
      firstTrySuccessRate = Self.share(
        observations.count { $0.ending == .succeeded && ($0.attemptCount ?? 0) <= 1 },
        of: calls
      )
    }
    let latencies = observations.map(\.latency).sorted()
    p50 = Statistics.percentile(0.50, ofSorted: latencies)
    p90 = Statistics.percentile(0.90, ofSorted: latencies)
    p95 = Statistics.percentile(0.95, ofSorted: latencies)
    p99 = Statistics.percentile(0.99, ofSorted: latencies)
    max = latencies.last
    let critical = observations.filter(\.isCritical)
    let blank = critical.count { !$0.showed }
    blankPageRate = Self.share(blank, of: critical.count)
    blankPages = critical.isEmpty ? nil : blank
    crashes = observations.count { $0.ending == .crashed }
    hangs = observations.count { $0.ending == .hung }
  }

  private static func share(_ part: Int, of whole: Int) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }
}
