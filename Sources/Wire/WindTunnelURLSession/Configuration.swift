public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms

#if canImport(FoundationNetworking)
#else
  public import Foundation
#endif

extension URLSessionConfiguration {
  /// Creates an ephemeral configuration for sessions whose responses are from a deck.
  ///
  /// The network is used only if the deck records.
  ///
  /// ```swift
  /// let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
  /// let session = URLSession(configuration: .windTunnel(deck))
  /// ```
  ///
  /// Each session has its own lane: it starts each recorded sequence at the beginning. Sessions
  /// with other decks for the same URLs are independent. All other properties of the configuration
  /// can be set by the caller: additional header fields, timeouts, cookie storage.
  ///
  /// The configuration's protocol class is never reused, because it is unknown when the last
  /// session stops using it. A deck therefore stays in memory until the process ends, for any
  /// number of sessions. Use one configuration per test and not one per request.
  ///
  /// A `URLProtocol` has these limitations; serve the deck on a loopback server to avoid them:
  ///
  /// - On Linux it cannot carry download tasks, which fail with an error that explains that.
  /// - A 401 is returned unchanged: no delegate is called for a credential.
  /// - WebSocket tasks and stream tasks bypass the deck. They use the network, if the platform
  ///   supports them.
  /// - On Apple platforms redirects are followed without calling the session's delegate.
  ///
  /// - Parameters:
  ///   - deck: The deck that provides the responses.
  ///   - errors: The platform whose errors are used for faults.
  ///   - silenceMax: The maximum time without data in a played response. A shorter timeout of the
  ///     client takes precedence, as on its platform. After it a task fails with an error of the
  ///     harness, so that no task hangs.
  /// - Returns: A configuration for creating sessions.
  public static func windTunnel(
    _ deck: Deck,
    errors: Symptom.Platform = .current,
    silenceMax: Duration = .seconds(120)
  ) -> URLSessionConfiguration {
    var registration = ProtocolRegistration(deck: deck, lane: deck.sessionLane(), errors: errors)
    registration.silenceMax = silenceMax
    return .registered(ProtocolClassPool.take(for: registration))
  }

  /// Returns an ephemeral configuration with a protocol class, without a cache or other protocols.
  ///
  /// Its sessions cannot reach the network by another protocol.
  package static func registered(_ type: AnyClass) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [type]
    // A cache would be used before the deck, and on Linux it scans a directory for each request.
    configuration.urlCache = nil
    ProtocolClassPool.remember(configuration, for: type)
    return configuration
  }

  /// Returns a configuration whose tasks all fail.
  ///
  /// - Parameter reason: The error text of each task, until another such configuration is created.
  /// - Returns: A configuration for creating sessions.
  package static func leadingNowhere(_ reason: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    RefusingInterceptor.reason.withLock { $0 = reason }
    configuration.protocolClasses = [RefusingInterceptor.self]
    configuration.urlCache = nil
    return configuration
  }
}

/// The interceptor of sessions whose tasks all fail.
private final class RefusingInterceptor: Interceptor {
  static let reason = Locked("")

  override var registration: Result<ProtocolRegistration, HarnessError> {
    .failure(HarnessError(Self.reason.withLock { $0 }))
  }
}
