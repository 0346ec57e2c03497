/// The dates of HAR: ISO 8601 with a fraction of any length and a zone.
///
/// Foundation's formatters accept three digits or none, and exporters write two to seven.
package enum DateText {
  /// The time since 1970 of `2024-05-01T10:00:00.1234567+02:00`; UTC where no zone is named.
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

  /// A date, or a date of HTTP or the milliseconds since 1970, which some write in its place.
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
}
