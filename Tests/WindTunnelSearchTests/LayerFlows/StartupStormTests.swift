import Testing
import WindTunnelSearch

/// Storms over an app's start: its configuration, its servers and its first useful call.
@Suite(.onThisSystem, .timeLimit(.minutes(60))) struct StartupStormTests {
  @Test func `a start is broken by no storm`() async throws {
    let found = try await LayerStorms.certificate(
      of: "startup",
      StartupWorld.cassette,
      amid: StartupWorld.init
    ) {
      try await startup($0, $1, nil)
    }
    #expect(LayerStorms.words(found) == [])
    #expect(found.notVirtual.map(\.kind) == [])
    #expect(found.isRepeatable && found.comparesResults)
    try found.require("searchedDepth >= \(LayerStorms.depth)", "finds == 0", "storms > 200")
  }

  /// The rule that shows each bug, with the smallest storm.
  private static let finds: [StartupBug: [String]] = [:]

  @Test(arguments: StartupBug.allCases)
  func `a wrong start is found, by name and with its smallest storm`(
    _ bug: StartupBug
  ) async throws {
    let find = try await LayerStorms.find(
      in: StartupWorld.cassette,
      amid: StartupWorld.init
    ) {
      try await startup($0, $1, bug)
    }
    #expect([find.violation.rule] + find.words == Self.finds[bug] ?? [])
  }
}
