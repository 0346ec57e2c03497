internal import Foundation
internal import WindTunnelNetworkLayer

/// A moment in an outbox's own time, which never decreases, with the date. Both in milliseconds.
struct OutboxStamp: Sendable, Hashable, Codable {
  /// The time since the outbox was created.
  var elapsed: Int64
  /// The date since 1970, or the latest date seen before if that was later.
  var date: Int64

  /// Returns the maximum of both times of two moments.
  func latest(with other: OutboxStamp?) -> OutboxStamp {
    guard let other else { return self }
    return OutboxStamp(elapsed: max(elapsed, other.elapsed), date: max(date, other.date))
  }
}

/// An outbox's own time, which determines the age of calls.
///
/// Within a process it is the uptime. Between processes it is the time since the latest date ever
/// seen. A clock that is set back and corrected again therefore adds nothing.
struct OutboxClock: Sendable {
  /// The maximum time between two processes that counts, in milliseconds: a day.
  ///
  /// A clock that jumps ahead adds no more. In an app that is rarely started, calls are kept
  /// longer.
  private static let longestRest: Int64 = 86_400_000
  static let magic = "WTC1"
  private let time: any TimeSource
  private let start: Int64
  private let uptime: Duration
  private let latestDate: Int64

  /// Creates a clock that continues after the last known moment; `nil` if there is none.
  init(_ time: any TimeSource, after last: OutboxStamp?) {
    (self.time, uptime) = (time, time.uptime)
    let date = Self.milliseconds(time.date)
    start = last.map { $0.elapsed + min(max(0, date - $0.date), Self.longestRest) } ?? 0
    latestDate = max(date, last?.date ?? date)
  }

  /// The current moment of the clock.
  var now: OutboxStamp {
    OutboxStamp(
      elapsed: start + (time.uptime - uptime).milliseconds,
      date: max(latestDate, Self.milliseconds(time.date))
    )
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}

extension Duration {
  /// The number of whole milliseconds, limited to ± 146 million years.
  var milliseconds: Int64 {
    let most = Int64.max / 2000
    let seconds = min(max(components.seconds, -most), most)
    return seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
