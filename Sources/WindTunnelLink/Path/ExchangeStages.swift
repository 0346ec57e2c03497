internal import WindTunnelCore

/// The durations of an attempt's stages, as far as the server, the link or the transport knows
/// them; a stage that only the client could measure is `nil`.
public struct ExchangeStages: Sendable, Hashable {
  /// The look-up of the host name: the link's delay.
  public var dns: Duration? {
    get { dnsLength.length }
    set { dnsLength = Microseconds(newValue) }
  }
  /// The opening of the connection: the link's round trip and its losses.
  public var connect: Duration? {
    get { connectLength.length }
    set { connectLength = Microseconds(newValue) }
  }
  /// The duration of the TLS handshake.
  public var tls: Duration? {
    get { tlsLength.length }
    set { tlsLength = Microseconds(newValue) }
  }
  /// The time from the request's first byte to its last.
  public var upload: Duration? {
    get { uploadLength.length }
    set { uploadLength = Microseconds(newValue) }
  }
  /// The time from the request's last byte to the answer's first.
  public var firstByte: Duration? {
    get { firstByteLength.length }
    set { firstByteLength = Microseconds(newValue) }
  }
  /// The time from the answer's first byte to its end, whole or cut.
  public var body: Duration? {
    get { bodyLength.length }
    set { bodyLength = Microseconds(newValue) }
  }

  var dnsLength = Microseconds(nil)
  var connectLength = Microseconds(nil)
  var tlsLength = Microseconds(nil)
  var uploadLength = Microseconds(nil)
  var firstByteLength = Microseconds(nil)
  var bodyLength = Microseconds(nil)

  /// Makes stages without any duration.
  public init() {}

  /// The names of all stages, in the order in which they happen.
  public static let names = ["dns", "connect", "tls", "upload", "firstByte", "body"]

  /// The sum of those in front of the request's last byte.
  package var beforeAnswer: Duration {
    [dns, connect, tls, upload].reduce(.zero) { $0 + ($1 ?? .zero) }
  }

  /// All of them by name, in the order in which they happen.
  package var all: [(name: String, length: Duration?)] {
    Array(zip(Self.names, [dns, connect, tls, upload, firstByte, body]))
  }
}
