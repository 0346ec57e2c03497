public import Foundation
public import WindTunnelNetworkLayer

/// An event of an outbox. Each batch is also a call of the client, whose observer receives its
/// events.
public enum OutboxEvent: Sendable, Hashable {
  /// A batch waits for a network that its endpoint may use.
  case waitingForNetwork(template: String, NetworkNeed)
  /// A batch was delivered: the endpoint's rules accept the response's status.
  case delivered(OutboxBatch, status: Int)
  /// A batch could not be delivered, and is sent again with the same bytes after a delay.
  case heldBack(OutboxBatch, NetworkError, for: Duration)
  /// A batch was refused. Its calls are dead letters, unless they were dropped.
  case deadLettered(OutboxBatch, status: Int)
  /// Calls were dropped before delivery.
  case fellOut(OutboxFallout)
  /// A file ended with an incomplete call, which was truncated. That occurs if a write is
  /// interrupted.
  case cutOff(template: String, bytes: Int)
  /// Calls or a batch on disk are damaged. Such calls are lost, and a batch is created again.
  ///
  /// A file with a damaged head is renamed to end in `.damaged`. For the file of dead letters the
  /// template is `dead-letters`.
  case damaged(template: String, calls: Int)
  /// Dead letters were dropped, the oldest first; on a full disk, the ones about to be written.
  case deadLettersFellOut(Int)
  /// The disk refused an operation for a batch, which is repeated after a delay.
  ///
  /// For dead letters on a full disk it is not repeated.
  case diskFailed(OutboxError)
}

/// A group of calls that is sent as one request.
public struct OutboxBatch: Sendable, Hashable {
  /// The template of the endpoint.
  public var template: String
  /// The numbers of its calls, each equal to its ``OutboxReceipt/number``.
  public var numbers: ClosedRange<UInt64>
  /// The value of `Idempotency-Key`: the key of its only call, or a key of the batch.
  public var key: String
}

/// The calls that an outbox dropped before delivery.
public struct OutboxFallout: Sendable, Hashable {
  /// The reasons why calls are dropped.
  public enum Reason: String, Sendable, Hashable, Codable {
    /// The calls were older than ``OutboxLimits/longestAge``.
    case age
    /// The calls were the oldest, and there was no room for a new one.
    case size
  }

  /// The template of the endpoint.
  public var template: String
  /// The numbers of the calls, each equal to its ``OutboxReceipt/number``.
  public var numbers: ClosedRange<UInt64>
  /// The reason why they were dropped.
  public var reason: Reason
}

/// The receipt of an accepted call.
public struct OutboxReceipt: Sendable, Hashable {
  /// The number of the call within its endpoint, from 1.
  public var number: UInt64
  /// The calls that were dropped to make room for it.
  public var fellOut: [OutboxFallout]
}

/// A call that a server refused.
public struct DeadLetter: Sendable, Hashable {
  /// The template of the endpoint.
  public var template: String
  /// The status of the response to its batch.
  public var status: Int
  /// The number of the call within its endpoint.
  public var number: UInt64
  /// The key of the call.
  public var key: String
  /// The body of the call.
  public var body: Data
}
