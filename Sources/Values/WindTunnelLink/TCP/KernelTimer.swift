/// The moments at which the timers of a Linux kernel fire: on its wheel, whose steps grow with the
/// length.
///
/// The wheel turns in jiffies of 4 ms (HZ = 250). A timer of up to 252 ms fires at the end of its
/// last jiffy, one of up to 2 s at the next multiple of eight, one of up to 16 s of 64, and so on.
struct KernelTimer: Sendable, Hashable {
  /// The place of the wheel when the connection's time began, in microseconds.
  let phase: Int

  static let jiffy = 4000
  /// The phase at which deterministic links begin, so that they are the same for every seed.
  static let steadyPhase = 6500
  /// After so long the wheel's coarsest step that matters here has turned once: 256 × 2048 ms.
  static let turn = 524_288_000

  /// Returns a length in jiffies, rounded up.
  static func jiffies(_ microseconds: Int) -> Int { (microseconds + jiffy - 1) / jiffy }

  /// Returns the moment at which a timer of so many jiffies that is set now fires.
  func fire(after jiffies: Int, at now: Int) -> Int {
    var shift = 0
    while jiffies >= 63 << shift, shift < 24 { shift += 3 }
    let expiry = (now + phase) / Self.jiffy + max(1, jiffies)
    return ((expiry >> shift) + 1) << shift * Self.jiffy - phase
  }
}
