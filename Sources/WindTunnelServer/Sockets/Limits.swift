internal import Foundation
internal import WindTunnel

/// The amounts that a peer may ask of this end before it is refused, each with the default that it
/// resembles.
public struct Limits: Sendable, Hashable {
  /// The longest request line; more is 414.
  ///
  /// nginx: one buffer of `large_client_header_buffers`, 8k.
  public var requestLineBytesMax = 8 * 1024
  /// The whole field section, and the whole trailer section; more is 431.
  ///
  /// h11: 64 KiB.
  public var headerBytesMax = 64 * 1024
  /// The fields of one section; more is 431.
  ///
  /// Apache's `LimitRequestFields` is 100, Jetty's 200.
  public var headerFieldsMax = 200
  /// A request's content without its framing; more is 413.
  ///
  /// nginx has 1 MiB, Caddy none. This is as much as is read of a cassette's side file; what is not
  /// small waits in a file, too, and fills no memory.
  public var bodyBytesMax = Cassette.fileBytesMax
  /// A request's content that nobody looks at and that is not kept; more is 413.
  ///
  /// It takes time and no memory: room for the largest upload that a test would make.
  public var unreadBodyBytesMax = 16 * 1024 * 1024 * 1024
  /// One line that announces a chunk, with its extensions; more is 400.
  ///
  /// Go: `maxLineLength`, 4096.
  public var chunkLineBytesMax = 4096
  /// All extensions of all chunks of one message; more is 400.
  ///
  /// Go: `excess` of 16 KiB.
  public var chunkExtensionBytesMax = 16 * 1024
  /// Connections open at once; further ones are closed as they come.
  ///
  /// nginx's `worker_connections` is 512, which a load test would notice.
  public var connectionsMax = 16_384
  /// The time that a connection may lie idle between two requests.
  ///
  /// nginx: `keepalive_timeout`, 75 s.
  public var idleSeconds = 75.0
  /// The time that a request may take to arrive, from its first byte to its last, however steadily
  /// it drips.
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
  /// The time that the end of a connection waits for a peer that neither takes what was said to it
  /// nor sends anything; one that goes on sending is heard for ``requestSeconds``, and what it
  /// sends is thrown away (RFC 9112 §9.6).
  ///
  /// nginx: `lingering_timeout`, 5 s, and `lingering_time`, 30 s.
  public var lingerSeconds = 5.0
  /// The time that a connect to one address of an origin may take, its TLS handshake included.
  ///
  /// Go's `DefaultTransport`: 30 s.
  public var connectSeconds = 30.0
  /// The time that an origin may say nothing and take nothing while it has a request.
  ///
  /// Envoy's `stream_idle_timeout` is 5 min, nginx's `proxy_read_timeout` 60 s, which would break
  /// off long polls.
  public var answerSeconds = 300.0
  /// The time that an origin may say nothing while its client has said that it sends no more: it
  /// may still read, or have left, which only bytes to it can show.
  ///
  /// nginx takes it for gone at once.
  public var halfClosedSeconds = 10.0
  /// The time that a connection to an origin waits for its next request. Node.js closes after 5 s,
  /// so that a request is seldom sent in vain.
  public var upstreamIdleSeconds = 4.0
  /// The time that a tunnel may lie idle.
  ///
  /// nginx: `proxy_timeout` of a stream, 10 min.
  public var tunnelIdleSeconds = 600.0
  /// The time that a tunnel may last, busy or not: a day, so that what is forgotten ends.
  public var tunnelSeconds = 86_400.0
  /// Output waiting in this process before production stops.
  ///
  /// Node.js's `highWaterMark` is 16 KiB; a slice of a large body should not need many rounds.
  public var queuedBytesMax = 256 * 1024

  /// Makes limits with the default amounts.
  public init() {}

  /// The limits that a server sets its clients.
  public static let standard = Limits()

  /// The limits that a client sets its server: content of any length, since it is passed on in
  /// pieces.
  public static let upstream: Limits = {
    var limits = Limits()
    limits.bodyBytesMax = .max
    limits.requestLineBytesMax = 64 * 1024
    return limits
  }()
}

/// The limit of the files and connections that this process may have open at once
/// (`RLIMIT_NOFILE`).
public enum OpenFiles {
  /// The most that a process has open beside its connections.
  private static let others = 256

  /// Lets a server have as many connections as it takes, as far as the system allows that; a limit
  /// that is high enough stays as it is.
  ///
  /// - Returns: A sentence for a person where the system allows fewer.
  @discardableResult
  public static func raise() -> String? { raise(for: Limits.standard.connectionsMax) }

  /// The reason why no further file can be opened by now; `nil` where one can.
  static func shortage() -> Int32? {
    let descriptor = dup(STDERR_FILENO)
    guard descriptor < 0 else {
      Platform.close(descriptor)
      return nil
    }
    return [EMFILE, ENFILE].contains(errno) ? errno : nil
  }

  static func raise(for connections: Int) -> String? {
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

  static func sentence(_ files: Int, for connections: Int) -> String? {
    guard files < connections + others else { return nil }
    return """
      The system lets this process have \(files) files open, which is room for about \
      \(max(0, files - others)) connections and not for \(connections); further ones wait. \
      `ulimit -Hn` shows the limit that an administrator can raise.
      """
  }
}
