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
    guard let deck = Tunnel.current?.deck else {
      return try await Self.$isPending.withValue(true) { try await function() }
    }
    try await Tunnel.fly(deck, onTheWire: true, function)
  }
}

extension Trait where Self == OnTheWireTrait {
  /// Plays the deck on real sockets: for downloads, redirects and clients that take no session.
  ///
  /// Ask by `Deck.current.url`; whatever asks elsewhere is refused.
  public static var onTheWire: Self { Self() }
}

extension Tunnel {
  /// Runs a test in a tunnel of a deck, and clears up after it.
  static func fly(
    _ deck: Deck,
    onTheWire: Bool,
    _ body: @Sendable () async throws -> Void
  ) async throws {
    let tunnel = onTheWire ? Tunnel(deck, onTheWire: try await ReplayServer(deck)) : Tunnel(deck)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await Tunnel.$current.withValue(tunnel) { try await body() })
    } catch {
      outcome = .failure(error)
    }
    await tunnel.close()
    try outcome.get()
  }
}
