package import WindTunnel
internal import WindTunnelSymptoms

/// A dialler of WebSocket connections, as a client opens them (RFC 6455 §4.1): a name is looked up,
/// its addresses are tried a quarter of a second apart, and a server by `https` has to prove its
/// name.
///
/// Its connections share one thread, which ends with the last of them and this.
package final class WebSocketDialer: Sendable {
  /// The limits of what a server may send.
  package struct Limits: Sendable, Hashable {
    /// The most bytes of a message, when it is decompressed; more ends the connection with 1009.
    package var messageBytesMax = WebSocketReader.messageBytesMax
    /// The most bytes of an answer that refuses a handshake.
    package var refusalBytesMax = 1 << 20
    /// The time that each address has to take a connection.
    package var connectSeconds = 10.0
    /// The time that a server has to answer a close frame, and to end the connection behind it.
    package var closeSeconds = 2.0

    /// Makes the usual limits.
    package init() {}
  }

  let sockets: ClientSockets
  let limits: Limits

  /// Makes a dialler with a thread of its own.
  ///
  /// - Parameters:
  ///   - trust: The authorities that are trusted about servers by `https`.
  ///   - limits: The limits of what a server may send.
  /// - Throws: ``DialFailure`` where the system has no thread or no queue of events left.
  package init(trusting trust: Trust = .system, _ limits: Limits = Limits()) throws(DialFailure) {
    sockets = try ClientSockets(trusting: trust)
    self.limits = limits
  }

  /// Opens a connection; never blocks.
  ///
  /// - Parameters:
  ///   - request: A GET of a URL by `http`, `https`, `ws` or `wss`, with the fields of the app's.
  ///   - compresses: Tells whether it offers to compress messages.
  ///   - seconds: The time in which the handshake has to be done.
  ///   - hear: Is told what happens, in its order, on the dialler's thread.
  /// - Returns: The connection, which sends nothing before it is told to be open.
  package func open(
    _ request: Request,
    compresses: Bool,
    within seconds: Double,
    hearing hear: @escaping @Sendable (WebSocketLine.Event) -> Void
  ) -> WebSocketLine {
    let line = WebSocketLine(self, hear)
    let isPosted = sockets.loop.execute { [sockets] reactor in
      line.begin(request, compresses: compresses, within: seconds, on: reactor, sockets.names())
    }
    if !isPosted { hear(.failed(DialFailure(.cancelled, "The loop has stopped."))) }
    return line
  }
}
