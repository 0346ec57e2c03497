/// The receiving half of one end: what has come, and when that is acknowledged.
///
/// The first segments are acknowledged one by one. Later ones are when the application has read two
/// or more, which takes it a moment, so that what comes in one burst is acknowledged in one; a lone
/// one is after 40 ms (RFC 9293 §3.8.6.3). A segment out of order, and one that fills a gap, is at
/// once; beyond three in a row those out of order are drawn together over a millisecond.
struct TCPReceiver: Sendable, Hashable {
  /// The first segment that is missing.
  private(set) var next = 0
  /// The number of bytes that have come without a gap.
  private(set) var delivered = 0
  /// The stamp that is given back.
  private(set) var echo = 0
  /// The moment at which a delayed acknowledgement is due.
  private(set) var due: Int?

  /// The segments that have come beyond the gap, the newest first.
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

  /// The number of those acknowledged one by one from the first on, and again after one that came
  /// twice.
  private static let quickMost = 16
  /// For so many the receive window grows by each, which asks for one more.
  private static let growing = 6
  private static let delay = 10
  private static let together = 1000
  private static let reading = 100

  /// Takes in a segment and answers whether to acknowledge at once.
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

  /// Puts an acknowledgement into a packet that leaves now.
  mutating func acknowledge(in packet: inout Packet) {
    packet.acknowledged = next
    packet.echo = echo
    packet.duplicate = duplicate
    // With timestamps there is room for three blocks, one of them the duplicate's.
    packet.blocks = Array(islands.prefix(duplicate == nil ? 3 : 2))
    duplicate = nil
    due = nil
    if quick > 0, packet.kind == .acknowledgement || next > unacknowledged {
      quick -= 1
      isStarted = true
    }
    unacknowledged = next
  }

  /// A stamp that came without data.
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

  /// Joins what comes next if it is there already.
  private mutating func fill() -> Bool {
    guard let index = islands.firstIndex(where: { $0.lowerBound == next }) else { return false }
    let island = islands.remove(at: index)
    next = island.upperBound
    delivered = ends[next - 1] ?? delivered
    for segment in island { ends[segment] = nil }
    return true
  }
}
