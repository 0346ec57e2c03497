/// The durations of an attempt's stages, as far as the server, the link or the transport knows
/// them.
///
/// A stage that only the client could measure is `nil`.
public struct ExchangeStages: Sendable, Hashable {
  /// The resolution of the host name: the link's delay.
  @Microseconds public var dns: Duration?
  /// The time to open the connection: the link's round trip and its losses.
  @Microseconds public var connect: Duration?
  /// The duration of the TLS handshake.
  @Microseconds public var tls: Duration?
  /// The time from the request's first byte to its last.
  @Microseconds public var upload: Duration?
  /// The time from the request's last byte to the response's first.
  @Microseconds public var firstByte: Duration?
  /// The time from the response's first byte to its end, complete or cut.
  @Microseconds public var body: Duration?

  /// Creates stages without durations.
  public init() {}

  /// The names of all stages, in the order in which they happen.
  public static let names = ["dns", "connect", "tls", "upload", "firstByte", "body"]

  /// The sum of the stages before the request's last byte.
  package var beforeAnswer: Duration {
    [dns, connect, tls, upload].reduce(.zero) { $0 + ($1 ?? .zero) }
  }
}
