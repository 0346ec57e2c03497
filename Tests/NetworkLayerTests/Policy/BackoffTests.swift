import TestSupport
import WindTunnelNetworkLayer

@Suite struct BackoffTests {
  func delays(_ jitter: Jitter, draw: Double) -> [Duration] {
    let backoff = Backoff(jitter: jitter)
    return (1...7).map { backoff.delay(beforeRetry: $0, draw: draw) }
  }

  @Test func `without jitter the waits double up to the cap`() {
    expectEqual(
      delays(.none, draw: 0.9),
      [200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) }
    )
  }

  @Test(arguments: [
    (0.0, [160, 320, 640, 1280, 2560, 4000, 4000]),
    (0.25, [180, 360, 720, 1440, 2880, 4500, 4500]),
    (0.5, [200, 400, 800, 1600, 3200, 5000, 5000]),
    (0.75, [220, 440, 880, 1760, 3520, 5000, 5000]),
  ])
  func `a fifth of jitter spreads by 20 % both ways, and never past the cap`(
    draw: Double,
    waits: [Int]
  ) {
    expectEqual(delays(.proportional(0.2), draw: draw), waits.map { .milliseconds($0) })
  }

  @Test(arguments: [
    (0.0, [0, 0, 0, 0, 0, 0, 0]),
    (0.25, [50, 100, 200, 400, 800, 1250, 1250]),
    (0.5, [100, 200, 400, 800, 1600, 2500, 2500]),
  ])
  func `full jitter takes any part of the wait`(draw: Double, waits: [Int]) {
    expectEqual(delays(.full, draw: draw), waits.map { .milliseconds($0) })
  }

  @Test func `the default is a fifth of jitter on 200 ms up to 5 s`() {
    let standard = Backoff(base: .milliseconds(200), cap: .seconds(5), jitter: .proportional(0.2))
    expectEqual(Backoff(), standard)
  }

  @Test func `no number of retries overflows`() {
    expectEqual(Backoff(jitter: .none).delay(beforeRetry: .max, draw: 0), .seconds(5))
    expectEqual(Backoff(base: .zero, jitter: .none).delay(beforeRetry: .max, draw: 0), .zero)
    expectEqual(
      Backoff(base: .seconds(9), jitter: .none).delay(beforeRetry: 1, draw: 0),
      .seconds(5)
    )
  }
}
