/// The sending side of one direction of a connection: which pauses lie in front of which segments.
struct LossySender: Sendable {
  let roundTrip: Duration

  /// RFC 6928.
  private static let initialWindow = 10
  /// What the kernel adds to a timer for its own clock: two ticks at 250 Hz.
  private static let jiffies = Duration.milliseconds(8)

  struct Pause: Sendable, Hashable {
    var segment: Int
    var length: Duration
  }

  /// RTO = SRTT + max(200 ms, 4·RTTVAR) with RTTVAR = RTT/2 at first (RFC 6298 §2.2).
  private var timeout: Duration { roundTrip + max(.milliseconds(200), roundTrip * 2) }
  /// A tail loss probe for one segment in flight (RFC 8985 §7.2), at most the RTO.
  private var probe: Duration { Self.onWheel(min(timeout, roundTrip * 2 + .milliseconds(200))) }

  /// Linux rounds a timer up to its wheel's step, which grows with the length (HZ = 250).
  private static func onWheel(_ length: Duration) -> Duration {
    let milliseconds = Int(length.inMilliseconds.rounded(.up))
    let steps = [(252, 4), (2016, 32), (16_128, 256)]
    let step = steps.first { milliseconds <= $0.0 }?.1 ?? 2048
    return .milliseconds((milliseconds + step - 1) / step * step)
  }

  /// The pauses that the fates of the segments make, flight by flight: each flight leaves when the
  /// one before it has been acknowledged.
  func pauses(of lost: [Bool], repeats: (Int) -> Bool) -> [Pause] {
    if lost == [true] { return [Pause(segment: 0, length: alone(repeats))] }
    var pauses: [Pause] = []
    var window = Self.initialWindow
    var growsFast = true
    var start = 0
    while start < lost.count {
      let end = min(lost.count, start + window)
      let flight = lost[start..<end]
      guard let first = flight.firstIndex(of: true) else {
        window = growsFast ? window * 2 : window + 1
        if lost.count > end, roundTrip > .zero {
          pauses.append(Pause(segment: end, length: roundTrip))
        }
        start = end
        continue
      }
      pauses.append(Pause(segment: first, length: recovery(of: flight, isLast: end == lost.count)))
      // The acknowledgements in front of the loss let new segments out together with the repeat,
      // those behind it one for two (RFC 6937). Then the window is half of what it had become.
      let before = first - start
      let along = (growsFast ? before * 2 : before) + (window - before - 1) / 2
      let recovered = min(lost.count, end + along)
      window = max(2, (growsFast ? window + before : window) / 2) + 1
      growsFast = false
      start = recovered
      if start < lost.count { pauses.append(Pause(segment: start, length: roundTrip)) }
    }
    return pauses
  }

  /// A single segment: a probe first, then the RTO once undoubled, then doubled.
  private func alone(_ repeats: (Int) -> Bool) -> Duration {
    (0..<LossTimeline.lossesMax - 1)
      .prefix { repeats(LossTimeline.repeatsStart + $0) }
      .reduce(probe) { $0 + Self.onWheel(timeout * (1 << $1)) }
  }

  /// Losses within one flight: fast retransmission where later segments were acknowledged, a
  /// probe where none was.
  private func recovery(of flight: ArraySlice<Bool>, isLast: Bool) -> Duration {
    guard flight.contains(false) else { return roundTrip * 6 + Self.jiffies }
    let tail = flight.reversed().prefix { $0 }.count
    guard isLast, tail > 0 else {
      let above = flight.reversed().prefix { !$0 }.count
      // RFC 8985 §6.2: with fewer than three acknowledged above it, a reordering window is left.
      return above >= 3 ? roundTrip : roundTrip + roundTrip / 4 + Self.jiffies
    }
    switch tail {
    case 1: return roundTrip + probe
    case 2: return roundTrip * 4 + Self.jiffies
    default: return roundTrip * 5 + Self.jiffies
    }
  }
}
