/// A rate and a delay without windows: bytes leave in order, wait for their turn and are then under
/// way.
struct Pipe: Sendable, Hashable {
  let direction: Link.Direction
  /// When the link will have sent everything it was told of.
  private var busyUntil = Duration.zero
  private var underWay: [Mark] = []
  private var first = 0
  private var arrived = 0

  private struct Mark: Sendable, Hashable {
    var at: Duration
    var bytes: Int
  }

  init(_ direction: Link.Direction) { self.direction = direction }

  mutating func send(_ count: Int, at now: Duration) -> Duration {
    busyUntil = max(busyUntil, now) + transmission(of: count)
    let moment = busyUntil + direction.delay
    if count > 0 { underWay.append(Mark(at: moment, bytes: count)) }
    return moment
  }

  mutating func arrived(at now: Duration) -> Int {
    while first < underWay.count, underWay[first].at <= now {
      arrived += underWay[first].bytes
      first += 1
    }
    // What has passed goes at once in large parts, so that a long transfer does not pile it up.
    if first == underWay.count || first > 1024 {
      underWay.removeSubrange(..<first)
      first = 0
    }
    return arrived
  }

  var nextMoment: Duration? { first < underWay.count ? underWay[first].at : nil }

  func room(at now: Duration) -> Int {
    guard let most = direction.queueBytes else { return Int.max }
    return max(0, most - queued(at: now))
  }

  func roomAgain(for count: Int, at now: Duration) -> Duration {
    guard let most = direction.queueBytes else { return now }
    let wanted = min(count, most)
    let excess = queued(at: now) + wanted - most
    // At least a nanosecond, so that a wake-up for it lies ahead on the fastest link.
    return excess <= 0 ? now : now + max(.nanoseconds(1), transmission(of: excess))
  }

  /// Five milliseconds' worth, at least one full segment (RFC 6691's 1460).
  var sliceBytes: Int {
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
