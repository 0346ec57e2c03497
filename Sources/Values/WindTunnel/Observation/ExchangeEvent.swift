public import WindTunnelSymptoms

/// One event of an exchange, as a deck reports it to its observer.
///
/// The events of a request have this order:
///
/// - ``decided(_:)``;
/// - ``requestEnd(_:handshake:upload:)``;
/// - ``firstByte(_:)`` if a response is sent;
/// - ``passed(_:_:)`` if the response is live and a console shows it;
/// - ``ended(_:_:)``.
///
/// A live conversation then has ``said(_:_:)`` for each message that is read. A played conversation
/// has ``conversed(_:_:)`` and perhaps ``strayed(_:_:)``. A connection has ``decided(_:)`` alone,
/// and a tunnel has ``decided(_:)`` and ``tunnelEnded(_:)``. ``undone(_:_:)`` may follow anywhere
/// after the decision. Each event contains complete values, so a log, a count or a page can be
/// computed from the events alone.
public enum ExchangeEvent: Sendable {
  /// The deck decided the response to a request, or the faults of a connection or a tunnel.
  ///
  /// Reported under the deck's lock, so the events of one deck have the order of its decisions.
  case decided(Journal.Record)
  /// Some decided faults do not happen, because they are not possible with the response.
  case undone(Outcome, [UndoneFault])
  /// A whole request has arrived, perhaps before it was decided.
  ///
  /// - Parameters:
  ///   - handshake: The time from the connection's beginning to the request's, if that was a TLS
  ///     handshake; otherwise `nil`.
  ///   - upload: The time from the request's head to its last byte; `nil` if the stage sees no
  ///     bytes.
  case requestEnd(Outcome, handshake: Duration?, upload: Duration?)
  /// The first byte of the response has been sent to the client.
  case firstByte(Outcome)
  /// The live origin's response to a forwarded request is complete, or the origin accepted a
  /// conversation.
  ///
  /// Reported only if a console shows it.
  case passed(Outcome, LiveResponse)
  /// The origin did not receive a request that was to be forwarded; the reason, as a sentence.
  case notAsked(Outcome, String)
  /// A live conversation had a message, before any fault; reported only if a console shows it.
  case said(Outcome, LiveSpeech)
  /// The response has ended: whole, cut, or abandoned by the client.
  ///
  /// The second value is `nil` if the stage does not measure it, as in process.
  case ended(Outcome, ExchangeEnd?)
  /// The client of a proxy closed the connection of a stalled response, which ended the response.
  case left(Outcome)
  /// A played conversation has begun, was silenced by a fault, or has ended; with its log so far.
  case conversed(Outcome, ConversationLog)
  /// A client sent a message in a conversation that the cassette does not have.
  case strayed(Outcome, Mismatch)
  /// A tunnel has been closed.
  case tunnelEnded(TunnelEnd)

  /// The outcome of the event's request; `nil` before there is one, and for a tunnel.
  package var outcome: Outcome? {
    switch self {
    case .undone(let outcome, _), .requestEnd(let outcome, _, _), .firstByte(let outcome),
      .passed(let outcome, _), .ended(let outcome, _), .left(let outcome),
      .notAsked(let outcome, _), .said(let outcome, _), .conversed(let outcome, _),
      .strayed(let outcome, _):
      outcome
    case .decided, .tunnelEnded: nil
    }
  }
}

/// The end of an exchange, as the server saw it.
public struct ExchangeEnd: Sendable, Hashable {
  /// The scenario in which the exchange was decided; `nil` if the server is not a proxy.
  public var scenario: String?
  /// The status that was sent; `nil` if none was.
  public var status: Int?
  /// The number of bytes of content that were sent to the client.
  public var bytes: Int
  /// The time from the end of the request to the last byte of the response that the server has
  /// written to the socket.
  public var latency: Duration
  /// The way in which the response ended.
  public var ending: Reason
  /// The `Retry-After` value that was sent with a status of 300 or more; `nil` if there was not
  /// exactly one.
  public var retryAfter: String?
  /// The `Location` value that was sent with a redirect; `nil` if there was not exactly one.
  public var location: String?
  /// The problem of the response as a sentence; `nil` if there is none.
  ///
  /// The head of the origin's response is invalid, or the response was cut without a fault of its
  /// own.
  public var problem: String?

  /// Creates an end from its measurements.
  public init(
    scenario: String? = nil,
    status: Int?,
    bytes: Int,
    latency: Duration,
    ending: Reason,
    retryAfter: String? = nil,
    location: String? = nil,
    problem: String? = nil
  ) {
    (self.scenario, self.status, self.bytes) = (scenario, status, bytes)
    (self.latency, self.ending) = (latency, ending)
    (self.retryAfter, self.location, self.problem) = (retryAfter, location, problem)
  }

  /// The ways in which a response ends.
  public enum Reason: Sendable, Hashable {
    /// The whole response was sent to the client.
    case whole
    /// The scenario cut the response off.
    case cut
    /// The client closed the connection before the end.
    case clientLeft
    /// The live origin failed.
    case failed(Symptom)
    /// The server was stopped during the response.
    case stopped
  }
}

/// The end of a tunnel (`CONNECT`), of which a proxy knows only bytes and times.
public struct TunnelEnd: Sendable, Hashable {
  /// The scenario in which the tunnel was opened.
  public var scenario: String
  /// The address of the tunnel's other end, `host:port`.
  public var authority: String
  /// The time to connect, including the link's delay; `nil` if the tunnel was not opened.
  public var connect: Duration?
  /// The number of bytes that arrived from the client.
  public var bytesUp: Int
  /// The number of bytes that were sent to the client.
  public var bytesDown: Int
  /// The time from the `CONNECT` to the end.
  public var duration: Duration
  /// The reason why the tunnel ended.
  public var reason: Reason

  /// Creates an end from its measurements.
  public init(
    scenario: String,
    authority: String,
    connect: Duration?,
    bytesUp: Int,
    bytesDown: Int,
    duration: Duration,
    reason: Reason
  ) {
    (self.scenario, self.authority, self.connect) = (scenario, authority, connect)
    (self.bytesUp, self.bytesDown, self.duration) = (bytesUp, bytesDown, duration)
    self.reason = reason
  }

  /// The reasons for which a tunnel ends.
  public enum Reason: Sendable, Hashable {
    /// Both ends closed the tunnel normally.
    case closed
    /// The client reset the connection.
    case clientReset
    /// The origin reset the connection.
    case originReset
    /// The scenario cut off the tunnel.
    case cut
    /// The tunnel was refused: the response to the `CONNECT` had this status.
    case refused(Int)
    /// The origin could not be reached.
    case failed(Symptom)
    /// The proxy should have decrypted the tunnel, and the client does not trust the proxy's
    /// authority.
    case certificateRefused
    /// The proxy should have decrypted the tunnel, and the TLS handshake failed for this reason,
    /// half a sentence.
    case handshakeFailed(String)
    /// The tunnel was idle or open for too long.
    case expired
    /// The proxy was stopped.
    case stopped
  }

  /// Whether the tunnel ended other than by a normal close or the proxy's stop.
  public var isBroken: Bool { ![.closed, .stopped].contains(reason) }
}
