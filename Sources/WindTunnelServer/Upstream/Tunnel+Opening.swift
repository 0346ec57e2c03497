internal import Foundation
internal import WindTunnel

// A tunnel that is looked into, where there is TLS in it.
extension Tunnel {
  /// Tells the client that the tunnel is open, and waits for what it says.
  func listen() {
    answer(Delivery.established)
    awaitHello()
  }

  /// Has the client meet a handshake of this kind; it has been told that the tunnel is open.
  func shakeHands(_ handshake: Handshake) {
    // A proxy that opens no tunnels has been refused such weather.
    guard handOver != nil else { return end(.cut) { $0.reset() } }
    self.handshake = handshake
    awaitHello()
  }

  private func awaitHello() {
    phase = .listening
    if client?.inputEnded == true, up.pending.isEmpty { return reachedEnd(.up) }
    hear()
  }

  /// Lets go of a client that begins a handshake (RFC 8446 §5.1), and connects any other to its origin:
  /// what is not sealed needs no opening.
  func hear() {
    guard phase == .listening, !up.pending.isEmpty else { return }
    guard up.pending[0] == 22, let handOver else {
      // The live host is not asked where the tape answers for it.
      if decision.isOnCassette { return end(.cut) { $0.close() } }
      return connect()
    }
    phase = .ended
    if let wake { reactor.cancel(wake) }
    (wake, client) = (nil, nil)
    handOver(up.pending.take(atMost: up.pending.count), handshake)
  }
}
