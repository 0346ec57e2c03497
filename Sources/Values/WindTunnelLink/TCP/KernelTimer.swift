/// The times at which the timers of a Linux kernel fire: on a wheel whose steps grow with the
/// duration.
///
/// The wheel has jiffies of 4 ms (HZ = 250). A timer of up to 252 ms fires at the end of its last
/// jiffy. A timer of up to 2 s fires at the next multiple of eight jiffies, a timer of up to 16 s
/// at a multiple of 64, and so on.
struct KernelTimer: Sendable, Hashable {
  /// The position of the wheel at the connection's beginning, in microseconds.
  let phase: Int

  static let jiffy = 4000
  /// The phase of deterministic links, so that they are the same for every seed.
  static let steadyPhase = 6500
  /// The period of the wheel's coarsest step that matters here: 256 × 2048 ms.
  static let turn = 524_288_000

  /// Returns a duration in jiffies, rounded up.
  static func jiffies(_ microseconds: Int) -> Int { (microseconds + jiffy - 1) / jiffy }

  /// Returns the time at which a timer fires that is set now to a number of jiffies.
  func fire(after jiffies: Int, at now: Int) -> Int {
    var shift = 0
    while jiffies >= 63 << shift, shift < 24 { shift += 3 }
    let expiry = (now + phase) / Self.jiffy + max(1, jiffies)
    return ((expiry >> shift) + 1) << shift * Self.jiffy - phase
  }
}
