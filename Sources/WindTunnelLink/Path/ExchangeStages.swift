/// The lengths of an attempt's parts, as far as the server, the link or the transport knows them:
/// what only the client could tell is `nil`.
public struct ExchangeStages: Sendable, Hashable {
  /// Looking the name up: the link's delay.
  public var dns: Duration?
  /// Opening the connection: the link's round trip and what it lost of it.
  public var connect: Duration?
  /// The length of the TLS handshake.
  public var tls: Duration?
  /// From the request's first byte to its last.
  public var upload: Duration?
  /// From the request's last byte to the answer's first.
  public var firstByte: Duration?
  /// From the answer's first byte to its end, whole or cut.
  public var body: Duration?

  /// Makes them of nothing.
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
