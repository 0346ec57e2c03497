/// The progress of one call's content in both directions, as a sequence that ends with the call.
///
/// ```swift
/// let progress = TransferProgress()
/// async let answer = client.call(upload, progress: progress)
/// for await step in progress { bar.value = step.sentFraction ?? 0 }
/// ```
///
/// Whoever reads slowly gets the latest step and misses those before it. A second attempt begins
/// anew with what it sends, and goes on with what has been received of a download.
public struct TransferProgress: AsyncSequence, Sendable {
  /// A moment of a transfer.
  public struct Step: Sendable, Hashable {
    /// The number of bytes of content that were sent.
    public var sent: Int64 = 0
    /// The number of bytes that there are to send; `nil` where it is not known.
    public var toSend: Int64?
    /// The number of bytes of content that were received.
    public var received: Int64 = 0
    /// The number of bytes that there are to receive; `nil` where the server does not say.
    public var toReceive: Int64?

    /// Makes the moment before anything was sent or received.
    public init() {}

    /// The part of the content that was sent, from 0 to 1; `nil` where its length is not known.
    public var sentFraction: Double? { Self.fraction(sent, of: toSend) }
    /// The part of the content that was received, from 0 to 1; `nil` where its length is not known.
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

  /// Makes the progress of a call that has not begun; each call has its own.
  public init() {
    (steps, next) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Makes an iterator of the steps to come; there is one reader.
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
      // Within the lock, so that no older step comes last.
      next.yield(step)
    }
  }
}
