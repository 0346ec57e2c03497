internal import WindTunnel

/// The server of a connection.
struct Destination {
  /// The URL of the server.
  let url: RequestURL
  /// The addresses of the server; if empty, its name is looked up.
  var addresses: [SocketAddress] = []
  var resolver: LoopResolver?
  /// Creates one end of TLS; `nil` for plain HTTP.
  let engine: () throws(SocketError) -> TLSEngine?
  /// Returns why the client must not be connected to an address.
  var refusal: (SocketAddress) -> AddressRefusal? = { _ in nil }
  /// The time in which each address has to accept a connection, its TLS handshake included.
  let connectSeconds: Double

  /// The scheme, host and port.
  var server: String {
    "\(url.scheme ?? "http")://\(url.host ?? ""):\(url.effectivePort ?? 80)"
  }
}
