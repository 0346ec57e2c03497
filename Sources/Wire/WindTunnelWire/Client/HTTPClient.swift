package import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelHTTP
internal import WindTunnelSymptoms

/// A client of HTTP/1.1 (RFC 9112) on sockets, which keeps connections for the next request, and of
/// WebSockets (RFC 6455 §4.1).
///
/// A name is looked up, its addresses are tried a quarter of a second apart (RFC 8305), and a
/// server by `https` has to prove its name. All of a client's connections share one thread, which
/// ends with the last exchange and this.
package final class HTTPClient: Sendable {
  /// The limits of a client's connections, and of what a server may send.
  package struct Limits: Sendable, Hashable {
    /// The maximum number of connections to one server, idle ones included; further requests wait
    /// for one, in their order. URLSession has the same number.
    package var connectionsPerServer = 6
    /// The maximum number of idle connections to all servers.
    package var idleConnectionsMax = 32
    /// The time for which a connection waits for its next request. Node.js closes after 5 s, so
    /// that a request is seldom sent in vain.
    package var idleSeconds = 4.0
    /// The time that each address has to take a connection, its TLS handshake included.
    package var connectSeconds = 10.0
    /// The maximum number of bytes of a response's fields, and of its status line.
    package var headBytesMax = 300 << 10
    /// The maximum number of fields of a response.
    package var headFieldsMax = 2000
    /// The most bytes of content that nobody wants and that are read all the same, so that the
    /// connection can be kept.
    package var discardedBytesMax = 64 << 10
    /// The time that such a rest may take.
    package var discardSeconds = 1.0
    /// The most bytes of a WebSocket message, when it is decompressed; more ends the connection
    /// with 1009.
    package var messageBytesMax = WebSocketReader.messageBytesMax
    /// The most bytes of an answer that refuses the handshake of a WebSocket.
    package var refusalBytesMax = 1 << 20
    /// The time that a server has to answer a close frame, and to end the connection behind it.
    package var closeSeconds = 2.0

    /// Makes the usual limits.
    package init() {}
  }

  /// A request as it is sent once.
  package struct Question: Sendable {
    /// The request; its body is the content unless there is a file.
    package var request: Request
    /// The proxy that is asked for the whole URL, by `http` (RFC 9112 §3.2.2); `nil`: the server
    /// itself is.
    package var proxy: RequestURL?
    /// The file with the content, open at any place, and the count of its bytes.
    package var file: (handle: FileHandle, bytes: Int)?
    /// The time for which nothing may move, from the start to the last byte.
    package var silenceSeconds: Double

    /// Makes one of its parts.
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
  /// Made for the first server by `https`, on the loop's thread.
  private let context = Locked<TLSContext?>(nil)

  /// Makes a client with a thread of its own.
  ///
  /// - Parameters:
  ///   - trust: The authorities that are trusted about servers by `https`.
  ///   - limits: The limits of its connections and of what a server may send.
  /// - Throws: ``DialFailure`` where the system has no thread or no queue of events left.
  package init(trusting trust: Trust = .system, _ limits: Limits = Limits()) throws(DialFailure) {
    do throws(SocketError) { loop = try EventLoop(name: "WindTunnel sockets") } catch {
      throw DialFailure(.socket(error))
    }
    (self.trust, self.limits) = (trust, limits)
    pool = ConnectionPool(usedMax: limits.connectionsPerServer, idleMax: limits.idleConnectionsMax)
  }

  /// Sends a request; never blocks.
  ///
  /// - Parameters:
  ///   - question: The request.
  ///   - hear: Is told what happens, in its order, on the client's thread.
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

  /// The count of connections that wait for a request.
  package func idleConnections() async throws -> Int {
    try await loop.run { [pool] _ in pool.count }
  }

  /// Opens a WebSocket connection; never blocks.
  ///
  /// - Parameters:
  ///   - request: A GET of a URL by `http`, `https`, `ws` or `wss`, with the fields of the app's.
  ///   - compresses: Tells whether it offers to compress messages.
  ///   - seconds: The time in which the handshake has to be done.
  ///   - hear: Is told what happens, in its order, on the client's thread.
  /// - Returns: The connection, which sends nothing before it is told to be open.
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

  /// Returns the terms of a request for which nothing may move for so long.
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

  /// Creates one end of TLS for a server by `https`.
  private func engine(for url: RequestURL) throws(SocketError) -> TLSEngine? {
    guard url.scheme == "https" else { return nil }
    guard let host = url.host.flatMap({ HostName($0.withoutBrackets) }) else {
      throw .unusable("\(url.host ?? "") is no name that a certificate can be made out to")
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
