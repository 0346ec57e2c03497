/// What a link does to the bytes of one direction of one connection.
///
/// A value that is told byte counts and times and answers what may be released when. Bytes leave
/// in order: each waits for its turn at the link's rate and is then under way for the link's delay.
/// Nothing is ever dropped: on TCP a lost packet is late, not missing.
public struct Shaper: Sendable, Hashable {
  fileprivate let direction: Link.Direction
  /// When the link will have sent everything it was told of.
  private var busyUntil = Duration.zero

  /// Makes the shaper of a direction.
  public init(_ direction: Link.Direction) { self.direction = direction }

  /// Takes bytes at a time and answers when the last of them arrives. Times count from any one
  /// origin and never run backwards.
  public mutating func send(_ count: Int, at now: Duration) -> Duration {
    busyUntil = max(busyUntil, now) + transmission(of: count)
    return busyUntil + direction.delay
  }

  /// How many bytes may be handed over at a time before the queue is full.
  public func room(at now: Duration) -> Int {
    guard let most = direction.queueBytes else { return Int.max }
    return max(0, most - queued(at: now))
  }

  /// When there is room for at least one byte, or for a whole empty queue's worth of `count`.
  public func roomAgain(for count: Int, at now: Duration) -> Duration {
    guard let most = direction.queueBytes else { return now }
    let wanted = min(count, most)
    let excess = queued(at: now) + wanted - most
    // At least a nanosecond, so that a wake-up for it lies ahead on the fastest link.
    return excess <= 0 ? now : now + max(.nanoseconds(1), transmission(of: excess))
  }

  /// How many bytes one release should hold, so that a rate shows in the small and a fast link
  /// needs few wake-ups: five milliseconds' worth, at least one full segment (RFC 6691's 1460).
  public var sliceBytes: Int {
    guard let rate = direction.bitsPerSecond else { return Int.max }
    return max(1460, Int(rate / 8 * 0.005))
  }

  private func queued(at now: Duration) -> Int {
    guard let rate = direction.bitsPerSecond, busyUntil > now else { return 0 }
    return Int((Double((busyUntil - now).inNanoseconds) / 1e9 * rate / 8).rounded(.up))
  }

  private func transmission(of count: Int) -> Duration {
    guard let rate = direction.bitsPerSecond, count > 0 else { return .zero }
    return .nanoseconds(Int64(min((Double(count) * 8e9 / rate).rounded(), 9e18)))
  }
}

extension Shaper {
  /// How many bytes the queue holds; `nil`: any number.
  var queueBytes: Int? { direction.queueBytes }
}
