public import Foundation
public import WindTunnelSymptoms

extension Player {
  /// Something that happened to the courier.
  public enum Event: Sendable, Hashable {
    /// The delivery may begin, or a moment that was asked for has come.
    case tick
    /// This has come from the client.
    case arrived(Delivery.Arrival)
    /// While the player meters: so many bytes have come to be passed this way.
    case came(Link.Way, Int)
    /// While the player meters: this way has come to its end (FIN).
    case ended(Link.Way)
  }

  /// Something for the courier to do, in order.
  public enum Action: Sendable, Hashable {
    /// Send the status line and the fields.
    case head(ResponseHead)
    /// Shake hands in TLS from here on.
    case shakeHands(Handshake)
    /// Send bytes.
    case bytes(Data)
    /// Take over what the live origin sends; where the player meters, tell it of every byte.
    case live
    /// End the message; `Afterwards` says what becomes of the connection.
    case finish(Delivery.Afterwards)
    /// Send FIN and keep reading.
    case closeWrite
    /// Close once everything has been sent.
    case close
    /// Send RST once everything has been sent.
    case reset
    /// Nothing more will come.
    case stall
    /// Fail with this.
    case fail(Symptom)
    /// Connect to the live origin and pass everything both ways; where the player meters, tell it of
    /// every byte and pass what it says.
    case relay
    /// Pass so many of the bytes that wait to go this way.
    case pass(Link.Way, Int)
    /// Pass the end of this way on; everything before it has been passed.
    case passEnd(Link.Way)
    /// Read no more of what goes this way.
    case hold(Link.Way)
    /// Read again.
    case takeMore(Link.Way)
    /// Call again at this moment.
    case wake(Duration)
  }
}
