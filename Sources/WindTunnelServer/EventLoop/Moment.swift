internal import Foundation

/// A point of monotonic time, in nanoseconds since some start that only differences can see.
struct Moment: Sendable, Hashable, Comparable {
  var nanoseconds: Int64

  static func now() -> Moment {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  static func + (moment: Moment, nanoseconds: Int64) -> Moment {
    Moment(nanoseconds: moment.nanoseconds + nanoseconds)
  }

  /// The nanoseconds from `earlier` to `later`.
  static func - (later: Moment, earlier: Moment) -> Int64 {
    later.nanoseconds - earlier.nanoseconds
  }
}

extension Int64 {
  /// Seconds as nanoseconds, without overflow for what is practically for ever.
  init(nanosecondsOf seconds: Double) {
    self = Int64(Swift.min(Swift.max(seconds, 0), 1_000_000_000) * 1_000_000_000)
  }
}
