import TestSupport
import WindTunnelSearch

extension Searches {
  /// Fault sets over an outbox, whose app is closed and opened, and whose process ends.
  @Suite(.world, .onThisSystem, .timeLimit(.minutes(LayerStorms.minutesMax)))
  struct OutboxStormTests {
    @Test func `an outbox is broken by no fault set`() async throws {
      try await LayerStorms.expectSound(of: "outbox", amid: OutboxWorld.self) {
        try await visits($0, $1, nil)
      }
    }

    /// A batch behind a refused one has a key of its own, and is no retry of it.
    @Test func `a batch behind a refused one is another call`() async throws {
      let faultSet = FaultSet(
        Scenario(
          "refused-and-untrusted",
          rules: [
            .on("POST /api/events", Trigger(attempt: 1), .status(404)),
            .on("POST /api/events", Trigger(attempt: 2), .connection(.tls(.untrusted))),
          ]
        )
      )
      try await Drill(OutboxWorld.cassette).run(through: faultSet, amid: OutboxWorld.init) {
        try await visits($0, $1, nil)
      }
    }

    /// The rule that shows each bug, with the smallest fault set.
    private static let finds: [OutboxBug: [String]] = [
      .promisesTooEarly: ["lost", "the process ends after 75 ms and restarts"],
      .makesNewKeys: ["other-key", "status-503 at the 1st POST /api/events"],
      .stampsBodies: ["other-bytes", "status-503 at the 1st POST /api/events"],
      .hasTwoOutboxes: ["out-of-order", "retry-after-huge at the 1st POST /api/events"],
      .takesFailuresForRefusals: ["buried", "status-503 at the 1st POST /api/events"],
      .restoresBackups: ["sent-again", "the process ends after 90 ms and restarts"],
      .dropsEndpoints: ["stuck", "the process ends after 30 ms and restarts"],
      .takesAnyPage: ["lost", "captive-portal-redirect at the 1st POST /api/events"],
    ]

    @Test(arguments: OutboxBug.allCases)
    func `a wrong outbox is found, by name and with its smallest fault set`(
      _ bug: OutboxBug
    ) async throws {
      let find = try await LayerStorms.find(amid: OutboxWorld.self) {
        try await visits($0, $1, bug)
      }
      // Both endpoints send at one instant: which of them is first is the disk's.
      let words = find.words.map { $0.replacing("/api/receipts", with: "/api/events") }
      expectEqual([find.violation.rule] + words, Self.finds[bug] ?? [])
    }
  }
}
