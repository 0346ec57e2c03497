internal import Foundation

/// The formatting of times and numbers for readers.
enum Words {
  /// Returns a time such as `1.25 s` or `20 ms`.
  static func time(_ time: Duration) -> String {
    let milliseconds = Double(time.wholeMicroseconds) / 1000
    return milliseconds < 1000
      ? "\(JSON.number(milliseconds, places: 3)) ms"
      : "\(JSON.number(milliseconds / 1000, places: 3)) s"
  }

  /// Returns a number with a noun: `1 find`, `2 finds`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Returns a number with commas: `12,345`.
  static func grouped(_ number: Int) -> String {
    number.formatted(.number.locale(Locale(identifier: "en_US")))
  }
}
