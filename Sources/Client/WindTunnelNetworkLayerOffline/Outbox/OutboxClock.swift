internal import Foundation
internal import WindTunnelNetworkLayer

/// A moment of an outbox: its own time, which never runs backwards, and the time of day then. Both
/// in milliseconds.
struct OutboxStamp: Sendable, Hashable, Codable {
  /// The time since the outbox was made.
  var elapsed: Int64
  /// The time of day since 1970, or the latest one that was seen before where that was later.
  var date: Int64

  /// Returns the later of each time of two moments.
  func latest(with other: OutboxStamp?) -> OutboxStamp {
    guard let other else { return self }
    return OutboxStamp(elapsed: max(elapsed, other.elapsed), date: max(date, other.date))
  }
}

/// An outbox's own time, by which calls grow old. While a process runs it is the uptime; from one
/// process to the next it is what the time of day says has passed since the latest one that was
/// ever seen, so that a clock that is set back and put right again adds nothing.
struct OutboxClock: Sendable {
  /// The most milliseconds from one process to the next that count: a day. A clock that jumps costs
  /// no more than that, and calls of an app that is seldom started stay longer.
  private static let longestRest: Int64 = 86_400_000
  private static let magic = "WTC1"
  private let time: any TimeSource
  private let start: Int64
  private let uptime: Duration
  private let latestDate: Int64

  /// Makes a clock that goes on after the last moment that is known; `nil`: there is none.
  init(_ time: any TimeSource, after last: OutboxStamp?) {
    (self.time, uptime) = (time, time.uptime)
    let date = Self.milliseconds(time.date)
    start = last.map { $0.elapsed + min(max(0, date - $0.date), Self.longestRest) } ?? 0
    latestDate = max(date, last?.date ?? date)
  }

  /// The moment of now.
  var now: OutboxStamp {
    OutboxStamp(
      elapsed: start + (time.uptime - uptime).milliseconds,
      date: max(latestDate, Self.milliseconds(time.date))
    )
  }

  /// Reads a moment that was kept; `nil` if it is damaged.
  static func stamp(of data: Data) -> OutboxStamp? {
    let file: (head: OutboxStamp, body: Data)? = CheckedFile.read(magic, data)
    return file?.head
  }

  /// Returns a moment as a ``CheckedFile``.
  static func data(of stamp: OutboxStamp) throws -> Data { try CheckedFile.write(magic, stamp) }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}

extension Duration {
  /// Whole milliseconds, as an outbox counts, within ± 146 million years.
  var milliseconds: Int64 {
    let most = Int64.max / 2000
    let seconds = min(max(components.seconds, -most), most)
    return seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
