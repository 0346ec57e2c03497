#if canImport(Darwin)
  @_spi(WindTunnel) internal import WindTunnelCore
  internal import Foundation
  internal import WindTunnel

  // A registered class sees every request of `URLSession.shared` and of no test in particular. So
  // one test has the session at a time, and others that want it wait; whatever is asked meanwhile
  // is that test's.

  extension SharedSession {
    private static let turn = Turns()

    /// Lends the session to a test as soon as no other has it.
    package static func lend(to destination: Destination, _ body: () async throws -> Void)
      async throws
    {
      // Within a test that has it already, waiting would be for oneself.
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
      // Of registered classes the last is asked first.
      URLProtocol.registerClass(type)
      defer { URLProtocol.unregisterClass(type) }
      try await $destination.withValue(destination) { try await body() }
    }

    fileprivate static let guarded = Locked<Destination?>(nil)
  }

  /// Refuses what does not go to the server of the test that has the session.
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
