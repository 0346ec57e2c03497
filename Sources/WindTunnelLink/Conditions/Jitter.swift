/// The straying of packets' delays.
public struct Jitter: Sendable, Hashable {
  /// The shapes of the straying.
  public enum Distribution: String, Sendable, Hashable, CaseIterable {
    /// Evenly, by at most the length to both sides.
    case even
    /// By a normal distribution whose standard deviation is the length.
    case normal
  }

  /// The length of the straying.
  public var length: Duration
  /// The shape of the straying.
  public var distribution: Distribution
  /// The share of one packet's straying that the next one has, from 0 to 1: `x' = (1 − ρ)·u + ρ·x`,
  /// which is what netem calls correlation.
  public var correlation: Double

  /// Makes a jitter of a length.
  public init(
    _ length: Duration,
    distribution: Distribution = .even,
    correlation: Double = 0
  ) {
    self.length = length
    self.distribution = distribution
    self.correlation = correlation
  }
}

/// The straying of packet after packet.
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

  /// The number of uniform draws that make a normal one.
  private static let uniforms = 12

  /// Microseconds that the next packet comes later, or sooner.
  mutating func next() -> Int {
    packets += 1
    let fresh = Self.draw(jitter.distribution, draws, packets)
    last = (1 - jitter.correlation) * fresh + jitter.correlation * last
    return Int((last * microseconds).rounded())
  }

  /// A sum of twelve uniform draws is normal enough up to six deviations, and the same to the bit
  /// on every platform, which a logarithm is not.
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
