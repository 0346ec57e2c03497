/// The simulated times of one exchange on a link: a request and its response on their own
/// connection.
///
/// Times are measured from the client's first action.
///
/// ```swift
/// let link = Link(
///   up: .init(delay: .milliseconds(50), lossProbability: 0.05),
///   down: .init(delay: .milliseconds(50), lossProbability: 0.05)
/// )
/// let draws = ConnectionDraws(seed: 1, scenario: "s", lane: .deck, key: "k", ordinal: 1)
/// let timeline = ExchangeTimeline(link, requestBytes: 300, responseBytes: 14_480, draws: draws)
/// ```
///
/// The model is an event simulation of both ends, each like Linux 6.18. It contains:
///
/// - SYN repeats after one second each, and exponentially from the fifth on;
/// - an initial window of ten segments (RFC 6928);
/// - CUBIC (RFC 9438) with HyStart, SACK, RACK and tail loss probes (RFC 8985);
/// - proportional rate reduction (RFC 6937);
/// - retransmission timeouts (RFC 6298) of at least 200 ms on a timer wheel of 250 Hz;
/// - delayed and lost acknowledgements;
/// - reductions that are undone (RFC 3522, RFC 3708, RFC 5682).
///
/// Lost packets cost time and never bytes.
///
/// The model has limits. Ends other than Linux's are not modelled (Darwin has another backoff).
/// BBR, ECN, pacing, path MTUs other than 1500 bytes, slow receivers, and the hosts' processing
/// time are not modelled, either. Packets never overtake each other, so jitter does not reorder
/// them. A name is resolved in ``Link/dnsDelay``, regardless of loss. A server's connection
/// may carry several exchanges, but this one has its own.
public struct ExchangeTimeline: Sendable, Hashable {
  /// The stages at which an exchange can fail.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// The opening of the connection: no SYN receives a reply.
    case connect
    /// The TLS handshake of the connection.
    case tls
    /// The request to the server.
    case request
    /// The response to the client.
    case response
  }

  /// An arrival of bytes of the response at the client.
  public struct ReceivedBytes: Sendable, Hashable {
    /// The time of the arrival.
    public var at: Duration
    /// The number of bytes that have arrived so far, including these.
    public var totalBytes: Int
  }

  /// The time at which the host name is resolved.
  public private(set) var resolved: Duration
  /// The time at which the SYN-ACK arrives; `nil` if it does not.
  public private(set) var connected: Duration?
  /// The time at which the server's part of the TLS handshake arrives; `nil` if it does not, or
  /// without TLS.
  public private(set) var secured: Duration?
  /// The time at which the server has the whole request; `nil` if it never has.
  public private(set) var requestDelivered: Duration?
  /// The time at which the first byte of the response arrives; `nil` if none does.
  public private(set) var firstByte: Duration?
  /// The arrivals of the response's bytes, in order.
  public private(set) var arrivals: [ReceivedBytes] = []
  /// The time at which the client has the whole response; `nil` if it never has.
  public private(set) var done: Duration?
  /// The stage at which the connection was abandoned, or an hour had passed; `nil` if the exchange
  /// succeeded.
  public private(set) var failure: Stage?
  /// The time of the failure; `nil` if the exchange succeeded.
  public private(set) var failedAt: Duration?

  /// Simulates an exchange.
  ///
  /// - Parameters:
  ///   - link: The path.
  ///   - requestBytes: The length of the request, head and body.
  ///   - responseBytes: The length of the response, head and body.
  ///   - isSecure: Whether TLS 1.3 is used, which costs one more round trip.
  ///   - think: The server's processing time.
  ///   - draws: The connection's draws.
  public init(
    _ link: Link,
    requestBytes: Int,
    responseBytes: Int,
    isSecure: Bool = false,
    think: Duration = .zero,
    draws: ConnectionDraws
  ) {
    resolved = link.dnsDelay
    var journey = Journey(
      TCPConnection(link, draws),
      requestBytes: requestBytes,
      isSecure: isSecure
    )
    let start = resolved
    func moment(_ microseconds: Int) -> Duration { start + .microseconds(microseconds) }
    connected = journey.connected.map(moment)
    secured = journey.secured.map(moment)
    requestDelivered = journey.delivered.map(moment)
    let end: Int?
    if requestDelivered == nil {
      end = nil
    } else {
      let before = journey.connection.delivered(.down)
      end = journey.answer(responseBytes, after: think.inMicroseconds)
      for arrival in journey.connection.arrivals where arrival.way == .down {
        arrivals.append(ReceivedBytes(at: moment(arrival.at), totalBytes: arrival.bytes - before))
      }
    }
    firstByte = arrivals.first?.at
    done = end.map(moment)
    guard done == nil else { return }
    failedAt = moment(journey.connection.now)
    failure =
      connected == nil
      ? .connect
      : requestDelivered != nil ? .response : isSecure && secured == nil ? .tls : .request
  }

  /// The time from the opened connection to the last byte; `nil` if the exchange failed.
  public var transfer: Duration? {
    guard let connected, let done else { return nil }
    return done - connected
  }
}

/// A connection from its first packet to the request's arrival, in virtual time.
struct Journey: Sendable {
  /// The connection when the request has arrived, or when it has failed.
  private(set) var connection: TCPConnection
  /// The connection when the request was written; `nil` if it was not.
  private(set) var sent: TCPConnection?
  /// Microseconds since the connection's beginning; `nil` if the stage was not reached.
  private(set) var (connected, secured, delivered): (Int?, Int?, Int?)

  /// The sizes in bytes of the three flights of a TLS 1.3 handshake (RFC 8446 §2).
  ///
  /// They are the client's hello, the server's reply with a certificate chain of usual length, and
  /// the client's end of the handshake.
  private static let (helloBytes, serverBytes, finishedBytes) = (517, 3600, 74)
  /// The maximum duration of a stage: one hour.
  static let longest = 3_600_000_000

  init(_ connection: TCPConnection, requestBytes: Int, isSecure: Bool) {
    self.connection = connection
    guard connect() else { return }
    if isSecure {
      guard send(Self.helloBytes, .up) != nil, let end = send(Self.serverBytes, .down) else {
        return
      }
      secured = end
    }
    let before = self.connection.delivered(.up)
    let bytes = (isSecure ? Self.finishedBytes : 0) + requestBytes
    self.connection.write(bytes, .up, at: self.connection.now)
    sent = self.connection
    delivered = deliver(before + bytes, .up)
  }

  private mutating func connect() -> Bool {
    while !connection.isConnected {
      guard connection.step(), connection.now < Self.longest else { return false }
    }
    connected = connection.now
    return true
  }

  /// Writes bytes at one end and simulates until the last one has arrived at the other end.
  private mutating func send(_ bytes: Int, _ way: Link.Way) -> Int? {
    let whole = connection.delivered(way) + bytes
    connection.write(bytes, way, at: connection.now)
    return deliver(whole, way)
  }

  /// Simulates until a number of bytes have arrived.
  private mutating func deliver(_ whole: Int, _ way: Link.Way) -> Int? {
    let start = connection.now
    while connection.delivered(way) < whole {
      guard connection.step(), connection.now - start < Self.longest else { return nil }
    }
    return connection.now
  }

  fileprivate mutating func answer(_ bytes: Int, after think: Int) -> Int? {
    connection.advance(to: connection.now + think)
    connection.notesArrivals = true
    return send(max(1, bytes), .down)
  }
}
