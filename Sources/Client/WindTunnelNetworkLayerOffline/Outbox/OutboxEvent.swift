public import Foundation
public import WindTunnelNetworkLayer

/// An event of an outbox. Each batch is a call of the client too, whose own events its observer
/// hears.
public enum OutboxEvent: Sendable, Hashable {
  /// A batch waits for a network that its endpoint may use.
  case waitingForNetwork(template: String, NetworkNeed)
  /// A batch was answered with a status that the endpoint's rules accept.
  case delivered(OutboxBatch, status: Int)
  /// A batch could not be delivered now, and is tried again after a wait with the same bytes.
  case heldBack(OutboxBatch, NetworkError, for: Duration)
  /// A batch was refused, and its calls are dead letters, but for those that fell out.
  case deadLettered(OutboxBatch, status: Int)
  /// Calls fell out that were not delivered.
  case fellOut(OutboxFallout)
  /// The end of a file had no whole call and was cut off, as a kill in the middle of a write leaves
  /// it.
  case cutOff(template: String, bytes: Int)
  /// Calls or a batch on the disk are damaged. Such calls are lost; a batch is made again. A file
  /// whose head is damaged stays under a name that ends in `.damaged`; that of dead letters has the
  /// template `dead-letters`.
  case damaged(template: String, calls: Int)
  /// Dead letters fell out, the oldest first; on a disk that is full those that were to be written.
  case deadLettersFellOut(Int)
  /// The disk refused what a batch needs, and is asked again after a wait; not for dead letters
  /// that find no room.
  case diskFailed(OutboxError)
}

/// The calls of one batch.
public struct OutboxBatch: Sendable, Hashable {
  /// The template of the endpoint.
  public var template: String
  /// The numbers of its calls, each as ``OutboxReceipt/number`` told it.
  public var numbers: ClosedRange<UInt64>
  /// The value of `Idempotency-Key`: that of its only call, or of the batch's own.
  public var key: String
}

/// The calls that left an outbox undelivered.
public struct OutboxFallout: Sendable, Hashable {
  /// The reasons for which calls fall out.
  public enum Reason: String, Sendable, Hashable, Codable {
    /// The calls were older than ``OutboxLimits/longestAge``.
    case age
    /// The calls were the oldest, and there was no room for a new one.
    case size
  }

  /// The template of the endpoint.
  public var template: String
  /// The numbers of the calls, each as ``OutboxReceipt/number`` told it.
  public var numbers: ClosedRange<UInt64>
  /// The reason for which they fell out.
  public var reason: Reason
}

/// The result of a call that was taken.
public struct OutboxReceipt: Sendable, Hashable {
  /// The number of the call within its endpoint, from 1.
  public var number: UInt64
  /// The calls that fell out to make room when it was taken.
  public var fellOut: [OutboxFallout]
}

/// A call that a server refused.
public struct DeadLetter: Sendable, Hashable {
  /// The template of the endpoint.
  public var template: String
  /// The status of the answer to its batch.
  public var status: Int
  /// The number of the call within its endpoint.
  public var number: UInt64
  /// The key of the call.
  public var key: String
  /// The body of the call.
  public var body: Data
}
