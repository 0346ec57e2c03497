internal import Foundation
internal import WindTunnelCore
internal import WindTunnelHTTP

/// The limits that a peer must keep to before it is refused, each with the default of another
/// server that it follows.
public struct Limits: Sendable, Hashable {
  /// The greatest length of a request line, in bytes; a longer one is answered by 414.
  ///
  /// nginx: one buffer of `large_client_header_buffers`, 8k.
  public var requestLineBytesMax = 8 * 1024
  /// The greatest length of the field section, and of the trailer section, in bytes; a longer one
  /// is answered by 431.
  ///
  /// h11: 64 KiB.
  public var headerBytesMax = 64 * 1024
  /// The greatest number of fields in a section; more are answered by 431.
  ///
  /// Apache's `LimitRequestFields` is 100, Jetty's 200.
  public var headerFieldsMax = 200
  /// The greatest length of a request's content, without its framing; more is answered by 413.
  ///
  /// nginx has 1 MiB, Caddy none. 512 MiB is the limit of a cassette's side file; large content
  /// waits in a file, too, and does not fill memory.
  public var bodyBytesMax = 512 << 20
  /// The greatest length of a request's content that is neither read nor kept; more is answered by
  /// 413.
  ///
  /// Such content takes time and no memory: the limit has room for the largest upload that a test
  /// would make.
  public var unreadBodyBytesMax = 16 * 1024 * 1024 * 1024
  /// The greatest length of a line that announces a chunk, with its extensions; a longer one is
  /// answered by 400.
  ///
  /// Go: `maxLineLength`, 4096.
  public var chunkLineBytesMax = 4096
  /// The greatest length of all extensions of all chunks of a message; more is answered by 400.
  ///
  /// Go: `excess` of 16 KiB.
  public var chunkExtensionBytesMax = 16 * 1024
  /// The greatest number of open connections; further ones are closed at once.
  ///
  /// nginx's `worker_connections` is 512, which a load test would notice.
  public var connectionsMax = 16_384
  /// The time that a connection may be idle between two requests.
  ///
  /// nginx: `keepalive_timeout`, 75 s.
  public var idleSeconds = 75.0
  /// The time that a request may take to arrive, from its first byte to its last, however steadily
  /// its bytes come.
  ///
  /// Node.js: `requestTimeout`, 300 s; nginx: `client_header_timeout`, 60 s.
  public var requestSeconds = 60.0
  /// The time that a TLS handshake may take.
  ///
  /// nginx: `client_header_timeout`, 60 s.
  public var handshakeSeconds = 60.0
  /// The bytes that may come within a TLS handshake before the connection is ended.
  ///
  /// OpenSSL takes a chain of certificates of 100 KiB.
  public var handshakeBytesMax = 256 * 1024
  /// The time for which a connection that is being closed waits for a peer that neither reads nor
  /// sends; a peer that goes on sending has ``requestSeconds``, and its bytes are discarded (RFC
  /// 9112 §9.6).
  ///
  /// nginx: `lingering_timeout`, 5 s, and `lingering_time`, 30 s.
  public var lingerSeconds = 5.0
  /// The time that connecting to one address of an origin may take, its TLS handshake included.
  ///
  /// Go's `DefaultTransport`: 30 s.
  public var connectSeconds = 30.0
  /// The time for which an origin with a request may neither send nor read anything.
  ///
  /// Envoy's `stream_idle_timeout` is 5 min, nginx's `proxy_read_timeout` 60 s, which would break
  /// off long polls.
  public var responseSeconds = 300.0
  /// The time for which an origin may send nothing after its client has closed its direction: it
  /// may still read, or be gone, which only bytes to it can show.
  ///
  /// nginx takes it for gone at once.
  public var halfClosedSeconds = 10.0
  /// The time that a connection to an origin is kept for its next request. Node.js closes after 5
  /// s, so that a request is seldom sent in vain.
  public var upstreamIdleSeconds = 4.0
  /// The time that a tunnel may be idle.
  ///
  /// nginx: `proxy_timeout` of a stream, 10 min.
  public var tunnelIdleSeconds = 600.0
  /// The time that a tunnel may last, busy or not: a day, so that forgotten ones end.
  public var tunnelSeconds = 86_400.0
  /// The number of bytes of output that wait in this process before no more is produced.
  ///
  /// Node.js's `highWaterMark` is 16 KiB; a slice of a large body should not need many rounds.
  public var queuedBytesMax = 256 * 1024

  /// The bytes of a WebSocket message, after decompression; a longer one is refused with the code
  /// 1009 (RFC 6455 §7.4.1). Python's `websockets` takes 1 MiB, Go's `gorilla` any length.
  public var messageBytesMax = 64 * 1024 * 1024

  /// The time for which a peer that has not given a code may be idle, and for which its request may
  /// take to arrive: nobody waits for it.
  public var unpairedSeconds = 10.0

  /// The same limits for such a peer.
  package var whileUnpaired: Limits {
    var limits = self
    limits.idleSeconds = min(idleSeconds, unpairedSeconds)
    limits.requestSeconds = min(requestSeconds, unpairedSeconds)
    return limits
  }

  /// Makes limits with the default amounts.
  public init() {}

  /// The limits that a server sets its clients.
  public static let standard = Limits()

  /// The limits that a client sets its server: content of any length, since it is forwarded in
  /// pieces.
  public static let upstream: Limits = {
    var limits = Limits()
    limits.bodyBytesMax = .max
    limits.requestLineBytesMax = 64 * 1024
    return limits
  }()
}

/// The limit of files and connections that this process may have open at once (`RLIMIT_NOFILE`).
public enum OpenFiles {
  /// The most that a process has open beside its connections.
  private static let others = 256

  /// Raises the limit to the number of connections that a server accepts, as far as the system
  /// allows; a limit that is high enough stays as it is.
  ///
  /// - Returns: A sentence for a person where the system allows fewer.
  @discardableResult
  public static func raise() -> String? { raise(for: Limits.standard.connectionsMax) }

  /// Returns the reason why no further file can be opened by now; `nil` where one can.
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
    // A system that does not tell its limit tells it when it is met.
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
      The system lets this process have \(files) files open, which is room for about \
      \(max(0, files - others)) connections and not for \(connections); further ones wait. \
      `ulimit -Hn` shows the limit that an administrator can raise.
      """
  }
}
