public import WindTunnelSymptoms

/// One step of an exchange, as a deck tells whoever observes it.
///
/// Of a request come, in this order, ``decided(_:)``, ``requestEnd(_:handshake:upload:)``,
/// ``firstByte(_:)`` where anything is answered, and ``ended(_:_:)``; of a connection or a tunnel
/// ``decided(_:)``, and of a tunnel ``tunnelEnded(_:)``. Each bears whole values, so that a log, a
/// count or a page is a fold over the events and needs no table of its own to know what one is about.
public enum ExchangeEvent: Sendable {
  /// The deck decided what a request, a connection or a tunnel meets.
  ///
  /// It comes under the deck's lock, so that events of one deck come in the order of its decisions.
  case decided(Journal.Entry)
  /// The whole request has come. It may have come before it was decided.
  ///
  /// - Parameters:
  ///   - handshake: From the connection's beginning to the request's, where that was a TLS handshake.
  ///   - upload: From the request's head to its last byte, where there are bytes to be seen.
  case requestEnd(Outcome, handshake: Duration?, upload: Duration?)
  /// The first byte of the answer has left for the client.
  case firstByte(Outcome)
  /// The answer has been carried to its end: whole, cut, or left by the client.
  ///
  /// The second value is `nil` where what carries the answer does not measure it, as in process.
  case ended(Outcome, ExchangeEnd?)
  /// The client of a proxy has closed the connection on which its answer had come to a standstill, which
  /// was the answer's end.
  case left(Outcome)
  /// A tunnel has been closed.
  case tunnelEnded(TunnelEnd)
}

/// The end of an exchange, as the server saw it that carried the answer.
public struct ExchangeEnd: Sendable, Hashable {
  /// The scenario that it was decided in; `nil` where the server is no proxy.
  public var scenario: String?
  /// The status that went out; `nil` where none did.
  public var status: Int?
  /// The content that went to the client, in bytes.
  public var bytes: Int
  /// From the end of the request to the last byte of the answer, as far as the server had handed it
  /// over.
  public var latency: Duration
  /// The manner of it.
  public var ending: Ending
  /// The `Retry-After` that went out with a status of 300 or more; `nil` where there was not one alone.
  public var retryAfter: String?
  /// The `Location` that went out with a redirect; `nil` where there was not one alone.
  public var location: String?

  /// Makes an end of what was seen.
  public init(
    scenario: String? = nil,
    status: Int?,
    bytes: Int,
    latency: Duration,
    ending: Ending,
    retryAfter: String? = nil,
    location: String? = nil
  ) {
    (self.scenario, self.status, self.bytes) = (scenario, status, bytes)
    (self.latency, self.ending) = (latency, ending)
    (self.retryAfter, self.location) = (retryAfter, location)
  }

  /// The manners in which an answer ends.
  public enum Ending: Sendable, Hashable {
    /// The client was given all of it.
    case whole
    /// The weather broke it off.
    case cut
    /// The client left before the end.
    case clientLeft
    /// The live origin failed.
    case failed(Symptom)
    /// The server was ended meanwhile.
    case stopped
  }
}

/// The end of a tunnel (`CONNECT`), of which a proxy sees bytes and times.
public struct TunnelEnd: Sendable, Hashable {
  /// The scenario that it began in.
  public var scenario: String
  /// The place that it led to, `host:port`.
  public var authority: String
  /// The time that connecting took, the link's part included; `nil` where it was not opened.
  public var connect: Duration?
  /// The bytes that came from the client.
  public var bytesUp: Int
  /// The bytes that went to the client.
  public var bytesDown: Int
  /// From the `CONNECT` to the end.
  public var duration: Duration
  /// The reason of it.
  public var reason: Reason

  /// Makes an end of what was seen.
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
    /// Both ends closed in good order.
    case closed
    /// The client aborted it.
    case clientReset
    /// The origin aborted it.
    case originReset
    /// The weather broke it off.
    case cut
    /// It was not opened: the `CONNECT` was answered so.
    case refused(Int)
    /// The origin could not be reached.
    case failed(Symptom)
    /// It should have been opened, and the client does not trust who vouches for its end.
    case certificateRefused
    /// It should have been opened, and the handshake failed: half a sentence says how.
    case handshakeFailed(String)
    /// Nothing passed for too long, or it lasted too long.
    case expired
    /// The proxy was ended.
    case stopped
  }

  /// Tells whether something else than the two ends ended it.
  public var isBroken: Bool {
    switch reason {
    case .closed, .stopped: false
    case .clientReset, .originReset, .cut, .refused, .failed, .expired, .certificateRefused,
      .handshakeFailed:
      true
    }
  }
}
