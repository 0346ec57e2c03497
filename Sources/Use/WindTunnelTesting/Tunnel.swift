internal import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The deck of one test, and the sessions and the server that lead to it.
final class Tunnel: Sendable {
  let deck: Deck
  /// On the wire: where the deck is served.
  let server: ReplayServer?
  let session: URLSession
  /// Makes a configuration whose sessions lead where ``session`` leads.
  let configure: @Sendable () -> URLSessionConfiguration
  /// The destination of `URLSession.shared`; `nil` where the test does not have it.
  let sharedDestination: SharedSession.Destination?

  /// The options by which a server of this deck is begun.
  let wire: Wire

  /// A function that returns the options of a deck's server, where it can be served at all.
  typealias Wire = @Sendable () throws -> ReplayServer.Options

  /// Those of a deck that records nothing.
  static var standardOptions: ReplayServer.Options {
    var options = ReplayServer.Options()
    options.leadsBack = true
    return options
  }

  @TaskLocal static var current: Tunnel?

  /// Leads to a deck in process, or through a loopback server, with sessions that reach nothing
  /// else.
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
      // One lane for all sessions, so that together they play one sequence.
      var registration = ProtocolRegistration(deck: deck, lane: Lane("test"), errors: .current)
      // No test of a mutant waits for the client's own timeout.
      if !deck.mutants.isEmpty { registration.stallMax = .milliseconds(50) }
      // A class for each, since what is known of a class's configuration is one.
      configure = { [registration] in .registered(ProtocolClassPool.take(for: registration)) }
      sharedDestination = sharedSession ? .deck(registration.shared) : nil
    }
    session = URLSession(configuration: configure())
  }

  /// Runs a test in a tunnel of a deck, and clears up after it.
  ///
  /// - Parameters:
  ///   - deck: What answers.
  ///   - options: The server's; `nil`: in process, unless the deck has a conversation.
  ///   - wire: How a server of the deck is begun later.
  ///   - sharedSession: Whether `URLSession.shared` leads to the deck, too.
  ///   - body: The test.
  /// - Throws: What the test throws, and `ServerError` where a server cannot start.
  static func run(
    _ deck: Deck,
    onTheWire options: ReplayServer.Options?,
    by wire: @escaping Wire,
    sharedSession: Bool,
    _ body: @Sendable () async throws -> Void
  ) async throws {
    // No `URLProtocol` is asked for a conversation.
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

  /// Ends the sessions and the server; what is still under way sees a cancellation.
  private func close() async {
    session.invalidateAndCancel()
    // The class is not given back: a task of the test that outlives it must not reach another deck.
    await server?.stop(grace: .zero)
  }
}
