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
  private let seat: AnyClass?
  let session: URLSession

  @TaskLocal static var current: Tunnel?

  /// In process.
  init(_ deck: Deck) {
    self.deck = deck
    server = nil
    let seat: AnyClass = Seats.take(
      for: Seat(deck: deck, lane: Lane("test"), errors: .current)
    )
    self.seat = seat
    session = URLSession(configuration: .seated(seat, configuration: nil))
  }

  /// Through a loopback server, with a session that reaches nothing else.
  init(_ deck: Deck, onTheWire server: ReplayServer) {
    self.deck = deck
    self.server = server
    seat = nil
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.protocolClasses = [LoopbackOnly.self] + (configuration.protocolClasses ?? [])
    session = URLSession(configuration: configuration)
  }

  /// Ends the sessions and the server; what is still under way sees a cancellation.
  func close() async {
    session.invalidateAndCancel()
    // The seat is not given back: a task of the test that outlives it must not hear another deck.
    await server?.stop(grace: .zero)
  }
}
