internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer
internal import WindTunnelSymptoms

/// The deck of one test, with the sessions and the server that use it.
final class Tunnel: Sendable {
  let deck: Deck
  /// The server of the deck, if the test is on the wire.
  let server: ReplayServer?
  let session: URLSession
  /// Returns a new configuration whose sessions use the deck like ``session``.
  let configure: @Sendable () -> URLSessionConfiguration
  /// The destination of `URLSession.shared`; `nil` if the test does not use it.
  let sharedDestination: SharedSession.Destination?

  /// Returns the options for starting a server of this deck.
  let wire: Wire

  /// A function that returns the options of a deck's server, or throws if it cannot be served.
  typealias Wire = @Sendable () throws -> ReplayServer.Options

  /// The options of a deck that does not record.
  static var standardOptions: ReplayServer.Options {
    var options = ReplayServer.Options()
    options.leadsBack = true
    return options
  }

  @TaskLocal static var current: Tunnel?
  /// The waits of a test that runs several times.
  @TaskLocal static var waits: Locked<TaskWaits>?

  /// Creates a tunnel to a deck in process, or through a loopback server. Its sessions reach
  /// nothing else.
  init(
    _ deck: Deck,
    onTheWire server: ReplayServer?,
    by wire: @escaping Wire,
    sharedSession: Bool
  ) {
    (self.deck, self.wire, self.server) = (deck, wire, server)
    if let server {
      let networkGuard = NetworkGuard(allowing: server.url) { deck.ignores($0) }
      configure = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses =
          [networkGuard.makeProtocolClass()] + (configuration.protocolClasses ?? [])
        return configuration
      }
      sharedDestination = sharedSession ? .server(networkGuard) : nil
    } else {
      // One lane for all sessions, so that they share one sequence.
      var registration = ProtocolRegistration(deck: deck, lane: Lane("test"), errors: .current)
      // A test of a mutant must not wait for the client's own timeout.
      if !deck.mutants.isEmpty { registration.stallMax = .milliseconds(50) }
      registration.waits = Self.waits
      // One class for each configuration, because a class stores only one.
      configure = { [registration] in .registered(ProtocolClassPool.take(for: registration)) }
      sharedDestination = sharedSession ? .deck(registration.shared) : nil
    }
    session = URLSession(configuration: configure())
  }

  /// Runs a test with a tunnel to a deck, and cleans up afterwards.
  ///
  /// - Parameters:
  ///   - deck: The deck that provides the responses.
  ///   - options: The server's options; `nil` to play in process, unless the deck has a
  ///     conversation.
  ///   - wire: Returns the options for starting a server later.
  ///   - sharedSession: Whether `URLSession.shared` uses the deck, too.
  ///   - body: The test.
  /// - Throws: The error of the test, and `ServerError` if a server cannot start.
  static func run(
    _ deck: Deck,
    onTheWire options: ReplayServer.Options?,
    by wire: @escaping Wire,
    sharedSession: Bool,
    _ body: @Sendable () async throws -> Void
  ) async throws {
    // A `URLProtocol` cannot carry a conversation.
    let needsWire = deck.interactions.contains(where: \.isConversation)
    var server: ReplayServer?
    if let options = try options ?? (needsWire ? wire() : nil) {
      server = try await ReplayServer(deck, options)
    }
    let tunnel = Tunnel(deck, onTheWire: server, by: wire, sharedSession: sharedSession)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await tunnel.run(body))
    } catch {
      outcome = .failure(error)
    }
    await tunnel.close()
    try outcome.get()
  }

  private func run(_ body: @Sendable () async throws -> Void) async throws {
    try await Self.$current.withValue(self) {
      guard let sharedDestination else { return try await body() }
      try await SharedSession.lend(to: sharedDestination, body)
    }
  }

  /// Ends the sessions and the server. Work in progress is cancelled.
  private func close() async {
    session.invalidateAndCancel()
    // The class is not returned to the pool: a task that outlives the test must not reach another
    // deck.
    await server?.stop(grace: .zero)
  }
}
