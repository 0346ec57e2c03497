/// When what of one exchange happens on a link: a request and its answer on a connection of their
/// own, without anything being sent. Times count from the first thing that the client does.
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
/// ECN, pacing, path MTUs other than 1500 bytes, receivers that read slowly, and the time that hosts
/// take. Packets never overtake one another, so jitter does not reorder. An exchange has a connection
/// of its own: reuse is not modelled. A name is looked up in ``Link/dnsDelay``, whatever is lost.
public struct ExchangeTimeline: Sendable, Hashable {
  /// Where an exchange can come to nothing.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// No answer to any SYN.
    case connect
    /// The TLS handshake.
    case tls
    /// The request.
    case request
    /// The response.
    case response
  }

  /// Bytes of the response that the client has, all in front of them included.
  public struct Arrival: Sendable, Hashable {
    /// When.
    public var at: Duration
    /// How many.
    public var bytes: Int
  }

  /// The name is known.
  public private(set) var resolved: Duration
  /// The SYN-ACK is there.
  public private(set) var connected: Duration?
  /// The server's part of the TLS handshake is there; `nil` without TLS, too.
  public private(set) var secured: Duration?
  /// The server has the whole request.
  public private(set) var requestDelivered: Duration?
  /// The client has a byte of the response.
  public private(set) var firstByte: Duration?
  /// What of the response came when.
  public private(set) var arrivals: [Arrival] = []
  /// The client has all of it.
  public private(set) var done: Duration?
  /// Where the connection was given up or an hour had passed; `nil`: nowhere.
  public private(set) var failure: Stage?
  /// When that was.
  public private(set) var failedAt: Duration?

  /// Works out an exchange.
  ///
  /// - Parameters:
  ///   - link: The path.
  ///   - requestBytes: What the client sends, head and body.
  ///   - responseBytes: What the server answers, head and body.
  ///   - isSecure: Whether TLS 1.3 is spoken, which costs a round trip more.
  ///   - think: How long the server takes.
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

  /// From the connection on to the last byte; `nil` where there is none.
  public var transfer: Duration? {
    guard let connected, let done else { return nil }
    return done - connected
  }
}

extension Journey {
  fileprivate mutating func answer(_ bytes: Int, after think: Int) -> Int? {
    connection.advance(to: connection.now + think)
    connection.notesArrivals = true
    return send(max(1, bytes), .down)
  }
}
