/// The receiving half of one end: the segments that have arrived, and the times of
/// acknowledgements.
///
/// The first segments are acknowledged one by one. Later ones are acknowledged when the application
/// has read two or more. Reading takes a moment, so a burst has one acknowledgement. A single
/// segment is acknowledged after 40 ms (RFC 9293 §3.8.6.3).
///
/// A segment that is out of order or fills a gap is acknowledged at once. After three successive
/// segments out of order, their acknowledgements are combined over a millisecond.
struct TCPReceiver: Sendable, Hashable {
  /// The first missing segment.
  private(set) var next = 0
  /// The number of bytes that have arrived without a gap.
  private(set) var delivered = 0
  /// The time stamp to echo.
  private(set) var echo = 0
  /// The time at which a delayed acknowledgement is due; `nil` if none is.
  private(set) var due: Int?

  /// The ranges of segments beyond the gap, the newest first.
  private var islands: [Range<Int>] = []
  private var ends: [Int: Int] = [:]
  private var duplicate: Range<Int>?
  /// The first segment that has not been acknowledged.
  private var unacknowledged = 0
  private var quick = 0
  private var isStarted = false
  private var growth = growing
  private var repeats = 0
  private var repeatsAt = 0

  /// The number of segments that are acknowledged one by one, at the beginning and after a
  /// duplicate.
  private static let quickMost = 16
  /// The number of segments during which the receive window grows, each of which causes another
  /// acknowledgement.
  private static let growing = 6
  private static let delay = 10
  private static let together = 1000
  private static let reading = 100

  /// Processes a segment; returns whether to acknowledge it at once.
  mutating func take(_ packet: Packet, at now: Int, _ timer: KernelTimer) -> Bool {
    if packet.segment <= unacknowledged { echo = max(echo, packet.stamp) }
    if packet.segment < next || islands.contains(where: { $0.contains(packet.segment) }) {
      duplicate = packet.segment..<packet.segment + 1
      (quick, isStarted) = (Self.quickMost, true)
      return true
    }
    if packet.segment == next, !isStarted { (quick, isStarted) = (Self.quickMost, true) }
    if growth > 0 {
      growth -= 1
      quick |= 1
    }
    guard packet.segment == next else {
      ends[packet.segment] = packet.end
      insert(packet.segment)
      return isAcknowledgedNow(outOfOrder: now)
    }
    next += 1
    delivered = packet.end
    let filled = fill()
    if filled, islands.isEmpty { return true }
    if quick > 0 { return true }
    if !islands.isEmpty { return isAcknowledgedNow(outOfOrder: now) }
    let isPair = next - unacknowledged > 1
    due = min(due ?? .max, isPair ? now + Self.reading : timer.fire(after: Self.delay, at: now))
    return false
  }

  private mutating func isAcknowledgedNow(outOfOrder now: Int) -> Bool {
    if quick > 0 { return true }
    if repeatsAt != next { (repeatsAt, repeats) = (next, 0) }
    repeats += 1
    if repeats <= 3 { return true }
    due = min(due ?? .max, now + Self.together)
    return false
  }

  /// Adds an acknowledgement to a packet that leaves now.
  mutating func acknowledge(in packet: inout Packet) {
    packet.acknowledged = next
    packet.echo = echo
    packet.duplicate = duplicate
    // With timestamps there is room for three blocks, including the duplicate's.
    packet.blocks = Array(islands.prefix(duplicate == nil ? 3 : 2))
    duplicate = nil
    due = nil
    if quick > 0, packet.kind == .acknowledgement || next > unacknowledged {
      quick -= 1
      isStarted = true
    }
    unacknowledged = next
  }

  /// Records the time stamp of a packet without data.
  mutating func note(_ packet: Packet) {
    if packet.segment <= unacknowledged { echo = max(echo, packet.stamp) }
  }

  private mutating func insert(_ segment: Int) {
    var island = segment..<segment + 1
    islands.removeAll { other in
      guard other.upperBound == island.lowerBound || other.lowerBound == island.upperBound else {
        return false
      }
      let lower = min(other.lowerBound, island.lowerBound)
      island = lower..<max(other.upperBound, island.upperBound)
      return true
    }
    islands.insert(island, at: 0)
  }

  /// Joins the next range if its segments have already arrived.
  private mutating func fill() -> Bool {
    guard let index = islands.firstIndex(where: { $0.lowerBound == next }) else { return false }
    let island = islands.remove(at: index)
    next = island.upperBound
    delivered = ends[next - 1] ?? delivered
    for segment in island { ends[segment] = nil }
    return true
  }
}
