internal import Foundation
internal import WindTunnel
internal import WindTunnelServer
internal import WindTunnelSymptoms
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Where calls are flown: it gives each call its way to the deck.
protocol Site: Sendable {
  /// Prepares a call's way.
  func enter(_ lane: Lane) async throws -> Way
  /// Clears a call's way up. One that is hung may still be on it, and a task that it makes in a
  /// session that has ended would end the process.
  func leave(_ way: Way, isHung: Bool)
  /// Clears up behind the last call.
  func close() async
}

extension Site {
  func close() async {}
}

/// One call's way to the deck.
struct Way: Sendable {
  var baseURL: URL
  var session: URLSession
  /// Makes a configuration that leads the same way.
  var configure: @Sendable () -> URLSessionConfiguration = { .wire() }
  /// What has to be given back: a seat's class, or a port of the call's own.
  var belongings: Belongings
  /// The network in which its address is; `nil`: this process's own.
  var network: PrivateNetwork?

  enum Belongings: Sendable {
    case nothing
    case seat(AnyClass)
    case port(Int)
  }
}

/// In process: each call has a session in a seat of its own.
struct InProcessSite: Site {
  let deck: Deck
  let errors: Symptom.Platform
  let origin: URL

  init(_ deck: Deck, errors: Symptom.Platform) {
    self.deck = deck
    self.errors = errors
    // Nothing is ever sent there, but a client wants a host.
    origin = URL(string: deck.origin?.origin ?? "http://localhost") ?? URL(filePath: "/")
  }

  func enter(_ lane: Lane) -> Way {
    let seat: AnyClass = Seats.take(for: Seat(deck: deck, lane: lane, errors: errors))
    let configure = { @Sendable () -> URLSessionConfiguration in
      .seated(seat, configuration: nil)
    }
    return Way(
      baseURL: origin,
      session: URLSession(configuration: configure()),
      configure: configure,
      belongings: .seat(seat)
    )
  }

  func leave(_ way: Way, isHung: Bool) {
    // A seat that a hung call may still use is never anybody else's.
    if isHung { return }
    way.session.finishTasksAndInvalidate()
    if case .seat(let seat) = way.belongings { Seats.giveBack(seat) }
  }
}
