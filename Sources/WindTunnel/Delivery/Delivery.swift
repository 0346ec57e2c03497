public import Foundation
public import WindTunnelSymptoms

/// The steps to take on a connection, in their order.
///
/// A value: it can be compared, printed and stored, and it does nothing until a ``Player`` is fed
/// with it.
public struct Delivery: Sendable, Hashable {
  /// One thing to do.
  public enum Step: Sendable, Hashable {
    /// Go on when this has come from the client.
    case await(Arrival)
    /// Send nothing for a while.
    case wait(Duration)
    /// Send the status line and the fields.
    case head(ResponseHead)
    /// Shake hands in TLS, as the server that the client came to; what follows on the connection is
    /// sealed.
    case shakeHands(Handshake)
    /// Send bytes: of the body after a head, raw ones without.
    case bytes(Payload)
    /// End the message.
    case finish
    /// Send FIN and keep reading.
    case closeWrite
    /// Close the connection once everything has been sent.
    case close
    /// Abort the connection with RST once everything has been sent.
    case reset
    /// Send nothing more and keep the connection open.
    case stall
    /// Fail with what a client would see; only a stage without a wire can.
    case fail(Symptom)
    /// Connect to the live origin and pass everything both ways until both ends have closed.
    case relay
    /// The same, until so many bytes have gone to the client.
    case relayUntil(downBytes: Int)
  }

  /// Something that comes from the client.
  public enum Arrival: Sendable, Hashable {
    /// The first TLS record (RFC 8446 §4.1.2).
    case clientHello
    /// The request line and fields.
    case requestHead
    /// The whole request.
    case requestEnd
  }

  /// Bytes to send.
  public enum Payload: Sendable, Hashable {
    /// These.
    case data(Data)
    /// Those that the live origin sends, each slice pulled when the last has drained.
    case live
  }

  /// The fate of the connection after the last step.
  public enum Afterwards: Sendable, Hashable {
    /// It serves the next request.
    case keep
    /// It is closed.
    case close
    /// It is reset.
    case reset
    /// It serves the next request, if that comes before this end of it.
    case idle(IdleEnd)

    /// Tells whether it is there when the answer has ended.
    public var keepsConnection: Bool {
      switch self {
      case .keep, .idle: true
      case .close, .reset: false
      }
    }
  }

  /// The steps, in order.
  public var steps: [Step]
  /// The fate of the connection.
  public var afterwards: Afterwards

  /// Makes a delivery.
  public init(_ steps: [Step], afterwards: Afterwards = .keep) {
    self.steps = steps
    self.afterwards = afterwards
  }

  /// Nothing at all: the connection goes on.
  public static let nothing = Delivery([])

  /// The same for a request whose content is passed on while it comes, so that its end is not waited
  /// for; `nil` where no live origin answers.
  package var passingContent: Delivery? {
    guard steps.contains(.bytes(.live)) else { return nil }
    var passing = self
    passing.steps = steps.map { $0 == .await(.requestEnd) ? .await(.requestHead) : $0 }
    return passing
  }

  /// An answer that is sent in one go as soon as the request is whole, and after which the
  /// connection goes on; `nil` where it takes a player to say what happens when.
  package var whole: (head: ResponseHead, body: Data)? {
    guard afterwards == .keep, 3...4 ~= steps.count, case .await = steps[0],
      case .head(let head) = steps[1], case .finish = steps[steps.count - 1]
    else { return nil }
    if steps.count == 3 { return (head, Data()) }
    guard case .bytes(.data(let body)) = steps[2] else { return nil }
    return (head, body)
  }
}

/// The place where a delivery is carried.
public enum Stage: String, Sendable, Hashable, CaseIterable {
  /// By a `URLProtocol`, without sockets.
  case inProcess = "in-process"
  /// Over real sockets.
  case onTheWire = "wire"
}
