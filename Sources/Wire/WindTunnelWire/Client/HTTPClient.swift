package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelHTTP
internal import WindTunnelSymptoms

/// A client of HTTP/1.1 (RFC 9112) and WebSockets (RFC 6455 §4.1) on sockets, which keeps
/// connections for the next request.
///
/// A name is looked up, and its addresses are tried at intervals of a quarter of a second (RFC
/// 8305). A server of `https` has to prove its name. All connections of a client share one thread,
/// which ends with the last exchange and the client.
package final class HTTPClient: Sendable {
  /// The limits of a client's connections and of its servers' responses.
  package struct Limits: Sendable, Hashable {
    /// The maximum number of connections to one server, including idle ones, the same as in
    /// URLSession. Further requests are queued.
    package var connectionsPerServer = 6
    /// The maximum number of idle connections to all servers.
    package var idleConnectionsMax = 32
    /// The time for which an idle connection is kept. Node.js closes connections after 5 s, so a
    /// shorter time avoids failed requests.
    package var idleSeconds = 4.0
    /// The timeout for each address, including the TLS handshake.
    package var connectSeconds = 10.0
    /// The maximum size of a response's fields, and of its status line, in bytes.
    package var headBytesMax = 300 << 10
    /// The maximum number of fields of a response.
    package var headFieldsMax = 2000
    /// The maximum number of unwanted content bytes that are still read, so that the connection can
    /// be kept.
    package var discardedBytesMax = 64 << 10
    /// The maximum time for reading unwanted content.
    package var discardSeconds = 1.0
    /// The maximum size of a WebSocket message in bytes after decompression; a larger one ends the
    /// connection with 1009.
    package var messageBytesMax = WebSocketReader.messageBytesMax
    /// The maximum size in bytes of a response that rejects a WebSocket handshake.
    package var refusalBytesMax = 1 << 20
    /// The timeout for the server's close frame, and for the end of the connection after it.
    package var closeSeconds = 2.0

    /// Creates the default limits.
    package init() {}
  }

  /// A request to send once.
  package struct Question: Sendable {
    /// The request; its body is the content unless there is a file.
    package var request: Request
    /// The `http` proxy that receives the whole URL (RFC 9112 §3.2.2); `nil` to connect to the
    /// server itself.
    package var proxy: RequestURL?
    /// The file with the content, opened at any position, and its number of bytes.
    package var file: (handle: FileHandle, bytes: Int)?
    /// The timeout without any progress, from the start to the last byte.
    package var silenceSeconds: Double

    /// Creates a question from a request, its file and its timeout.
    package init(
      _ request: Request,
      file: (handle: FileHandle, bytes: Int)? = nil,
      silenceSeconds: Double
    ) {
      (self.request, self.file, self.silenceSeconds) = (request, file, silenceSeconds)
    }
  }

  package let loop: EventLoop
  package let limits: Limits
  private let pool: ConnectionPool
  private let resolver = Resolver()
  private let trust: Trust
  /// Created for the first server of `https`, on the loop's thread.
  private let context = Locked<TLSContext?>(nil)

  /// Creates a client with its own thread.
  ///
  /// - Parameters:
  ///   - trust: The trusted authorities for servers of `https`.
  ///   - limits: The limits of its connections and of the servers' responses.
  /// - Throws: ``DialFailure`` if the system cannot create a thread or an event queue.
  package init(trusting trust: Trust = .system, _ limits: Limits = Limits()) throws(DialFailure) {
    do throws(SocketError) { loop = try EventLoop(name: "WindTunnel sockets") } catch {
      throw DialFailure(.socket(error))
    }
    (self.trust, self.limits) = (trust, limits)
    pool = ConnectionPool(usedMax: limits.connectionsPerServer, idleMax: limits.idleConnectionsMax)
  }

  /// Sends a request without blocking.
  ///
  /// - Parameters:
  ///   - question: The request.
  ///   - hear: Receives the events in order, on the client's thread.
  /// - Returns: The exchange.
  package func send(
    _ question: Question,
    hearing hear: @escaping @Sendable (HTTPExchange.Event) -> Void
  ) -> HTTPExchange {
    let exchange = HTTPExchange(self, question, hear)
    if !loop.execute({ exchange.begin(by: $0) }) {
      hear(.failed(DialFailure(.cancelled, "The loop has stopped.")))
    }
    return exchange
  }

  /// Returns the number of idle connections.
  package func idleConnections() async throws -> Int {
    try await loop.run { [pool] _ in pool.count }
  }

  /// Opens a WebSocket connection without blocking.
  ///
  /// - Parameters:
  ///   - request: A GET of a URL of `http`, `https`, `ws` or `wss`, with the fields of the app.
  ///   - compresses: Whether the client offers to compress messages.
  ///   - seconds: The timeout of the handshake.
  ///   - hear: Receives the events in order, on the client's thread.
  /// - Returns: The connection. It can send messages after it has been opened.
  package func open(
    _ request: Request,
    compresses: Bool,
    within seconds: Double,
    hearing hear: @escaping @Sendable (WebSocketLine.Event) -> Void
  ) -> WebSocketLine {
    let line = WebSocketLine(self, hear)
    let isPosted = loop.execute {
      line.begin(request, compresses: compresses, within: seconds, by: $0)
    }
    if !isPosted { hear(.failed(DialFailure(.cancelled, "The loop has stopped."))) }
    return line
  }

  /// Returns the terms of a request with a timeout without progress.
  package func terms(_ silenceSeconds: Double) -> ClientExchange.Terms {
    var terms = ClientExchange.Terms(patience: .silence, seconds: silenceSeconds)
    terms.limits.headerBytesMax = limits.headBytesMax
    terms.limits.requestLineBytesMax = limits.headBytesMax
    terms.limits.headerFieldsMax = limits.headFieldsMax
    (terms.pool, terms.idleSeconds) = (pool, limits.idleSeconds)
    return terms
  }

  /// Returns the server of a URL.
  package func destination(_ url: RequestURL) -> Destination {
    Destination(
      url: url,
      resolver: LoopResolver(resolver) { [loop] in loop.execute($0) },
      connectSeconds: limits.connectSeconds,
      engine: { [self] () throws(SocketError) in try engine(for: url) }
    )
  }

  /// Creates the local end of TLS for a server of `https`.
  private func engine(for url: RequestURL) throws(SocketError) -> TLSEngine? {
    guard url.scheme == "https" else { return nil }
    guard let host = url.host.flatMap({ HostName($0.withoutBrackets) }) else {
      throw .unusable("\(url.host ?? "") is not a name that a certificate can contain")
    }
    do throws(ServerError) {
      let context = try context.withLock { context throws(ServerError) in
        if let context { return context }
        let shared = try TLSContext(trusting: trust, try OpenSSL.shared())
        context = shared
        return shared
      }
      return try TLSEngine(context, host: host)
    } catch {
      throw .unusable("\(error)")
    }
  }
}
