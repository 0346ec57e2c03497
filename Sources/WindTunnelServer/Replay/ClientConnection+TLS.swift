internal import WindTunnel

extension ClientConnection {
  /// Speaks TLS from here on; what fails before it is made below it.
  func shakeHands(_ handshake: Handshake) {
    state = .idle
    // A server without TLS has been refused such weather.
    guard let channel, let tls = house.tls else { return abandon() }
    do throws(ServerError) {
      let own = channel.socket.localAddress.flatMap { HostName($0.host) }
      let engine = try TLSEngine(tls, host: own, leaf: Leaf(handshake))
      engine.conduct(handshake)
      channel.startTLS(engine)
    } catch {
      // There is no memory for one more connection.
      channel.abandon()
    }
  }
}
