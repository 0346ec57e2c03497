import TestSupport
import WindTunnelVirtualTimeTesting

/// The code in the comments of the API, line for line.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct DocExamples {
  @Test func `an hour in a run`() async throws {
    let waited = try await VirtualTime.run {
      let start = ContinuousClock.now
      try await Task.sleep(for: .seconds(3600))
      return ContinuousClock.now - start
    }
    #expect(waited == .seconds(3600))
  }

  @available(macOS 15, iOS 18, *)
  @Test func `an hour on a clock`() async throws {
    let clock = VirtualClock()
    try await VirtualTime.run(on: clock) {
      try await clock.sleep(for: .seconds(3600))
    }
    #expect(clock.now.elapsed == .seconds(3600))
  }

  @Test(.virtualTime(startingAt: Date(timeIntervalSince1970: 0)))
  func `it is one o'clock`() async throws {
    try await Task.sleep(for: .seconds(3600))
    #expect(Date().timeIntervalSince1970 == 3600)
  }
}
