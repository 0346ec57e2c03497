package import Foundation
package import WindTunnel
internal import WindTunnelSymptoms

/// A client of HTTP/1.1 (RFC 9112) on sockets, which keeps connections for the next request.
///
/// A name is looked up, its addresses are tried a quarter of a second apart (RFC 8305), and a
/// server by `https` has to prove its name. All of a client's connections share one thread, which
/// ends with the last exchange and this.
package final class HTTPClient: Sendable {
  /// The limits of a client's connections, and of what a server may send.
  package struct Limits: Sendable, Hashable {
    /// The most connections to one server at once, those that wait for a request included; further
    /// requests wait for one, in their order. URLSession has as many.
    package var connectionsPerServer = 6
    /// The most connections that wait for a request, to all servers.
    package var idleConnectionsMax = 32
    /// The time for which a connection waits for its next request. Node.js closes after 5 s, so
    /// that a request is seldom sent in vain.
    package var idleSeconds = 4.0
    /// The time that each address has to take a connection, its TLS handshake included.
    package var connectSeconds = 10.0
    /// The most bytes of an answer's fields, and of its status line.
    package var headBytesMax = 300 << 10
    /// The most fields of an answer.
    package var headFieldsMax = 2000
    /// The most bytes of content that nobody wants and that are read all the same, so that the
    /// connection can be kept.
    package var discardedBytesMax = 64 << 10
    /// The time that such a rest may take.
    package var discardSeconds = 1.0
    /// The most interim answers (1xx, RFC 9110 §15.2) before the final one.
    package var interimAnswersMax = 1000

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

  let sockets: ClientSockets
  let limits: Limits
  let connections: HTTPConnections

  /// Makes a client with a thread of its own.
  ///
  /// - Parameters:
  ///   - trust: The authorities that are trusted about servers by `https`.
  ///   - limits: The limits of its connections and of what a server may send.
  /// - Throws: ``DialFailure`` where the system has no thread or no queue of events left.
  package init(trusting trust: Trust = .system, _ limits: Limits = Limits()) throws(DialFailure) {
    sockets = try ClientSockets(trusting: trust)
    self.limits = limits
    connections = HTTPConnections(limits)
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
    if !sockets.loop.execute({ exchange.begin(on: $0) }) {
      hear(.failed(DialFailure(.cancelled, "The loop has stopped.")))
    }
    return exchange
  }

  /// The count of connections that wait for a request.
  package func idleConnections() async throws -> Int {
    try await sockets.loop.run { [connections] _ in connections.idle }
  }
}

/// The connections of a client, by server: those in use are counted, the others are kept.
///
/// On the loop's thread only.
final class HTTPConnections: @unchecked Sendable {
  private struct Server {
    var used = 0
    var waiting: [HTTPExchange] = []
  }

  private let limits: HTTPClient.Limits
  private let pool = UpstreamPool()
  private var servers: [String: Server] = [:]

  init(_ limits: HTTPClient.Limits) { self.limits = limits }

  var idle: Int { pool.count }

  /// Gives an exchange the right to use one connection to a server, at once or when its turn comes.
  func enter(_ exchange: HTTPExchange, to server: String) {
    // Whoever came before goes first.
    guard servers[server, default: Server()].used < limits.connectionsPerServer else {
      servers[server]?.waiting.append(exchange)
      return
    }
    servers[server, default: Server()].used += 1
    exchange.take()
  }

  /// Takes an exchange out of the queue that it waits in.
  func giveUp(_ exchange: HTTPExchange, to server: String) {
    servers[server]?.waiting.removeAll { $0 === exchange }
  }

  /// Gives the right to the next exchange.
  func leave(_ server: String) {
    guard let next = servers[server]?.waiting.first else {
      servers[server]?.used -= 1
      if servers[server]?.used == 0 { servers[server] = nil }
      return
    }
    servers[server]?.waiting.removeFirst()
    next.take()
  }

  /// Returns a connection to a server that waits for a request; `nil` where none does.
  func dequeue(_ server: String) -> Channel? { pool.dequeue(server) { $0.phase == .open } }

  /// Keeps a connection for the next request, unless there are enough.
  func enqueue(_ channel: Channel, to server: String) {
    guard limits.idleSeconds > 0, pool.count < limits.idleConnectionsMax else {
      return channel.close()
    }
    pool.enqueue(channel, to: server, seconds: limits.idleSeconds)
  }
}
