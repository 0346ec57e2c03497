import Mutations
import TestSupport

@testable import WindTunnelReports

@Suite struct DistributionTests {
  private func distribution(_ values: some Sequence<UInt64>, exactMax: Int) -> Distribution {
    var distribution = Distribution(exactMax: exactMax)
    for value in values { distribution.add(microseconds: value) }
    return distribution
  }

  @Test func `up to its limit every percentile is a value that was seen`() {
    let sorted = distribution((1...1000).reversed(), exactMax: 1000).sorted
    expectEqual(sorted.percentile(0.5), .microseconds(500))
    expectEqual(sorted.percentile(0.95), .microseconds(950))
    expectEqual(sorted.percentile(1), .microseconds(1000))
    expectEqual(
      sorted.quantile(0.95),
      .init(value: .microseconds(950), lower: .microseconds(936), upper: .microseconds(964))
    )
  }

  /// Spread over all magnitudes that a call can take, up to a day.
  @Test func `beyond its limit a percentile is within a thousandth`() {
    var generator = Generator(seed: 7)
    let values = (0..<50_000).map { _ in
      UInt64.random(
        in: 0...(86_400_000_000 >> UInt64.random(in: 0...36, using: &generator)),
        using: &generator
      )
    }
    let bucketed = distribution(values, exactMax: 100).sorted
    let exact = distribution(values, exactMax: 50_000).sorted
    for share in [0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999] {
      let (near, right) = (bucketed.percentile(share), exact.percentile(share))
      let (a, b) = (Double(near?.wholeMicroseconds ?? -1), Double(right?.wholeMicroseconds ?? -1))
      #expect(abs(a - b) <= b * 0.001, "\(share): \(a) for \(b)")
    }
    expectEqual(bucketed.percentile(1), exact.percentile(1), "the extremes are kept")
    expectEqual(bucketed.value(atRank: 1), exact.value(atRank: 1))
  }

  @Test func `every value lies in its bucket, and buckets follow one another`() {
    var last = -1
    for value in (0..<5000).map({ UInt64($0) }) {
      let bucket = Distribution.bucket(of: value)
      #expect(bucket == last || bucket == last + 1)
      last = bucket
    }
    var generator = Generator(seed: 1)
    for _ in 0..<5000 {
      let value = UInt64.random(in: 0...UInt64.max >> 1, using: &generator)
      let middle = Distribution.middle(of: Distribution.bucket(of: value))
      let away = middle > value ? middle - value : value - middle
      #expect(Double(away) <= Double(value) * 0.0005)
    }
  }

  @Test(.bothTiers, arguments: [1, 50, 99, 100, 101, 150, 1000])
  func `parts merge to the whole, in any order`(exactMax: Int) {
    var generator = Generator(seed: UInt64(exactMax))
    let values = (0..<150).map { _ in UInt64.random(in: 0...(1 << 40), using: &generator) }
    let whole = distribution(values, exactMax: exactMax)
    for _ in 0..<(Tier.includesWorld ? 20 : 5) {
      let cut = Int.random(in: 0...150, using: &generator)
      let second = Int.random(in: cut...150, using: &generator)
      var parts = [values[..<cut], values[cut..<second], values[second...]].map {
        distribution($0, exactMax: exactMax)
      }
      parts.shuffle(using: &generator)
      var (left, right) = (parts[0], parts[1])
      left.merge(parts[1])
      left.merge(parts[2])
      right.merge(parts[2])
      right.merge(parts[0])
      expectEqual(left, whole)
      expectEqual(right, whole)
      expectEqual(left.hashValue, whole.hashValue)
    }
    var other = whole
    other.add(microseconds: 1)
    #expect(other != whole)
  }

  @Test func `nothing has no percentile and no variation`() {
    expectNil(Distribution().sorted.percentile(0.5))
    expectNil(Distribution().sorted.variation)
    expectNil(distribution([5], exactMax: 9).sorted.variation)
    expectNil(distribution([0, 0], exactMax: 9).sorted.variation)
    expectEqual(distribution([7, 7, 7], exactMax: 9).sorted.variation, 0)
    // 2, 4, 4, 4, 5, 5, 7, 9: a mean of 5 and a variance of 32/7.
    let spread = distribution([2, 4, 4, 4, 5, 5, 7, 9], exactMax: 9).sorted.variation ?? 0
    #expect(abs(spread - (32.0 / 7).squareRoot() / 5) < 1e-12)
  }
}
