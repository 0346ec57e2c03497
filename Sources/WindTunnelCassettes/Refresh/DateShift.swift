internal import Foundation

/// Moves dates by whole seconds, each in the spelling that it has and by the same number of bytes.
struct DateShift: Hashable {
  /// How far, in seconds.
  let seconds: Int
  /// When the answer was recorded, in seconds since 1970.
  let recorded: Int

  /// The dates of HTTP and RFC 3339 have four digits for the year.
  private static let secondsMax = 253_402_300_799
  /// Zero stands for no date at all, and what was before is nobody's expiry.
  private static let secondsMin = 86_400

  private func moved(_ time: Duration?) -> Int? {
    guard let time, time >= .seconds(Self.secondsMin) else { return nil }
    let moved = Int(time.components.seconds) + seconds
    return (Self.secondsMin...Self.secondsMax).contains(moved) ? moved : nil
  }

  /// `2024-05-01T10:00:00.123+02:00` (RFC 3339 §5.6); fraction and zone stay. `nil` for what is none.
  func timestamp(_ text: String) -> String? {
    guard 20...40 ~= text.utf8.count,
      let match = text.wholeMatch(
        of: /(\d{4}-\d{2}-\d{2})([Tt ])(\d{2}:\d{2}:\d{2})([.,]\d{1,18})?(Z|z|[+-]\d{2}:?\d{2})/
      )?.output,
      let moved = moved(DateText.sinceEpoch("\(match.1)T\(match.3)Z"))
    else { return nil }
    let new = DateText.text(.seconds(moved))
    let (date, time) = (new.prefix(10), new.dropFirst(11).prefix(8))
    return "\(date)\(match.2)\(time)\(match.4 ?? "")\(match.5)"
  }

  /// `Wed, 21 Oct 2026 07:28:00 GMT` (RFC 9110 §5.6.7), with dashes as cookies have them, too.
  func http(_ text: String) -> String? {
    guard text.utf8.count == 29, let moved = moved(DateText.sinceEpoch(http: text)) else {
      return nil
    }
    return DateText.http(.seconds(moved), separator: text.contains("-") ? "-" : " ")
  }

  /// A number of seconds or milliseconds since 1970, if it is one from the years about the recording:
  /// any other number of ten or thirteen digits is likelier something else.
  func epoch(_ digits: String) -> String? {
    guard let number = Int(digits), digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      return nil
    }
    let scale: Int
    switch digits.utf8.count {
    case 10: scale = 1
    case 13: scale = 1000
    default: return nil
    }
    guard abs(number / scale - recorded) <= Self.yearsAbout else { return nil }
    let moved = String(number + seconds * scale)
    return moved.utf8.count == digits.utf8.count ? moved : nil
  }

  /// Ten years.
  private static let yearsAbout = 10 * 366 * 86_400
}

extension DateShift {
  /// From the moment of a recording to another one; `nil` where it is not known when that was.
  ///
  /// The origin's `Date`, and `Age` beside it where a cache answered (RFC 9111 §4.2.3), else
  /// `recordedAt`: what the answer dates, it dates by the origin's clock.
  init?(of interaction: Interaction, to now: Date) {
    let headers = interaction.response?.headers ?? [:]
    let recorded: Duration
    if let date = headers["Date"].flatMap({ DateText.sinceEpoch(http: $0) }) {
      let age = headers["Age"].flatMap { Int($0) } ?? 0
      recorded = date + .seconds(min(max(0, age), 1 << 31))
    } else if let date = interaction.recordedAt.flatMap({ DateText.sinceEpoch($0) }) {
      recorded = date
    } else {
      return nil
    }
    let time = now.timeIntervalSince1970.rounded(.down)
    guard time.magnitude < 1e12 else { return nil }
    self.recorded = Int(recorded.components.seconds)
    seconds = Int(time) - self.recorded
  }
}
