/// The times of one exchange on a link, simulated: a request and its answer on a connection of
/// their own. Times count from the client's first action.
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
/// The model is an event simulation of both ends, each as Linux 6.18 has it: SYN repeats after one
/// second each and exponentially from the fifth on, an initial window of ten (RFC 6928), CUBIC
/// (RFC 9438) with HyStart, SACK, RACK and tail loss probes (RFC 8985), proportional rate reduction
/// (RFC 6937), retransmission timeouts (RFC 6298) of at least 200 ms on a timer wheel of 250 Hz,
/// delayed acknowledgements, acknowledgements that are lost, and reductions that are taken back
/// (RFC 3522, RFC 3708, RFC 5682). Lost packets cost time and never bytes.
///
/// Its limits: ends other than Linux's are not modelled (Darwin backs off otherwise), nor are BBR,
/// ECN, pacing, path MTUs other than 1500 bytes, receivers that read slowly, and the time that
/// hosts take. Packets never overtake one another, so jitter does not reorder. An exchange has a
/// connection of its own: reuse is not modelled. A name is looked up in ``Link/dnsDelay``, whatever
/// is lost.
public struct ExchangeTimeline: Sendable, Hashable {
  /// The stages at which an exchange can fail.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// The opening of the connection: no SYN is answered.
    case connect
    /// The TLS handshake of the connection.
    case tls
    /// The request to the server.
    case request
    /// The response to the client.
    case response
  }

  /// An arrival of bytes of the response at the client.
  public struct Arrival: Sendable, Hashable {
    /// The time of the arrival.
    public var at: Duration
    /// The number of bytes that have arrived so far, these included.
    public var bytes: Int
  }

  /// The time at which the host name is resolved.
  public private(set) var resolved: Duration
  /// The time at which the SYN-ACK arrives.
  public private(set) var connected: Duration?
  /// The time at which the server's part of the TLS handshake arrives; `nil` without TLS, too.
  public private(set) var secured: Duration?
  /// The time at which the server has the whole request.
  public private(set) var requestDelivered: Duration?
  /// The time at which the first byte of the response arrives.
  public private(set) var firstByte: Duration?
  /// The arrivals of the response's bytes, in order.
  public private(set) var arrivals: [Arrival] = []
  /// The time at which the client has the whole response.
  public private(set) var done: Duration?
  /// The stage at which the connection was abandoned, or an hour had passed; `nil`: none.
  public private(set) var failure: Stage?
  /// The time of that failure.
  public private(set) var failedAt: Duration?

  /// Simulates an exchange.
  ///
  /// - Parameters:
  ///   - link: The path.
  ///   - requestBytes: The length of the request, head and body.
  ///   - responseBytes: The length of the response, head and body.
  ///   - isSecure: True for TLS 1.3, which costs one more round trip.
  ///   - think: The time that the server takes.
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
        arrivals.append(Arrival(at: moment(arrival.at), bytes: arrival.bytes - before))
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

  /// The time from the opened connection to the last byte; `nil` where there is none.
  public var transfer: Duration? {
    guard let connected, let done else { return nil }
    return done - connected
  }
}

/// A connection from the look-up of its name to the request's arrival, in virtual time.
struct Journey: Sendable, Hashable {
  /// As it is when the request has arrived, or when it came to nothing.
  private(set) var connection: TCPConnection
  /// Microseconds from the connection's beginning; `nil`: it did not come so far.
  private(set) var (connected, secured, delivered): (Int?, Int?, Int?)

  /// The bytes of a client's hello in TLS 1.3, of the server's answer, and of the handshake's end
  /// (RFC 8446 §2); with one certificate chain of usual length.
  private static let (helloBytes, serverBytes, finishedBytes) = (517, 3600, 74)
  /// After so long nobody waits any more: an hour.
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
    delivered = send((isSecure ? Self.finishedBytes : 0) + requestBytes, .up)
  }

  private mutating func connect() -> Bool {
    while !connection.isConnected {
      guard connection.step(), connection.now < Self.longest else { return false }
    }
    connected = connection.now
    return true
  }

  /// Writes at one end and lets everything happen until the last of it has come to the other.
  private mutating func send(_ bytes: Int, _ way: Link.Way) -> Int? {
    let start = connection.now
    let whole = connection.delivered(way) + bytes
    connection.write(bytes, way, at: start)
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
