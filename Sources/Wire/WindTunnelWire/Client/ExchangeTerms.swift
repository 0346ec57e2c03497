package import Foundation
internal import WindTunnelCore
package import WindTunnelHTTP

extension ClientExchange {
  /// The meaning of the time after which a request fails.
  package enum Patience {
    /// Nothing was sent or received for so long.
    case silence
    /// The response is incomplete so long after there was a connection.
    case response
    /// The response is incomplete so long after the beginning.
    case exchange
  }

  /// The terms of an exchange.
  package struct Terms {
    package let patience: Patience
    package let seconds: Double
    /// The limits of a response.
    package var limits = Limits.upstream
    /// The connections that may be used again; `nil`: the request has one of its own.
    package var pool: ConnectionPool?
    /// Whether a connection may be used that served another request.
    package var takesKept = true
    /// The time for which a connection waits for its next request.
    package var idleSeconds = 0.0
    /// Whether the request asks for another protocol.
    package var asksForUpgrade = false
    /// Whether a response with an invalid head is received as bytes.
    package var takesMalformed = false
    /// Whether the look-up and connecting have no more time than that.
    package var boundsConnecting = true

    package init(patience: Patience, seconds: Double) {
      (self.patience, self.seconds) = (patience, seconds)
    }
  }

  /// The events of an exchange, in their order.
  package enum Event {
    /// So many bytes of the request's content are with the system.
    case sent(Int)
    /// The head of the final response.
    case head(ResponseStart)
    /// Content without its framing; never empty.
    case content(Data)
    /// Everything that arrived was received, and the response is incomplete.
    case caughtUp
    /// The head is invalid for this reason; bytes follow until the end of the connection.
    case malformed(ProtocolError)
    /// Bytes of a response with an invalid head. The memory is valid only during the call.
    case bytes(UnsafeRawBufferPointer)
    /// The server switched protocols. Its connection is the receiver's, with the first bytes in the
    /// other protocol. Nothing follows.
    case upgraded(ResponseStart, Channel, Data)
    /// The response is complete, with these trailers. Nothing follows.
    case end(HeaderFields, HTTPStages)
    /// There is no response, or no more of it. Nothing follows.
    case failed(ExchangeFailure)
  }

  /// The parts of a response that arrived.
  package struct Collected {
    private var head: ResponseHead?
    private var content = Data()

    package init() {}

    /// The response; `nil` if no head arrived.
    package var response: Response? { head.map { Response($0, Body(content)) } }

    package mutating func take(_ event: Event) {
      switch event {
      case .head(let start): head = start.head
      case .content(let data): content.append(data)
      case .end(let trailers, _): head?.trailers = trailers
      case .sent, .caughtUp, .malformed, .bytes, .upgraded, .failed: break
      }
    }
  }
}

/// The durations of an exchange's stages; `nil` of those that did not take place, as on a
/// connection that was already open.
package struct HTTPStages: Sendable, Hashable {
  /// The look-up of the server's addresses.
  package var nameLookup: Duration?
  /// The opening of the connection, TLS included.
  package var connect: Duration?
  /// The sending of the request.
  package var send: Duration?
  /// The time from there to the answer's head.
  package var wait: Duration?
  /// The time from there to its last byte.
  package var receive: Duration?
}
