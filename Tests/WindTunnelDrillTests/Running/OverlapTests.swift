import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelDrill

/// Scenarios that are flown beside each other, and the moment at which the next begins.
@Suite(.timeLimit(.minutes(5))) struct OverlapTests {
  private struct Broken: Error, Equatable {}

  private static func scenario(_ name: String, isIdle: Bool = false) -> Scenario {
    var scenario = Scenario(name)
    if isIdle { scenario.callsPerSecond = 1 }
    return scenario
  }

  /// Waits until somebody cancels it.
  private static func untilCancelled() async throws {
    let (never, held) = AsyncStream<Void>.makeStream()
    for await _ in never {}
    withExtendedLifetime(held) {}
    try Task.checkCancellation()
  }

  @Test func `what fails ends a drill at once, however many calls of another are to begin`()
    async throws
  {
    let scenarios = [
      Self.scenario("fails", isIdle: true), Self.scenario("one by one"), Self.scenario("never"),
    ]
    let flown = Locked<[String]>([])
    await #expect(throws: Broken.self) {
      try await scenarios.flown { scenario, _ in
        flown.withLock { $0.append(scenario.name) }
        if scenario.name == "fails" { throw Broken() }
        // Its calls have not all begun, and it goes on as long as nobody ends it.
        try await Self.untilCancelled()
      }
    }
    #expect(!flown.withLock { $0.contains("never") })
  }

  @Test func `the next begins when all calls of the one before it have`() async throws {
    let (later, began) = AsyncStream<Void>.makeStream()
    let names = try await [Self.scenario("one"), Self.scenario("two")]
      .flown { scenario, allBegan in
        if scenario.name == "one" {
          allBegan()
          // It is in the air until the other is.
          for await _ in later {}
        } else {
          began.finish()
        }
        return scenario.name
      }
    expectEqual(names, ["one", "two"])
  }

  @Test func `a call that is flown again has begun once`() {
    let isOver = Locked(false)
    let beginnings = CallStarts(of: 4) { isOver.withLock { $0 = true } }
    for (call, subject) in [(0, "a"), (1, "a"), (1, "a"), (0, "b"), (0, "b")] {
      beginnings.note(call, of: subject)
      #expect(!isOver.withLock { $0 })
    }
    beginnings.note(1, of: "b")
    #expect(isOver.withLock { $0 })
  }
}
