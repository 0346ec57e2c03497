/// The dates of HAR: ISO 8601 with a fraction of any length and a zone.
///
/// Foundation's formatters accept three digits or none, and exporters write two to seven.
package enum DateText {
  /// Returns the time since 1970 of `2024-05-01T10:00:00.1234567+02:00`; UTC where no zone is
  /// named.
  package static func sinceEpoch(_ text: String) -> Duration? {
    let pattern =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,18}))? ?(Z|z|[+-][0-9]{2}:?[0-9]{2})?/
    guard let match = text.wholeMatch(of: pattern)?.output, let year = Int(match.1),
      let month = Int(match.2), let day = Int(match.3), let hour = Int(match.4),
      let minute = Int(match.5), let second = Int(match.6),
      1...12 ~= month, 1...31 ~= day, 0...24 ~= hour, 0...59 ~= minute, 0...60 ~= second
    else { return nil }
    let digits = String(match.7 ?? "0").prefix(9)
    let padded = digits + String(repeating: "0", count: 9 - digits.count)
    let time = daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    return .seconds(time - zoneSeconds(match.8 ?? "Z")) + .nanoseconds(Int(padded) ?? 0)
  }

  /// Returns a date, or a date of HTTP or the milliseconds since 1970, which some write in its
  /// place.
  package static func sinceEpoch(_ json: JSON) -> Duration? {
    if let text = json.stringValue { return sinceEpoch(text) ?? sinceEpoch(http: text) }
    // From 2001 to 2286; a smaller number would be one of seconds.
    guard let number = json.doubleValue, 1e12..<1e13 ~= number else { return nil }
    return Duration(milliseconds: number)
  }

  /// `+02:00` or `-0530` in seconds east of Greenwich.
  private static func zoneSeconds(_ zone: Substring) -> Int {
    guard zone.count > 1, let hours = Int(zone.dropFirst().prefix(2)),
      let minutes = Int(zone.suffix(2))
    else { return 0 }
    return (zone.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// Days of the Gregorian calendar, counted in years that begin in March, so that the leap day is
  /// a year's last.
  private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  /// `2024-05-01T10:00:00.123Z` of a time since 1970; what is less than a millisecond is dropped.
  package static func text(_ sinceEpoch: Duration) -> String {
    let milliseconds = Int64(max(0, sinceEpoch.inMilliseconds.rounded(.down)))
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let (year, month, day) = civil(daysSinceEpoch: Int(days))
    let time = Int(rest)
    let clock =
      "\(padded(time / 3_600_000)):\(padded(time / 60_000 % 60)):\(padded(time / 1000 % 60))"
    let date = "\(padded(year, 4))-\(padded(month))-\(padded(day))"
    return "\(date)T\(clock).\(padded(time % 1000, 3))Z"
  }

  /// Returns the date of one of the three spellings of RFC 9110 §5.6.7:
  /// `Wed, 21 Oct 2026 07:28:00 GMT` (with dashes as in cookies, too),
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
    // A year that seems to be more than 50 years ahead is in the past.
    let century = year.count == 4 ? "" : year < "80" ? "20" : "19"
    let date = "\(century)\(year)-\(padded(month + 1))-\(day.replacing(" ", with: "0"))"
    return sinceEpoch("\(date)T\(time)Z")
  }

  /// `Wed, 21 Oct 2026 07:28:00 GMT` of a time since 1970 (RFC 9110 §5.6.7), by the second.
  package static func http(_ sinceEpoch: Duration, separator: Character = " ") -> String {
    let seconds = max(0, Int(sinceEpoch.components.seconds))
    let days = seconds / 86_400
    let (year, month, day) = civil(daysSinceEpoch: days)
    // 1970-01-01 was a Thursday.
    let weekday = weekdays[(days + 4) % 7]
    let date = "\(padded(day))\(separator)\(months[month - 1])\(separator)\(padded(year, 4))"
    let clock = text(sinceEpoch).dropFirst(11).prefix(8)
    return "\(weekday), \(date) \(clock) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Returns the day of the Gregorian calendar, by years that begin in March.
  private static func civil(daysSinceEpoch days: Int) -> (year: Int, month: Int, day: Int) {
    let days = days + 719_468
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
