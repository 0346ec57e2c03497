public import WindTunnel
public import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLSessionConfiguration {
  /// An ephemeral configuration whose sessions are answered by a deck and never by the network,
  /// unless the deck records.
  ///
  /// A session is a lane of its own: it starts each recorded sequence at its head, and sessions
  /// with other decks on the same URLs never mix. Everything else of the configuration is the
  /// caller's to set: additional headers, timeouts, cookie storage.
  ///
  /// Its seat is never given back, since nobody can tell whether a session still sits in it: a deck
  /// stays in memory for as long as the process, however many sessions are made of it. So take one
  /// configuration for a test and not one for each request.
  ///
  /// On Linux a `URLProtocol` cannot carry download tasks; they fail with an error that says so.
  /// A 401 is handed out as it is: no task's or session's delegate is asked for a credential, so a
  /// client's own answer to a challenge is tested on a loopback server. WebSocket tasks never ask a
  /// `URLProtocol`, nor do stream tasks: they pass by the deck and reach the network, where the
  /// platform has them. On Apple platforms a `URLProtocol` is shown no session, so a redirect is
  /// followed without asking the session's delegate. For each of these, play the deck on a loopback
  /// server.
  ///
  /// - Parameters:
  ///   - deck: What answers.
  ///   - errors: Whose errors faults surface as.
  ///   - silenceMax: How long an answer that is played may be silent. A client's own timeout is kept
  ///     as its platform keeps it, and comes first where it is shorter; past this a task fails with
  ///     an error of the harness's own, so that none hangs.
  /// - Returns: A configuration to make sessions with.
  public static func windTunnel(
    _ deck: Deck,
    errors: Symptom.Platform = .current,
    silenceMax: Duration = .seconds(120)
  ) -> URLSessionConfiguration {
    var seat = Seat(deck: deck, lane: deck.sessionLane(), errors: errors)
    seat.silenceMax = silenceMax
    return .seated(Seats.take(for: seat), configuration: nil)
  }

  /// A configuration in a seat: ephemeral, without a cache, and with no other protocol that could
  /// reach the network.
  package static func seated(
    _ seat: AnyClass,
    configuration: URLSessionConfiguration?
  ) -> URLSessionConfiguration {
    let configuration = configuration ?? .ephemeral
    configuration.protocolClasses = [seat]
    // A cache answers before the deck is asked, and on Linux it scans a directory a request.
    configuration.urlCache = nil
    Seats.remember(configuration, for: seat)
    return configuration
  }
}
