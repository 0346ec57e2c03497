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
  /// What has to be given back: a protocol class, or a port of the call's own.
  var belongings: Belongings
  /// The network in which its address is; `nil`: this process's own.
  var network: PrivateNetwork?

  enum Belongings: Sendable {
    case nothing
    case protocolClass(AnyClass)
    case port(Int)
  }
}

/// In process: each call has a session with a protocol class of its own.
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
    let type: AnyClass = ProtocolClassPool.take(
      for: ProtocolRegistration(deck: deck, lane: lane, errors: errors)
    )
    let configure = { @Sendable () -> URLSessionConfiguration in .registered(type) }
    return Way(
      baseURL: origin,
      session: URLSession(configuration: configure()),
      configure: configure,
      belongings: .protocolClass(type)
    )
  }

  func leave(_ way: Way, isHung: Bool) {
    // A class that a hung call may still use is never another's.
    if isHung { return }
    way.session.finishTasksAndInvalidate()
    if case .protocolClass(let type) = way.belongings { ProtocolClassPool.giveBack(type) }
  }
}
