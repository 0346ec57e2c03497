extension DateText {
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

  /// The date of `Wed, 21 Oct 2026 07:28:00 GMT` (RFC 9110 §5.6.7), with dashes as cookies have
  /// them, too.
  package static func sinceEpoch(http text: String) -> Duration? {
    let pattern =
      /[A-Za-z]+, ([0-9]{2})[- ]([A-Z][a-z]{2})[- ]([0-9]{4}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT/
    guard let match = text.wholeMatch(of: pattern)?.output,
      let month = months.firstIndex(of: String(match.2))
    else { return nil }
    return sinceEpoch("\(match.3)-\(padded(month + 1))-\(match.1)T\(match.4)Z")
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

  /// The day of the Gregorian calendar, by years that begin in March.
  private static func civil(daysSinceEpoch days: Int) -> (year: Int, month: Int, day: Int) {
    let days = days + 719_468
    let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
