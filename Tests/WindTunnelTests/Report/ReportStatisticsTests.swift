import TestSupport
import WindTunnelReports

@Suite struct ReportStatisticsTests {
  @Test func `no calls prove nothing`() {
    expectNil(Statistics.wilson(0, of: 0)?.lower)
    expectNil(Statistics.percentile(0.95, ofSorted: [Int]()))
  }

  @Test(arguments: [
    (0.95, 20, 19), (0.95, 100, 95), (0.95, 21, 20), (0.99, 100, 99), (0.99, 99, 99), (0.5, 1, 1),
    (0.5, 2, 1), (0.5, 3, 2), (0.9, 10, 9), (1.0, 7, 7), (0.0, 7, 1), (0.95, 1_000_000, 950_000),
  ]) func `a percentile is the value at the nearest rank`(share: Double, count: Int, rank: Int) {
    expectEqual(Statistics.percentile(share, ofSorted: Array(1...count)), rank)
  }

  private func call(
    _ number: Int,
    _ ending: Observation.CallResult,
    _ endpoint: String = "GET /",
    attempts: Int?,
    critical: Bool = false,
    showed: Bool = true,
    milliseconds: Int = 1
  ) -> Observation {
    Observation(
      call: number,
      endpoint: endpoint,
      isCritical: critical,
      ending: ending,
      showed: showed,
      latency: .milliseconds(milliseconds),
      attemptCount: attempts
    )
  }

  @Test func `what was not seen is nil and never zero`() {
    let unseen = Metrics([call(0, .succeeded, attempts: nil), call(1, .succeeded, attempts: 1)])
    expectNil(unseen.averageRetries)
    expectNil(unseen.firstTrySuccessRate)
    expectNil(unseen.blankScreenRate, "no endpoint is critical")
    expectNil(unseen.blankScreens)
    #expect(unseen.failedActions == nil && unseen.failedActionRate == nil)
    let none = Metrics([])
    #expect(none.successRate == nil && none.successRateLower == nil && none.averageRetries == nil)
    #expect(none.p50 == nil && none.p95 == nil && none.p99 == nil && none.blankScreenRate == nil)
    #expect(none.p90 == nil && none.max == nil && none.blankScreens == nil)
  }

  @Test func `each figure is folded from the calls it is about`() {
    let metrics = Metrics([
      call(0, .succeeded, attempts: 1, critical: true, milliseconds: 10),
      call(1, .succeeded, attempts: 3, critical: true, showed: false, milliseconds: 20),
      call(2, .failed("timedOut"), attempts: 4, critical: true, showed: false, milliseconds: 30),
      call(3, .crashed, attempts: 0, showed: false, milliseconds: 40),
      call(4, .hung, attempts: 1, showed: false, milliseconds: 50),
    ])
    expectEqual(metrics.successRate, 0.4)
    expectEqual(metrics.firstTrySuccessRate, 0.2)
    expectEqual(metrics.averageRetries, 1)
    expectEqual(metrics.blankScreenRate, 2.0 / 3)
    expectEqual(metrics.blankScreens, 2)
    #expect(metrics.crashes == 1 && metrics.hangs == 1)
    #expect(metrics.p50 == .milliseconds(30) && metrics.p95 == .milliseconds(50))
    #expect(metrics.p90 == .milliseconds(50) && metrics.max == .milliseconds(50))
  }

  @Test(arguments: ["GET", "HEAD"], ["POST", "PUT", "PATCH", "DELETE"])
  func `reads and actions without content count apart`(read: String, action: String) {
    let metrics = Metrics([
      call(0, .failed("timedOut"), "\(read) /a", attempts: 1, critical: true, showed: false),
      call(1, .succeeded, "\(action) /a", attempts: 1, critical: true),
      call(2, .failed("timedOut"), "\(action) /a", attempts: 1, critical: true, showed: false),
      call(3, .succeeded, "\(action) /a", attempts: 1, critical: true, showed: false),
      call(4, .failed("timedOut"), "\(action) /b", attempts: 1, showed: false),
    ])
    #expect(metrics.blankScreens == 1 && metrics.blankScreenRate == 1)
    #expect(metrics.failedActions == 2 && metrics.failedActionRate == 2.0 / 3)
  }
}
