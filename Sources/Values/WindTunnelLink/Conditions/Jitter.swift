/// The random variation of packets' delays.
public struct Jitter: Sendable, Hashable {
  /// The distribution of the variation.
  public enum Distribution: String, Sendable, Hashable, CaseIterable {
    /// A uniform distribution, with the length as the maximum in both directions.
    case even
    /// A normal distribution whose standard deviation is the length.
    case normal
  }

  /// The length of the variation.
  public var length: Duration
  /// The distribution of the variation.
  public var distribution: Distribution
  /// The correlation of one packet's variation with the next one's, from 0 to 1, as netem defines
  /// it: `x' = (1 − ρ)·u + ρ·x`.
  public var correlation: Double

  /// Creates a jitter from its length.
  public init(_ length: Duration, distribution: Distribution = .even, correlation: Double = 0) {
    (self.length, self.distribution, self.correlation) = (length, distribution, correlation)
  }
}

/// The variation of the delay of successive packets.
struct JitterChain: Sendable, Hashable {
  private let jitter: Jitter
  private let draws: Draws
  private let microseconds: Double
  private var packets = 0
  private var last: Double

  init(_ jitter: Jitter, _ draws: Draws) {
    self.jitter = jitter
    self.draws = draws
    microseconds = jitter.length.inMilliseconds * 1000
    last = Self.draw(jitter.distribution, draws, 0)
  }

  /// The number of uniform draws in one normal draw.
  private static let uniforms = 12

  /// Returns the additional delay of the next packet in microseconds, which may be negative.
  mutating func next() -> Int {
    packets += 1
    let fresh = Self.draw(jitter.distribution, draws, packets)
    last = (1 - jitter.correlation) * fresh + jitter.correlation * last
    return Int((last * microseconds).rounded())
  }

  /// Returns a draw of the variation.
  ///
  /// The sum of twelve uniform draws is close to normal up to six deviations. It has the same bits
  /// on every platform, unlike a logarithm.
  private static func draw(
    _ distribution: Jitter.Distribution,
    _ draws: Draws,
    _ packet: Int
  ) -> Double {
    switch distribution {
    case .even: return draws.unit(packet * uniforms) * 2 - 1
    case .normal:
      return (0..<uniforms).reduce(-6) { $0 + draws.unit(packet * uniforms + $1) }
    }
  }
}
