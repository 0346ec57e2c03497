public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLSessionConfiguration {
  /// Makes an ephemeral configuration whose sessions are answered by a deck and never by the
  /// network, unless the deck records.
  ///
  /// ```swift
  /// let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
  /// let session = URLSession(configuration: .windTunnel(deck))
  /// ```
  ///
  /// A session is a lane of its own: it starts each recorded sequence at its head, and sessions
  /// with other decks on the same URLs never mix. Everything else of the configuration is the
  /// caller's to set: additional headers, timeouts, cookie storage.
  ///
  /// The configuration's protocol class is never reused, since nothing shows whether a session
  /// still uses it: a deck stays in memory for as long as the process, however many sessions are
  /// made of it. Use one configuration for a test, therefore, and not one for each request.
  ///
  /// On Linux a `URLProtocol` cannot carry download tasks; they fail with an error that says so.
  /// A 401 is returned as it is: no task's or session's delegate is asked for a credential, so that
  /// a client's own answer to a challenge must be tested on a loopback server. WebSocket tasks and
  /// stream tasks do not use a `URLProtocol`: they bypass the deck and reach the network, where the
  /// platform has them. On Apple platforms a `URLProtocol` is shown no session, so a redirect is
  /// followed without asking the session's delegate. For each of these, play the deck on a loopback
  /// server.
  ///
  /// - Parameters:
  ///   - deck: The deck that answers.
  ///   - errors: The platform whose errors faults surface as.
  ///   - silenceMax: The time for which a played answer may be silent. A client's own timeout is
  ///     kept as its platform keeps it, and comes first where it is shorter; past this a task fails
  ///     with an error of the harness's own, so that none hangs.
  /// - Returns: A configuration to make sessions with.
  public static func windTunnel(
    _ deck: Deck,
    errors: Symptom.Platform = .current,
    silenceMax: Duration = .seconds(120)
  ) -> URLSessionConfiguration {
    var registration = ProtocolRegistration(deck: deck, lane: deck.sessionLane(), errors: errors)
    registration.silenceMax = silenceMax
    return .registered(ProtocolClassPool.take(for: registration))
  }

  /// Returns a configuration of a protocol class: ephemeral, without a cache, and with no other
  /// protocol that could reach the network.
  package static func registered(_ type: AnyClass) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [type]
    // A cache answers before the deck is asked, and on Linux it scans a directory a request.
    configuration.urlCache = nil
    ProtocolClassPool.remember(configuration, for: type)
    return configuration
  }

  /// Returns a configuration whose tasks all fail.
  ///
  /// - Parameter reason: What each task is told, until another such configuration is made.
  /// - Returns: A configuration to make sessions with.
  package static func leadingNowhere(_ reason: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    RefusingInterceptor.reason.withLock { $0 = reason }
    configuration.protocolClasses = [RefusingInterceptor.self]
    configuration.urlCache = nil
    return configuration
  }
}

/// The interceptor of sessions that lead nowhere.
private final class RefusingInterceptor: Interceptor {
  static let reason = Locked("")

  override var registration: Result<ProtocolRegistration, HarnessError> {
    .failure(HarnessError(Self.reason.withLock { $0 }))
  }
}
