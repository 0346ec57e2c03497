internal import Foundation

/// The limits for a peer, each with the default of another server.
public struct Limits: Sendable, Hashable {
  /// The maximum length of a request line in bytes; a longer one is rejected with 414.
  ///
  /// nginx: one buffer of `large_client_header_buffers`, 8k.
  public var requestLineBytesMax = 8 * 1024
  /// The maximum size of the field section, and of the trailer section, in bytes; a larger one is
  /// rejected with 431.
  ///
  /// h11: 64 KiB.
  public var headerBytesMax = 64 * 1024
  /// The maximum number of fields in a section; more are rejected with 431.
  ///
  /// Apache's `LimitRequestFields` is 100, Jetty's 200.
  public var headerFieldsMax = 200
  /// The maximum size of a request's content in bytes, without its framing; more is rejected with
  /// 413.
  ///
  /// nginx has 1 MiB, Caddy none. 512 MiB is the limit of a cassette's side file; large content is
  /// stored in a file rather than in memory.
  public var bodyBytesMax = 512 << 20
  /// The maximum size in bytes of a request's content that is neither read nor stored; more is
  /// rejected with 413.
  ///
  /// Such content takes time but no memory. The limit allows the largest upload that a test would
  /// send.
  public var unreadBodyBytesMax = 16 * 1024 * 1024 * 1024
  /// The maximum length in bytes of a chunk's size line with its extensions; a longer one is
  /// rejected with 400.
  ///
  /// Go: `maxLineLength`, 4096.
  public var chunkLineBytesMax = 4096
  /// The maximum length in bytes of all chunk extensions of a message; more is rejected with 400.
  ///
  /// Go: `excess` of 16 KiB.
  public var chunkExtensionBytesMax = 16 * 1024
  /// The maximum number of open connections; further ones are closed at once.
  ///
  /// nginx's `worker_connections` is 512, which would affect a load test.
  public var connectionsMax = 16_384
  /// The time that a connection may be idle between two requests.
  ///
  /// nginx: `keepalive_timeout`, 75 s.
  public var idleSeconds = 75.0
  /// The maximum time of receiving a request, from its first to its last byte, even if bytes arrive
  /// steadily.
  ///
  /// Node.js: `requestTimeout`, 300 s; nginx: `client_header_timeout`, 60 s.
  public var requestSeconds = 60.0
  /// The maximum time for which a client of HTTP/2 may accept no byte of a response that waits for
  /// its flow-control window. The stream is then reset.
  ///
  /// nginx: `send_timeout`, 60 s.
  public var sendSeconds = 60.0
  /// The maximum time of a TLS handshake.
  ///
  /// nginx: `client_header_timeout`, 60 s.
  public var handshakeSeconds = 60.0
  /// The maximum number of bytes received during a TLS handshake before the connection is closed.
  ///
  /// OpenSSL accepts a certificate chain of 100 KiB.
  public var handshakeBytesMax = 256 * 1024
  /// The time for which a closing connection waits for a peer that neither reads nor sends.
  ///
  /// If the peer continues to send, the limit is ``requestSeconds``, and its bytes are discarded
  /// (RFC 9112 §9.6). nginx: `lingering_timeout`, 5 s, and `lingering_time`, 30 s.
  public var lingerSeconds = 5.0
  /// The maximum time of connecting to one address of an origin, including the TLS handshake.
  ///
  /// Go's `DefaultTransport`: 30 s.
  public var connectSeconds = 30.0
  /// The maximum time for which an origin with a request may neither send nor read anything.
  ///
  /// Envoy's `stream_idle_timeout` is 5 min. nginx's `proxy_read_timeout` is 60 s, which would
  /// interrupt long polls.
  public var responseSeconds = 300.0
  /// The maximum time for which an origin may send nothing after its client has closed its
  /// direction.
  ///
  /// The origin may still read or have disconnected, which only bytes to it can show. nginx treats
  /// it as disconnected at once.
  public var halfClosedSeconds = 10.0
  /// The time for which an idle connection to an origin is kept. Node.js closes connections after 5
  /// s, so a shorter time avoids failed requests.
  public var upstreamIdleSeconds = 4.0
  /// The maximum idle time of a tunnel.
  ///
  /// nginx: `proxy_timeout` of a stream, 10 min.
  public var tunnelIdleSeconds = 600.0
  /// The maximum duration of a tunnel, busy or not: a day, so that forgotten tunnels end.
  public var tunnelSeconds = 86_400.0
  /// The number of queued output bytes at which production pauses.
  ///
  /// Node.js's `highWaterMark` is 16 KiB. A larger value needs fewer rounds for a large body.
  public var queuedBytesMax = 256 * 1024

  /// The maximum size of a WebSocket message in bytes after decompression; a larger one is rejected
  /// with the code 1009 (RFC 6455 §7.4.1).
  ///
  /// Python's `websockets` accepts 1 MiB, Go's `gorilla` any length.
  public var messageBytesMax = 64 * 1024 * 1024

  /// The maximum idle time, and the maximum time of receiving a request, for a peer that has not
  /// sent a pairing code.
  public var unpairedSeconds = 10.0

  /// The same limits for such a peer.
  package var whileUnpaired: Limits {
    var limits = self
    limits.idleSeconds = min(idleSeconds, unpairedSeconds)
    limits.requestSeconds = min(requestSeconds, unpairedSeconds)
    return limits
  }

  /// Creates the default limits.
  public init() {}

  /// The limits of a server for its clients.
  public static let standard = Limits()

  /// The limits of a client for its server. Content may have any length, because it is forwarded in
  /// pieces.
  public static let upstream: Limits = {
    var limits = Limits()
    limits.bodyBytesMax = .max
    limits.requestLineBytesMax = 64 * 1024
    return limits
  }()
}

/// The maximum number of files and connections that this process may have open at once
/// (`RLIMIT_NOFILE`).
public enum OpenFiles {
  /// The number of files that a process has open in addition to its connections.
  private static let others = 256

  /// Raises the limit to the number of connections that a server accepts, as far as the system
  /// allows; a sufficient limit stays unchanged.
  ///
  /// - Returns: A sentence for the user if the system allows fewer; otherwise `nil`.
  @discardableResult
  public static func raise() -> String? { raise(for: Limits.standard.connectionsMax) }

  /// Returns the error code if no further file can be opened at present; otherwise `nil`.
  static func shortage() -> Int32? {
    let descriptor = dup(STDERR_FILENO)
    guard descriptor < 0 else {
      Platform.close(descriptor)
      return nil
    }
    return [EMFILE, ENFILE].contains(errno) ? errno : nil
  }

  package static func raise(for connections: Int) -> String? {
    var limit = rlimit()
    // If the system does not report its limit, the limit shows when it is reached.
    guard getrlimit(Platform.openFiles, &limit) == 0 else { return nil }
    let wanted = connections + others
    let allowed = min(Int(clamping: limit.rlim_max), Platform.openFilesMax)
    if limit.rlim_cur < UInt64(min(wanted, allowed)) {
      limit.rlim_cur = rlim_t(min(wanted, allowed))
      setrlimit(Platform.openFiles, &limit)
      getrlimit(Platform.openFiles, &limit)
    }
    return sentence(Int(clamping: limit.rlim_cur), for: connections)
  }

  package static func sentence(_ files: Int, for connections: Int) -> String? {
    guard files < connections + others else { return nil }
    return """
      The system allows this process \(files) open files, enough for about \
      \(max(0, files - others)) connections and not for \(connections); further connections wait. \
      `ulimit -Hn` shows the limit that an administrator can raise.
      """
  }
}
