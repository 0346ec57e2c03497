import TestSupport

@testable import WindTunnelReports

@Suite struct PublishedPairTests {
  /// Tables of the binomial distribution with even odds, two-sided.
  @Test(arguments: [
    (1, 9, 0.0215), (9, 1, 0.0215), (0, 5, 0.0625), (0, 6, 0.03125), (5, 5, 1.0), (0, 0, 1.0),
    (2, 12, 0.0129),
  ]) func `McNemar's exact test gives the tabulated probability`(
    lost: Int,
    won: Int,
    probability: Double
  ) {
    #expect(abs(Statistics.mcNemar(lost, won) - probability) < 0.00006)
  }

  /// Darwin's maize, fifteen pairs in eighths of an inch (Fisher, The Design of Experiments, §17):
  /// the rank sums are 96 and 24, so z is 2.0447.
  @Test func `Wilcoxon's test of Darwin's maize gives the known probability`() throws {
    let maize: [Double] = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    let probability = try #require(Statistics.wilcoxon(maize))
    #expect(abs(probability - 0.04088) < 0.00005)
    expectEqual(Statistics.wilcoxon(maize.map { -$0 }), probability)
  }

  @Test func `differences of nothing say nothing, and few pairs say too little`() {
    expectNil(Statistics.wilcoxon(Array(repeating: 0, count: 50)))
    expectNil(Statistics.wilcoxon((1...9).map { Double($0) }))
    let ten = (1...10).map { Double($0) }
    expectEqual(Statistics.wilcoxon(ten + [0, 0]), Statistics.wilcoxon(ten))
  }
}
