/// The progress of one call's content in both directions, as a sequence that ends with the call.
///
/// ```swift
/// let progress = TransferProgress()
/// async let answer = client.call(upload, progress: progress)
/// for await step in progress { bar.value = step.sentFraction ?? 0 }
/// ```
///
/// A slow reader receives the latest step and misses the earlier ones. A second attempt sends all
/// content again, but a download continues with the bytes already received.
public struct TransferProgress: AsyncSequence, Sendable {
  /// A moment of a transfer.
  public struct Step: Sendable, Hashable {
    /// The number of bytes of content that were sent.
    public var sent: Int64 = 0
    /// The number of bytes to send; `nil` if it is unknown.
    public var toSend: Int64?
    /// The number of bytes of content that were received.
    public var received: Int64 = 0
    /// The number of bytes to receive; `nil` if the server does not report it.
    public var toReceive: Int64?

    /// Creates the step before anything was sent or received.
    public init() {}

    /// The sent fraction of the content, from 0 to 1; `nil` if its length is unknown.
    public var sentFraction: Double? { Self.fraction(sent, of: toSend) }
    /// The received fraction of the content, from 0 to 1; `nil` if its length is unknown.
    public var receivedFraction: Double? { Self.fraction(received, of: toReceive) }

    private static func fraction(_ count: Int64, of all: Int64?) -> Double? {
      all.map { $0 > 0 ? Swift.min(1, Double(count) / Double($0)) : 1 }
    }
  }

  /// One step of the transfer.
  public typealias Element = Step

  private let steps: AsyncStream<Step>
  private let next: AsyncStream<Step>.Continuation
  private let latest = Locked(Step())

  /// Creates the progress of a call that has not begun. Each call needs its own.
  public init() {
    (steps, next) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Creates an iterator over future steps; only one reader is supported.
  public func makeAsyncIterator() -> AsyncStream<Step>.AsyncIterator {
    steps.makeAsyncIterator()
  }

  func sent(_ count: Int64, of all: Int64?) {
    tell { ($0.sent, $0.toSend) = (count, all.flatMap { $0 < 0 ? nil : $0 }) }
  }

  func received(_ count: Int64, of all: Int64?) {
    tell { ($0.received, $0.toReceive) = (count, all) }
  }

  /// Ends the sequence of steps.
  func end() { next.finish() }

  private func tell(_ change: (inout Step) -> Void) {
    latest.withLock { step in
      change(&step)
      // Within the lock, so that steps arrive in order.
      next.yield(step)
    }
  }
}
