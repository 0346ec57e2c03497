import Foundation
import Testing
import WindTunnelVirtualTime
import WindTunnelVirtualTimeTesting

@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct VirtualTimeTests {
  @Test func `hours of sleep take no time, and all clocks see them`() async throws {
    let real = ContinuousClock.now
    let (continuous, date, suspending) = try await VirtualTime.run {
      let (start, date, suspending) = (ContinuousClock.now, Date(), SuspendingClock.now)
      for _ in 0..<100 { try await Task.sleep(for: .seconds(60)) }
      return (
        ContinuousClock.now - start, Date().timeIntervalSince(date),
        SuspendingClock.now - suspending
      )
    }
    #expect(continuous == .seconds(6000))
    #expect(abs(date - 6000) < 0.001)
    #expect(suspending == .seconds(6000))
    #expect(ContinuousClock.now - real < .seconds(60))
  }
}

@Suite(.onThisSystem, .virtualTime, .timeLimit(.minutes(5))) struct TraitTests {
  @Test func `a test waits an hour`() async throws {
    let start = Date()
    try await Task.sleep(for: .seconds(3600))
    #expect(abs(Date().timeIntervalSince(start) - 3600) < 0.001)
  }

  @Test(arguments: 1...20) func `each case has a time of its own`(hours: Int) async throws {
    let start = ContinuousClock.now
    try await Task.sleep(for: .seconds(3600 * hours))
    #expect(ContinuousClock.now - start == .seconds(3600 * hours))
  }

  @Test(.virtualTime)
  func `an expectation that fails is told at its line`() async throws {
    try await Task.sleep(for: .seconds(1))
    withKnownIssue { #expect(Bool(false)) }
  }

  @MainActor @Test func `a test on the main actor`() async throws {
    let start = ContinuousClock.now
    try await Task.sleep(for: .seconds(3600))
    #expect(ContinuousClock.now - start == .seconds(3600))
    dispatchPrecondition(condition: .onQueue(.main))
  }
}
