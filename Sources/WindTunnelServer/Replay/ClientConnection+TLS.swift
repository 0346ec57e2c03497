internal import Foundation
internal import WindTunnel

extension ClientConnection {
  /// Speaks TLS from here on; what fails before it is made below it. A link's round trips for it are waited
  /// for here, behind what a client says first, where its limit for handshakes sees them.
  func shakeHands(_ handshake: Handshake) {
    var early: [UInt8] = []
    if case .opening(_, let hello) = state { early = Array(hello) }
    guard let path else { return startTLS(handshake, early) }
    self.path = nil
    // On a dead link it never ends.
    let wait = path.securing().map { Delivery.Step.wait($0) } ?? .stall
    let hello: [Delivery.Step] = early.isEmpty ? [.await(.clientHello)] : []
    let opening = Delivery(hello + [wait, .shakeHands(handshake)])
    let writer = ResponseWriter(Player(opening), for: nil, in: context)
    state = .opening(writer, Data(early))
    advance(writer, .tick)
  }

  private func startTLS(_ handshake: Handshake, _ early: [UInt8]) {
    state = .idle
    // A server without TLS has been refused such weather.
    guard let channel, let tls = context.tls else { return abandon() }
    do throws(ServerError) {
      let own = channel.socket.localAddress.flatMap { HostName($0.host) }
      let engine = try TLSEngine(tls, host: own, leaf: Leaf(handshake))
      engine.conduct(handshake)
      channel.startTLS(engine, early: early)
    } catch {
      // There is no memory for one more connection.
      channel.abandon()
    }
  }
}
