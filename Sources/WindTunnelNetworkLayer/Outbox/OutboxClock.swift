internal import Foundation

/// A moment of an outbox: its own time, which never runs backwards, and the time of day then. Both
/// in milliseconds.
struct OutboxStamp: Sendable, Hashable {
  /// The time since the outbox was made.
  var elapsed: Int64
  /// The time of day since 1970.
  var date: Int64
}

/// An outbox's own time, by which calls grow old. While a process runs it is the uptime; from one
/// process to the next it is what the time of day says has passed, and nothing where that was set
/// back.
struct OutboxClock: Sendable {
  private static let fileBytes = 24
  private let time: any TimeSource
  private let start: Int64
  private let uptime: Duration

  /// Makes a clock that goes on after the last moment that is known; `nil`: there is none.
  init(_ time: any TimeSource, after last: OutboxStamp?) {
    (self.time, uptime) = (time, time.uptime)
    let date = Self.milliseconds(time.date)
    start = last.map { $0.elapsed + max(0, date - $0.date) } ?? 0
  }

  /// The moment of now.
  var now: OutboxStamp {
    let (seconds, attoseconds) = (time.uptime - uptime).components
    return OutboxStamp(
      elapsed: start + seconds * 1000 + attoseconds / 1_000_000_000_000_000,
      date: Self.milliseconds(time.date)
    )
  }

  /// Reads a moment that was kept; `nil` where it is damaged.
  static func stamp(of data: Data) -> OutboxStamp? {
    guard data.count == fileBytes,
      CallRecords.number(data, 16, 8) == CallRecords.check(data, 0..<16)
    else { return nil }
    return OutboxStamp(
      elapsed: Int64(bitPattern: CallRecords.number(data, 0, 8)),
      date: Int64(bitPattern: CallRecords.number(data, 8, 8))
    )
  }

  /// Returns a moment as bytes to be kept.
  static func data(of stamp: OutboxStamp) -> Data {
    var data = Data()
    CallRecords.add(UInt64(bitPattern: stamp.elapsed), to: &data)
    CallRecords.add(UInt64(bitPattern: stamp.date), to: &data)
    CallRecords.add(CallRecords.check(data), to: &data)
    return data
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}

extension Duration {
  /// Whole milliseconds, as an outbox counts.
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
