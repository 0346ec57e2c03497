package import WindTunnelHTTP

/// The server of a connection.
package struct Destination {
  /// The URL of the server.
  package let url: RequestURL
  /// The addresses of the server; if empty, its name is looked up.
  package var addresses: [SocketAddress] = []
  package var resolver: LoopResolver?
  /// Creates the local end of TLS; `nil` for plain HTTP.
  package let engine: () throws(SocketError) -> TLSEngine?
  /// Returns why the client must not be connected to an address; `nil` if it may.
  package var refusal: (SocketAddress) -> AddressRefusal? = { _ in nil }
  /// The timeout for each address, including the TLS handshake.
  package let connectSeconds: Double

  package init(
    url: RequestURL,
    addresses: [SocketAddress] = [],
    resolver: LoopResolver? = nil,
    connectSeconds: Double,
    engine: @escaping () throws(SocketError) -> TLSEngine?
  ) {
    (self.url, self.addresses, self.resolver) = (url, addresses, resolver)
    (self.connectSeconds, self.engine) = (connectSeconds, engine)
  }

  /// The scheme, host and port.
  package var server: String {
    "\(url.scheme ?? "http")://\(url.host ?? ""):\(url.effectivePort ?? 80)"
  }
}
