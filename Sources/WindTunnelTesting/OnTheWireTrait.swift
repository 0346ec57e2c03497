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
      onTheWire: try tunnel.wire(),
      by: tunnel.wire,
      sharedSession: tunnel.sharedDestination != nil,
      function
    )
  }
}

extension Trait where Self == OnTheWireTrait {
  /// Plays the deck on real sockets: for downloads, redirects and clients that take no session.
  ///
  /// Ask by `Deck.current.url`; whatever asks elsewhere is refused, but for hosts that the cassette
  /// ignores. A redirect to another host leads back to the server, which answers it from the cassette like
  /// any other request. With `.cassette("NAME", sharedSession: true)` all that holds for
  /// `URLSession.shared`, too, but for its cookies, which are the process's.
  ///
  /// On Apple platforms a test that an app hosts needs `NSAllowsLocalNetworking` in that app's
  /// Info.plist: App Transport Security refuses `http://127.0.0.1` else. `swift test` does not.
  ///
  /// A cassette can be recorded on the wire where it names the server already, or `mapping:` does.
  public static var onTheWire: Self { Self() }
}
