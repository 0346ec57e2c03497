internal import Foundation
internal import Symptoms
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// What one test flies in: a deck, and the sessions and the server that lead to it.
final class Tunnel: Sendable {
  let deck: Deck
  /// On the wire: where the deck is served.
  let server: ReplayServer?
  let session: URLSession
  /// Where `URLSession.shared` leads; `nil` where the test does not have it.
  let sharedWay: SharedSession.Way?

  @TaskLocal static var current: Tunnel?

  /// In process.
  init(_ deck: Deck, sharedSession: Bool) {
    self.deck = deck
    server = nil
    // One lane for both sessions, so that together they play one sequence.
    let seat = Seat(deck: deck, lane: Lane("test"), errors: .current)
    session = URLSession(configuration: .seated(Seats.take(for: seat), configuration: nil))
    sharedWay = sharedSession ? .seat(seat.shared) : nil
  }

  /// Through a loopback server, with sessions that reach nothing else.
  init(_ deck: Deck, onTheWire server: ReplayServer, sharedSession: Bool) {
    self.deck = deck
    self.server = server
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.protocolClasses = [LoopbackOnly.self] + (configuration.protocolClasses ?? [])
    session = URLSession(configuration: configuration)
    sharedWay = sharedSession ? .server(origin: server.url) : nil
  }

  /// Runs a test in a tunnel of a deck, and clears up after it.
  static func fly(
    _ deck: Deck,
    onTheWire: Bool,
    sharedSession: Bool,
    _ body: @Sendable () async throws -> Void
  ) async throws {
    let tunnel =
      onTheWire
      ? Tunnel(deck, onTheWire: try await ReplayServer(deck), sharedSession: sharedSession)
      : Tunnel(deck, sharedSession: sharedSession)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await tunnel.fly(body))
    } catch {
      outcome = .failure(error)
    }
    await tunnel.close()
    try outcome.get()
  }

  private func fly(_ body: @Sendable () async throws -> Void) async throws {
    try await Self.$current.withValue(self) {
      guard let sharedWay else { return try await body() }
      try await SharedSession.lend(to: sharedWay, body)
    }
  }

  /// Ends the sessions and the server; what is still under way sees a cancellation.
  private func close() async {
    session.invalidateAndCancel()
    // The seat is not given back: a task of the test that outlives it must not hear another deck.
    await server?.stop(grace: .zero)
  }
}
