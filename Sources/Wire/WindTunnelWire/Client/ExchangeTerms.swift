package import Foundation
package import WindTunnelHTTP

extension ClientExchange {
  /// The event that the timeout of a request limits.
  package enum Patience {
    /// Nothing was sent or received during the timeout.
    case silence
    /// The response must be complete within the timeout after connecting.
    case response
    /// The response must be complete within the timeout after the beginning.
    case exchange
  }

  /// The conditions of an exchange.
  package struct Terms {
    package let patience: Patience
    package let seconds: Double
    /// The limits of a response.
    package var limits = Limits.upstream
    /// The connections that may be reused; `nil` if the request has its own connection.
    package var pool: ConnectionPool?
    /// Whether a connection that served another request may be used.
    package var takesKept = true
    /// The time for which the connection is kept for its next request.
    package var idleSeconds = 0.0
    /// Whether the request includes a protocol upgrade.
    package var asksForUpgrade = false
    /// Whether a response with an invalid head is received as bytes.
    package var takesMalformed = false
    /// Whether chunked content is received as bytes too, and also after an invalid chunk.
    package var takesRawChunks = false
    /// Whether the timeout also limits the look-up and connecting.
    package var boundsConnecting = true

    package init(patience: Patience, seconds: Double) {
      (self.patience, self.seconds) = (patience, seconds)
    }
  }

  /// The events of an exchange in their order.
  package enum Event {
    /// The number of content bytes of the request that the system has accepted.
    case sent(Int)
    /// An interim response (RFC 9110 §15.2), before the final one.
    case informational(ResponseStart)
    /// The head of the final response.
    case head(ResponseStart)
    /// Content without its framing; never empty.
    case content(Data)
    /// All received bytes were processed, and the response is incomplete.
    case caughtUp
    /// The response is invalid for this reason; bytes follow until the end of the connection.
    case malformed(ProtocolError)
    /// Bytes of an invalid response, or of chunked content with its framing. The memory is only
    /// valid during the call.
    case bytes(UnsafeRawBufferPointer)
    /// The number of bytes that arrived with the response, but after its end. They are dropped,
    /// with the connection.
    case surplus(Int)
    /// The server switched protocols. The receiver owns the connection, with the first bytes in the
    /// new protocol. This is the last event.
    case upgraded(ResponseStart, Channel, Data)
    /// The response is complete, with these trailers. This is the last event.
    case end(HeaderFields, HTTPStages)
    /// The response is missing or incomplete. This is the last event.
    case failed(ExchangeFailure)
  }

  /// The parts of a response received so far.
  package struct Collected {
    private var head: ResponseHead?
    private var content = Data()

    package init() {}

    /// The response; `nil` if no head was received.
    package var response: Response? { head.map { Response($0, Body(content)) } }

    package mutating func take(_ event: Event) {
      switch event {
      case .head(let start): head = start.head
      case .content(let data): content.append(data)
      case .end(let trailers, _): head?.trailers = trailers
      case .sent, .informational, .caughtUp, .malformed, .bytes, .surplus, .upgraded, .failed: break
      }
    }
  }
}

/// The durations of an exchange's stages; `nil` if a stage did not take place, for example on a
/// reused connection.
package struct HTTPStages: Sendable, Hashable {
  /// The look-up of the server's addresses.
  package var nameLookup: Duration?
  /// The opening of the connection, TLS included.
  package var connect: Duration?
  /// The sending of the request.
  package var send: Duration?
  /// The time from the end of sending to the response's head.
  package var wait: Duration?
  /// The time from the response's head to its last byte.
  package var receive: Duration?
}
