import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSearch

extension Searches {
  /// Fault sets over an app's start: its configuration, its servers and its first useful call.
  @Suite(.world, .onThisSystem, .timeLimit(.minutes(LayerStorms.minutesMax)))
  struct StartupStormTests {
    @Test func `a start is broken by no fault set`() async throws {
      try await LayerStorms.expectSound(of: "startup", amid: StartupWorld.self) {
        try await startup($0, $1, nil)
      }
    }

    @Test func `in calm a start uses what was published`() async throws {
      let worlds = Locked<[StartupWorld]>([])
      try await Drill(StartupWorld.cassette).run(
        through: FaultSet(Scenario("calm")),
        amid: {
          let world = try StartupWorld()
          worlds.withLock { $0.append(world) }
          return world
        },
        { try await startup($0, $1, nil) }
      )
      expectEqual(worlds.withLock { $0.map(\.highest) }, [2, 2, 2])
    }

    /// The rule that shows each bug, with the smallest fault set.
    private static let finds: [StartupBug: [String]] = [
      .trustsWhatItFetches: ["bad-configuration", "status-503 at the 1st GET /config/app"],
      .forgetsVersions: ["version-fell", "the process ends after 15.15 s and restarts"],
      .waitsLonger: ["over-budget", "delay of 2.882 s at the 1st GET /config/app"],
      .takesLateAnswer: ["late-answer", "delay of 2.003 s at the 1st GET /config/app"],
      .asksAgainAndAgain: ["asks-too-often", "status-503 at the 1st GET /config/app"],
      .knowsOneServer: ["no-useful-call", "status-401 at the 1st GET /near/home"],
    ]

    @Test(arguments: StartupBug.allCases)
    func `a wrong start is found, by name and with its smallest fault set`(
      _ bug: StartupBug
    ) async throws {
      let find = try await LayerStorms.find(amid: StartupWorld.self) {
        try await startup($0, $1, bug)
      }
      expectEqual([find.violation.rule] + find.words, Self.finds[bug] ?? [])
    }
  }
}
