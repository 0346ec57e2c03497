internal import Foundation

/// The growth and the reduction of a window by CUBIC (RFC 9438).
///
/// It includes the Reno-friendly region, fast convergence, and the early end of slow start if the
/// round trip grows (HyStart).
struct CubicGrowth: Sendable, Hashable {
  /// The share of a window that remains after a loss: Linux's 717 of 1024.
  private static let (left, whole) = (717, 1024)
  private static let scale = 0.4

  private var lastMost = 0
  private var epoch: Int?
  private var origin = 0
  private var inflection = 0.0
  private var acknowledged = 0
  private var friendly = 0
  private var pending = 0
  private var every = 100
  private var (updatedAt, updatedWindow) = (-1, 0)

  private var round = Round()
  private var leastDelay = Int.max

  /// Returns the slow-start threshold after a loss.
  mutating func threshold(window: Int) -> Int {
    epoch = nil
    let isShrinking = window < lastMost
    lastMost = isShrinking ? window * (Self.whole + Self.left) / (2 * Self.whole) : window
    return max(2, window * Self.left / Self.whole)
  }

  /// Forgets the earlier window after a timeout.
  mutating func reset() { self = CubicGrowth() }

  /// Grows a window in congestion avoidance by a number of acknowledged segments.
  mutating func grow(_ window: inout Int, by count: Int, at now: Int) {
    update(window, by: count, at: now)
    if pending >= every {
      pending = 0
      window += 1
    }
    pending += count
    if pending >= every {
      window += pending / every
      pending %= every
    }
  }

  mutating func forgetPending() { pending = 0 }

  /// Computes the number of acknowledgements for the next segment of the window.
  private mutating func update(_ window: Int, by count: Int, at now: Int) {
    acknowledged += count
    if updatedWindow == window, now - updatedAt <= 28_000 { return }
    (updatedAt, updatedWindow) = (now, window)
    let start: Int
    if let epoch {
      start = epoch
    } else {
      (epoch, start) = (now, now)
      acknowledged = count
      friendly = window
      origin = max(window, lastMost)
      inflection = cbrt(Double(origin - window) / Self.scale)
    }
    let delay = leastDelay == .max ? 0 : leastDelay
    let time = Double(now - start + delay) / 1e6 - inflection
    // Whole segments, truncated instead of rounded, like the kernel's arithmetic.
    let distance = Int(Self.scale * abs(time * time * time))
    let ahead = (time < 0 ? origin - distance : origin + distance) - window
    every = ahead > 0 ? window / ahead : 100 * window
    if lastMost == 0 { every = min(every, 20) }
    // The window that Reno with the same reduction would have reached.
    let share = window * 15 / 8
    while share > 0, acknowledged > share {
      acknowledged -= share
      friendly += 1
    }
    if friendly > window { every = min(every, window / (friendly - window)) }
    every = max(every, 2)
  }

  /// Processes a sample and returns whether slow start should end.
  ///
  /// It ends if the round trip has grown by an eighth, or if acknowledgements arrived in close
  /// succession for half a round trip.
  mutating func endsSlowStart(
    sample: Int,
    window: Int,
    acknowledged una: Int,
    next: Int,
    at now: Int
  ) -> Bool {
    leastDelay = min(leastDelay, sample)
    guard window >= 16 else { return false }
    if una > round.end { round = Round(end: next, start: now, last: now) }
    if now - round.last <= 2000 {
      round.last = now
      if now - round.start > leastDelay / 2 { return true }
    }
    round.least = min(round.least, sample)
    round.samples += 1
    guard round.samples > 8 else { return false }
    return round.least > leastDelay + min(max(leastDelay / 8, 4000), 16_000)
  }

  /// One round trip of slow start.
  private struct Round: Sendable, Hashable {
    var (end, start, last) = (0, 0, 0)
    var (least, samples) = (Int.max, 0)

    init(end: Int = 0, start: Int = 0, last: Int = 0) {
      (self.end, self.start, self.last) = (end, start, last)
    }
  }
}
