internal import WindTunnel

extension ClientConnection {
  /// Why the proxy does not connect this client to an address; `nil` where it does.
  func refusal(of address: SocketAddress) -> AddressRefusal? {
    context.proxy?.refusal(of: address, for: channel?.socket.peerAddress)
  }
}
