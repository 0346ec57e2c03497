import TestSupport
import WindTunnelSearch

extension Searches {
  /// Fault sets over the renewal of a token that a store keeps.
  @Suite(.world, .onThisSystem, .timeLimit(.minutes(LayerStorms.minutesMax))) struct TokenStormTests
  {
    @Test func `the renewal of a token that is kept is broken by no fault set`() async throws {
      try await LayerStorms.expectSound(of: "token-renewal", amid: TokenWorld.self) {
        try await screens($0, $1, nil)
      }
    }

    /// The rule that shows each bug, with the smallest fault set.
    private static let finds: [TokenBug: [String]] = [
      .hasTwoClients: ["two-renewals", "dribble at the 1st GET /api/home"],
      .keepsFirstTriesOnly: ["used-before-kept", "status-503 at the 1st POST /auth/token"],
      .signsOutOnErrors: ["token-lost", "status-404 at the 1st GET /api/home"],
      .beginsAnew: ["token-not-used", "the process ends after 30 ms and restarts"],
      .renewsAtLaunch: ["needless-renewal", "the process ends after 30 ms and restarts"],
      .trustsMirrors: ["credential-elsewhere", "retry-after-huge at the 1st GET /api/home"],
      .insists: ["insists", "status-401 at the first 2 of POST /auth/token"],
      .hidesSignIn: ["no-sign-in", "status-401 at the 1st POST /auth/token"],
    ]

    @Test(arguments: TokenBug.allCases)
    func `a wrong renewal is found, by name and with its smallest fault set`(
      _ bug: TokenBug
    ) async throws {
      let find = try await LayerStorms.find(amid: TokenWorld.self) {
        try await screens($0, $1, bug)
      }
      expectEqual([find.violation.rule] + find.words, Self.finds[bug] ?? [])
    }
  }
}
