internal import Foundation

/// The three date formats of HTTP (RFC 9110 §5.6.7), always in GMT.
///
///     Sun, 06 Nov 1994 08:49:37 GMT     IMF-fixdate, the one to send
///     Sunday, 06-Nov-94 08:49:37 GMT    RFC 850, obsolete
///     Sun Nov  6 08:49:37 1994          asctime, obsolete
///
/// Parsed by hand, because a date formatter depends on locale and calendar and accepts formats that
/// servers must not send. The name of the day is not compared with the date.
enum HTTPDate {
  /// Parses a date. `now` determines the century of a two-digit year.
  static func parse(_ text: String, now: Date) -> Date? {
    let parts = text.split(separator: " ").map(String.init)
    if parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT" {
      return date(day: parts[1], month: parts[2], year: number(parts[3], digits: 4), parts[4])
    }
    if parts.count == 4, parts[0].hasSuffix(","), parts[3] == "GMT" {
      let day = parts[1].split(separator: "-").map(String.init)
      guard day.count == 3, let year = number(day[2], digits: 2) else { return nil }
      return date(day: day[0], month: day[1], twoDigitYear: year, parts[2], now: now)
    }
    if parts.count == 5 {
      return date(day: parts[2], month: parts[1], year: number(parts[4], digits: 4), parts[3])
    }
    return nil
  }

  /// Returns a date with a two-digit year. If it seems to be more than 50 years ahead, it is the
  /// latest such year in the past (RFC 9110 §5.6.7).
  private static func date(
    day: String,
    month: String,
    twoDigitYear: Int,
    _ time: String,
    now: Date
  ) -> Date? {
    let calendar = gregorian
    guard let ahead = calendar.date(byAdding: .year, value: 50, to: now) else { return nil }
    let latest = calendar.component(.year, from: ahead)
    let year = latest - (latest - twoDigitYear) % 100
    guard let moment = date(day: day, month: month, year: year, time) else { return nil }
    return moment <= ahead ? moment : date(day: day, month: month, year: year - 100, time)
  }

  private static func date(day: String, month: String, year: Int?, _ time: String) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
      .map { number(String($0), digits: 2) }
    guard let year, let month = months.firstIndex(of: month), (1...2).contains(day.utf8.count),
      let day = number(day, digits: day.utf8.count), clock.count == 3, let hour = clock[0],
      let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let parts = DateComponents(year: year, month: month + 1, day: day, hour: hour, minute: minute)
    guard parts.isValidDate(in: gregorian), let date = gregorian.date(from: parts) else {
      return nil
    }
    // Second 60 is a leap second, which Foundation's time does not count.
    return date.addingTimeInterval(TimeInterval(second))
  }

  private static func number(_ text: String, digits: Int) -> Int? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static let gregorian: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
