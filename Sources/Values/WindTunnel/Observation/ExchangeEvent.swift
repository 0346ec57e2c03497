public import WindTunnelSymptoms

/// One event of an exchange, as a deck reports it to its observer.
///
/// The events of a request are, in this order, ``decided(_:)``,
/// ``requestEnd(_:handshake:upload:)``, ``firstByte(_:)`` where anything is answered, perhaps
/// ``passed(_:_:)`` where that is live, and ``ended(_:_:)``, behind which a live conversation has
/// ``said(_:_:)`` as long as it is read, and a played one ``conversed(_:_:)`` and perhaps
/// ``strayed(_:_:)``; those of a connection ``decided(_:)`` alone,
/// and those of a tunnel ``decided(_:)`` and ``tunnelEnded(_:)``. Anywhere behind the decision may
/// be ``undone(_:_:)``. Each holds whole values, so that a log, a count or a page is a fold over
/// the events and needs no table of its own.
public enum ExchangeEvent: Sendable {
  /// The deck decided the response to a request, or the faults of a connection or a tunnel.
  ///
  /// Reported under the deck's lock, so that the events of one deck come in the order of its
  /// decisions.
  case decided(Journal.Entry)
  /// Some faults that were decided are not done, since the response gives no room for them.
  case undone(Outcome, [UndoneFault])
  /// A whole request has arrived, perhaps before it was decided.
  ///
  /// - Parameters:
  ///   - handshake: The time from the connection's beginning to the request's, where that was a TLS
  ///     handshake.
  ///   - upload: The time from the request's head to its last byte, where bytes can be seen.
  case requestEnd(Outcome, handshake: Duration?, upload: Duration?)
  /// The first byte of the response has been sent to the client.
  case firstByte(Outcome)
  /// The origin has said all that it says of a request that was passed on, or has agreed to a
  /// conversation; reported only where a console shows it.
  case passed(Outcome, LiveResponse)
  /// The origin of a request that was to be passed on is not asked; the reason, as a sentence.
  case notAsked(Outcome, String)
  /// Something was seen of a live conversation, before any fault; reported only where a console
  /// shows it.
  case said(Outcome, LiveSpeech)
  /// The response has ended: whole, cut, or abandoned by the client.
  ///
  /// The second value is `nil` where the stage does not measure it, as in process.
  case ended(Outcome, ExchangeEnd?)
  /// The client of a proxy has closed the connection on which its response had come to a
  /// standstill, which was the response's end.
  case left(Outcome)
  /// A played conversation has begun, has fallen silent by a fault, or has ended: all that was seen
  /// of it so far.
  case conversed(Outcome, ConversationLog)
  /// A client has said something within a conversation that it does not say on the cassette.
  case strayed(Outcome, Mismatch)
  /// A tunnel has been closed.
  case tunnelEnded(TunnelEnd)

  /// The outcome of the request that the event is about; `nil` before there is one, and for a
  /// tunnel.
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
  /// The scenario in which it was decided; `nil` where the server is not a proxy.
  public var scenario: String?
  /// The status that was sent; `nil` if none was.
  public var status: Int?
  /// The number of bytes of content that were sent to the client.
  public var bytes: Int
  /// The time from the end of the request to the last byte of the response, as far as the server
  /// had handed it over.
  public var latency: Duration
  /// The way in which the response ended.
  public var ending: Ending
  /// The `Retry-After` that went out with a status of 300 or more; `nil` where there was not one
  /// alone.
  public var retryAfter: String?
  /// The `Location` that went out with a redirect; `nil` where there was not one alone.
  public var location: String?
  /// The reason why the head of the origin's response is invalid, as a sentence; `nil` if it is
  /// valid.
  public var problem: String?

  /// Creates an end from its measurements.
  public init(
    scenario: String? = nil,
    status: Int?,
    bytes: Int,
    latency: Duration,
    ending: Ending,
    retryAfter: String? = nil,
    location: String? = nil,
    problem: String? = nil
  ) {
    (self.scenario, self.status, self.bytes) = (scenario, status, bytes)
    (self.latency, self.ending) = (latency, ending)
    (self.retryAfter, self.location, self.problem) = (retryAfter, location, problem)
  }

  /// The ways in which a response ends.
  public enum Ending: Sendable, Hashable {
    /// The client was sent the whole response.
    case whole
    /// The scenario cut the response off.
    case cut
    /// The client closed the connection before the end.
    case clientLeft
    /// The live origin failed.
    case failed(Symptom)
    /// The server was stopped meanwhile.
    case stopped
  }
}

/// The end of a tunnel (`CONNECT`), of which a proxy sees bytes and times.
public struct TunnelEnd: Sendable, Hashable {
  /// The scenario in which the tunnel was opened.
  public var scenario: String
  /// The address that it led to, `host:port`.
  public var authority: String
  /// The time that connecting took, the link's part included; `nil` where the tunnel was not
  /// opened.
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
    /// Both ends closed in an orderly way.
    case closed
    /// The client reset the connection.
    case clientReset
    /// The origin reset the connection.
    case originReset
    /// The scenario cut the tunnel off.
    case cut
    /// The tunnel was refused: the `CONNECT` was answered with this status.
    case refused(Int)
    /// The origin could not be reached.
    case failed(Symptom)
    /// The proxy was to open the tunnel, and the client does not trust the proxy's authority.
    case certificateRefused
    /// The proxy was to open the tunnel, and the TLS handshake failed for this reason, half a
    /// sentence.
    case handshakeFailed(String)
    /// The tunnel was idle or open for too long.
    case expired
    /// The proxy was stopped.
    case stopped
  }

  /// Whether anything but the two ends closed the tunnel.
  public var isBroken: Bool { ![.closed, .stopped].contains(reason) }
}
