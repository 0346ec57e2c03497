import TestSupport

@testable import WindTunnelReports

/// Against published values, so that no figure of a report rests on our own arithmetic alone.
@Suite struct PublishedStatisticsTests {
  @Test(arguments: [
    (20, 20, 0.839, 1.0), (100, 100, 0.963, 1.0), (19, 20, 0.764, 0.991), (0, 20, 0.0, 0.161),
    (10, 20, 0.299, 0.701), (73, 73, 0.95, 1.0),
  ]) func `Wilson's interval is the published one`(
    successes: Int,
    count: Int,
    lower: Double,
    upper: Double
  ) throws {
    let interval = try #require(Statistics.wilson(successes, of: count))
    expectEqual((interval.lower * 1000).rounded() / 1000, lower)
    expectEqual((interval.upper * 1000).rounded() / 1000, upper)
  }

  /// So many calls without a failure prove this lower bound, and one less does not.
  @Test(arguments: [(73, 0.95), (381, 0.99), (3838, 0.999)])
  func `the calls that prove a bound are the published ones`(count: Int, bound: Double) throws {
    #expect(try #require(Statistics.wilson(count, of: count)?.lower) >= bound)
    #expect(try #require(Statistics.wilson(count - 1, of: count - 1)?.lower) < bound)
  }

  @Test(arguments: [
    (0.95, 100, 90, 100), (0.95, 200, 184, 197), (0.95, 500, 465, 485), (0.95, 1000, 936, 964),
    (0.5, 10, 2, 9), (0.5, 20, 6, 15), (0.5, 100, 40, 61),
  ]) func `a percentile's ranks are the published ones`(
    share: Double,
    count: Int,
    lower: Int,
    upper: Int
  ) throws {
    let ranks = try #require(Statistics.rankInterval(share, of: count))
    expectEqual(ranks.lower, lower)
    expectEqual(ranks.upper, upper)
  }

  @Test(arguments: [(0.95, 72), (0.90, 36), (0.99, 368)])
  func `an upper end needs as many calls as was published`(share: Double, count: Int) throws {
    try expectEqual(#require(Statistics.rankInterval(share, of: count)).upper, count)
    try expectNil(#require(Statistics.rankInterval(share, of: count - 1)).upper)
  }

  @Test func `of a million the ranks are those of the normal approximation`() throws {
    let ranks = try #require(Statistics.rankInterval(0.95, of: 1_000_000))
    // 950,000 ± 1.96·√(10⁶·0.95·0.05) is 949,573 to 950,427.
    #expect(abs(try #require(ranks.lower) - 949_573) <= 1)
    #expect(abs(try #require(ranks.upper) - 950_428) <= 1)
  }

  /// Abramowitz and Stegun, table 6.4: log₁₀ n!.
  @Test(arguments: [
    (10, 6.559_763_032_876_794), (100, 157.970_003_654_715_76),
    (255, 504.525_286_555_157_6), (256, 506.933_526_6), (1000, 2567.604_644_222_133),
  ])
  func `factorials are the tabulated ones`(n: Int, log10: Double) {
    #expect(abs(Statistics.logFactorial(n) / 2.302_585_092_994_046 - log10) < log10 * 1e-4)
  }
}
