internal import WindTunnel

/// How much a peer may ask of this end before it is refused, each with the default that it resembles.
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
  /// How long a connection may lie idle between two requests.
  ///
  /// nginx: `keepalive_timeout`, 75 s.
  public var idleSeconds = 75.0
  /// How long a request may take to arrive, from its first byte to its last, however steadily it
  /// drips.
  ///
  /// Node.js: `requestTimeout`, 300 s; nginx: `client_header_timeout`, 60 s.
  public var requestSeconds = 60.0
  /// How long a TLS handshake may take.
  ///
  /// nginx: `client_header_timeout`, 60 s.
  public var handshakeSeconds = 60.0
  /// What may come within a TLS handshake before the connection is ended.
  ///
  /// OpenSSL takes a chain of certificates of 100 KiB.
  public var handshakeBytesMax = 256 * 1024
  /// How long the end of a connection waits for a peer that neither takes what was said to it nor
  /// sends anything; one that goes on sending is heard for ``requestSeconds``, and what it sends is
  /// thrown away (RFC 9112 §9.6).
  ///
  /// nginx: `lingering_timeout`, 5 s, and `lingering_time`, 30 s.
  public var lingerSeconds = 5.0
  /// How long a connect to one address of an origin may take, its TLS handshake included.
  ///
  /// Go's `DefaultTransport`: 30 s.
  public var connectSeconds = 30.0
  /// How long an origin may say nothing and take nothing while it has a request.
  ///
  /// Envoy's `stream_idle_timeout` is 5 min, nginx's `proxy_read_timeout` 60 s, which would break off
  /// long polls.
  public var answerSeconds = 300.0
  /// How long an origin may say nothing while its client has said that it sends no more: it may still
  /// read, or have left, which only bytes to it can show.
  ///
  /// nginx takes it for gone at once.
  public var halfClosedSeconds = 10.0
  /// How long a connection to an origin waits for its next request. Node.js closes after 5 s, so
  /// that a request is seldom sent in vain.
  public var upstreamIdleSeconds = 4.0
  /// How long a tunnel may lie idle.
  ///
  /// nginx: `proxy_timeout` of a stream, 10 min.
  public var tunnelIdleSeconds = 600.0
  /// How long a tunnel may last, busy or not: a day, so that what is forgotten ends.
  public var tunnelSeconds = 86_400.0
  /// Output waiting in this process before production stops.
  ///
  /// Node.js's `highWaterMark` is 16 KiB; a slice of a large body should not need many rounds.
  public var queuedBytesMax = 256 * 1024

  /// The defaults.
  public init() {}

  /// What a server allows its clients.
  public static let standard = Limits()

  /// What a client allows its server: content of any length, since it is passed on in pieces.
  public static let upstream: Limits = {
    var limits = Limits()
    limits.bodyBytesMax = .max
    limits.requestLineBytesMax = 64 * 1024
    return limits
  }()
}
