internal import Foundation

/// The date formats of HAR and HTTP. HAR uses ISO 8601 with a fraction of any length and a zone.
///
/// Foundation's formatters accept a fraction of three digits or none, but exporters write two to
/// seven.
package enum DateText {
  /// Returns the time since 1970 of a date such as `2024-05-01T10:00:00.1234567+02:00`. The default
  /// zone is UTC.
  package static func sinceEpoch(_ text: String) -> Duration? {
    let pattern =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,18}))? ?(Z|z|[+-][0-9]{2}:?[0-9]{2})?/
    guard let match = text.wholeMatch(of: pattern)?.output, let year = Int32(match.1),
      let month = Int32(match.2), let day = Int32(match.3), let hour = Int32(match.4),
      let minute = Int32(match.5), let second = Int32(match.6),
      1...12 ~= month, 1...31 ~= day, 0...24 ~= hour, 0...59 ~= minute, 0...60 ~= second
    else { return nil }
    let digits = String(match.7 ?? "0").prefix(9)
    let padded = digits + String(repeating: "0", count: 9 - digits.count)
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
    (time.tm_hour, time.tm_min, time.tm_sec) = (hour, minute, second)
    return .seconds(timegm(&time) - zoneSeconds(match.8 ?? "Z")) + .nanoseconds(Int(padded) ?? 0)
  }

  /// Returns the time since 1970 of a JSON value: an ISO 8601 date, an HTTP date, or milliseconds
  /// since 1970.
  package static func sinceEpoch(_ json: JSON) -> Duration? {
    if let text = json.stringValue { return sinceEpoch(text) ?? sinceEpoch(http: text) }
    // From 2001 to 2286. A smaller number is probably in seconds.
    guard let number = json.doubleValue, 1e12..<1e13 ~= number else { return nil }
    return Duration(milliseconds: number)
  }

  /// Returns a zone such as `+02:00` or `-0530` in seconds east of Greenwich.
  private static func zoneSeconds(_ zone: Substring) -> Int {
    guard zone.count > 1, let hours = Int(zone.dropFirst().prefix(2)),
      let minutes = Int(zone.suffix(2))
    else { return 0 }
    return (zone.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// Returns a time since 1970 as `2024-05-01T10:00:00.123Z`, rounded down to milliseconds.
  package static func text(_ sinceEpoch: Duration) -> String {
    let milliseconds = Int64(max(0, sinceEpoch.inMilliseconds.rounded(.down)))
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    let time = utc(Int(seconds))
    let clock = "\(padded(time.tm_hour)):\(padded(time.tm_min)):\(padded(time.tm_sec))"
    let date =
      "\(padded(time.tm_year + 1900, 4))-\(padded(time.tm_mon + 1))-\(padded(time.tm_mday))"
    return "\(date)T\(clock).\(padded(rest, 3))Z"
  }

  /// Returns the time since 1970 of a date in one of the three formats of RFC 9110 §5.6.7.
  ///
  /// The formats are `Wed, 21 Oct 2026 07:28:00 GMT` (also with dashes, as in cookies),
  /// `Wednesday, 21-Oct-26 07:28:00 GMT` and `Wed Oct 21 07:28:00 2026`.
  package static func sinceEpoch(http text: String) -> Duration? {
    let pattern = /[A-Za-z]+, ([0-9]{2})[- ]([A-Z][a-z]{2})[- ]([0-9]{4}|[0-9]{2}) ([0-9:]{8}) GMT/
    let asctime = /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ 0-9][0-9]) ([0-9:]{8}) ([0-9]{4})/
    let (year, name, day, time): (Substring, Substring, Substring, Substring)
    if let match = text.wholeMatch(of: pattern)?.output {
      (day, name, year, time) = (match.1, match.2, match.3, match.4)
    } else if let match = text.wholeMatch(of: asctime)?.output {
      (name, day, time, year) = (match.1, match.2, match.3, match.4)
    } else {
      return nil
    }
    guard let month = months.firstIndex(of: String(name)) else { return nil }
    // A two-digit year that is more than 50 years in the future is in the past (RFC 9110 §5.6.7).
    // The limit is fixed at 80.
    let century = year.count == 4 ? "" : year < "80" ? "20" : "19"
    let date = "\(century)\(year)-\(padded(month + 1))-\(day.replacing(" ", with: "0"))"
    return sinceEpoch("\(date)T\(time)Z")
  }

  /// Returns a time since 1970 as `Wed, 21 Oct 2026 07:28:00 GMT` (RFC 9110 §5.6.7), in whole
  /// seconds.
  package static func http(_ sinceEpoch: Duration, separator: Character = " ") -> String {
    let time = utc(max(0, Int(sinceEpoch.components.seconds)))
    let (month, year) = (months[Int(time.tm_mon)], padded(time.tm_year + 1900, 4))
    let clock = text(sinceEpoch).dropFirst(11).prefix(8)
    let date = "\(padded(time.tm_mday))\(separator)\(month)\(separator)\(year)"
    return "\(weekdays[Int(time.tm_wday)]), \(date) \(clock) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Returns the parts of a date, in UTC.
  private static func utc(_ sinceEpoch: Int) -> tm {
    var (seconds, time) = (time_t(sinceEpoch), tm())
    gmtime_r(&seconds, &time)
    return time
  }
}
