/// The retransmission timeout by RFC 6298, as Linux computes it.
///
/// The variation follows the largest deviation at once, and decreases by a quarter per round trip.
/// Its minimum is 200 ms.
struct RoundTripEstimator: Sendable, Hashable {
  static let variationLeast = 200_000
  /// The part of a round trip that both hosts take in addition to the link, in microseconds.
  ///
  /// It matters if the link's time alone would be a whole number of jiffies. A real kernel never
  /// measures that, so its timer is one jiffy longer.
  static let hostTime = 200
  /// The timeout before the first sample (RFC 6298 §2.1).
  static let initialTimeout = 1_000_000

  /// Eight times the smoothed round trip; 0 before the first sample.
  private(set) var smoothed8 = 0
  private var deviation4 = 0
  private var deviationMost4 = 0
  private(set) var variation = 0
  /// The segment whose acknowledgement begins the next round trip.
  private var roundEnd = 0
  /// The minimum of all samples.
  private(set) var least = Int.max

  var hasSample: Bool { smoothed8 > 0 }
  var smoothed: Int { smoothed8 / 8 }

  /// The timeout in jiffies, without backoff.
  var timeout: Int {
    guard hasSample else { return KernelTimer.jiffies(Self.initialTimeout) }
    return KernelTimer.jiffies(smoothed + variation)
  }

  mutating func add(_ sample: Int, least candidate: Int, acknowledged: Int, next: Int) {
    least = min(least, max(1, candidate))
    let sample = max(1, sample) + Self.hostTime
    guard hasSample else {
      smoothed8 = sample * 8
      deviation4 = sample * 2
      variation = max(deviation4, Self.variationLeast)
      deviationMost4 = variation
      roundEnd = next
      return
    }
    var error = sample - smoothed
    smoothed8 = max(1, smoothed8 + error)
    if error < 0 {
      error = -error - deviation4 / 4
      // A shorter round trip indicates little about the next one.
      if error > 0 { error /= 8 }
    } else {
      error -= deviation4 / 4
    }
    deviation4 += error
    if deviation4 > deviationMost4 {
      deviationMost4 = deviation4
      variation = max(variation, deviationMost4)
    }
    if acknowledged > roundEnd {
      if deviationMost4 < variation { variation -= (variation - deviationMost4) / 4 }
      roundEnd = next
      deviationMost4 = Self.variationLeast
    }
  }
}
