internal import WindTunnel

extension ClientConnection {
  /// Takes a connection over that was somebody else's until now, such as one on which a CONNECT has
  /// been answered, and serves HTTP in TLS on it.
  ///
  /// - Parameters:
  ///   - channel: The connection, plain until now; its delegate is replaced.
  ///   - host: Whose certificate is shown to a client that names nobody.
  ///   - tls: Who issues the certificate, and which versions are spoken.
  ///   - early: What the client has sent beforehand.
  ///   - handshake: How it goes.
  ///   - context: Where its requests are answered.
  ///   - tunnel: What it is, where it is a proxy's tunnel.
  /// - Throws: `ServerError.tlsUnavailable` where OpenSSL has no memory.
  static func takeOver(
    _ channel: Channel,
    as host: HostName?,
    by tls: TLSContext,
    early: [UInt8] = [],
    showing handshake: Handshake = Handshake(),
    in context: PortContext,
    of tunnel: OpenedTunnel? = nil
  ) throws(ServerError) {
    let engine = try TLSEngine(tls, host: host, leaf: Leaf(handshake))
    engine.conduct(handshake)
    let connection = ClientConnection(context, channel.reactor)
    channel.delegate = connection
    (connection.channel, connection.opened) = (channel, tunnel)
    connection.deadline.isOver = { [weak connection] kind in connection?.isLate(kind) }
    connection.deadline.begin(.idle, on: channel.reactor)
    context.live.insertUncounted(connection)
    channel.startTLS(engine, early: early)
  }
}
