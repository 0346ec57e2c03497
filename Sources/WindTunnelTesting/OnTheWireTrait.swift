public import Testing
internal import WindTunnel
internal import WindTunnelServer

/// Plays a test's deck on a loopback server instead of in process.
public struct OnTheWireTrait: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal static var isPending = false

  /// What holds for a suite holds for each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test against a server of its own.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    guard let tunnel = Tunnel.current else {
      return try await Self.$isPending.withValue(true) { try await function() }
    }
    try await Tunnel.fly(
      tunnel.deck,
      onTheWire: true,
      sharedSession: tunnel.sharedWay != nil,
      function
    )
  }
}

extension Trait where Self == OnTheWireTrait {
  /// Plays the deck on real sockets: for downloads, redirects and clients that take no session.
  ///
  /// Ask by `Deck.current.url`; whatever asks elsewhere is refused. With
  /// `.cassette("NAME", sharedSession: true)` that holds for `URLSession.shared`, too, but for its
  /// redirects, which the platform follows by itself, and for its cookies, which are the process's.
  public static var onTheWire: Self { Self() }
}
