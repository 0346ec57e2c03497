#if canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import Foundation
  internal import WindTunnel

  // A registered class receives every request of `URLSession.shared`, without a relation to a test.
  // Therefore one test uses the session at a time, and others wait. All requests meanwhile belong
  // to that test.

  extension SharedSession {
    private static let turn = Turns()

    /// Lends the session to a test as soon as no other test uses it.
    package static func lend(to destination: Destination, _ body: () async throws -> Void)
      async throws
    {
      // Within a test that already has the session, waiting would deadlock.
      let waits = Self.destination == nil
      if waits { await turn.take() }
      defer { if waits { turn.giveBack() } }
      let type: AnyClass
      switch destination {
      case .deck(let registration): type = ProtocolClassPool.take(for: registration)
      case .server:
        guarded.withLock { $0 = destination }
        type = GuardedInterceptor.self
      }
      // The class that was registered last is consulted first.
      URLProtocol.registerClass(type)
      defer { URLProtocol.unregisterClass(type) }
      try await $destination.withValue(destination) { try await body() }
    }

    fileprivate static let guarded = Locked<Destination?>(nil)
  }

  /// Refuses requests to other servers than that of the test that uses the session.
  private final class GuardedInterceptor: Interceptor {
    override class func canInit(with request: URLRequest) -> Bool {
      guard SharedSession.reachesTheNetwork(request) else { return false }
      return SharedSession.guarded.withLock { $0 }?.letsThrough(request) != true
    }

    override var registration: Result<ProtocolRegistration, HarnessError> {
      SharedSession.guarded.withLock { $0 }?.registration(for: request) ?? super.registration
    }
  }
#endif
