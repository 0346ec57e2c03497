internal import Foundation

/// A shift of dates by whole seconds that keeps the format and the length of each date.
struct DateShift: Hashable {
  /// The shift in seconds.
  let seconds: Int
  /// The time of the recording, in seconds since 1970.
  private let recorded: Int

  /// The latest time; dates of HTTP and RFC 3339 have a year of four digits.
  private static let secondsMax = 253_402_300_799
  /// The earliest time. Zero means no date, and no earlier time is a real expiry.
  private static let secondsMin = 86_400

  /// Creates the shift from the time of a recording to another time; `nil` if the time of the
  /// recording is unknown.
  ///
  /// It is the response's `Date`, plus `Age` if a cache sent the response (RFC 9111 §4.2.3), or
  /// else `recordedAt`. `Date` is preferred, because the other dates are also from the origin's
  /// clock.
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

  private func moved(_ time: Duration?) -> Int? {
    guard let time, time >= .seconds(Self.secondsMin) else { return nil }
    let moved = Int(time.components.seconds) + seconds
    return (Self.secondsMin...Self.secondsMax).contains(moved) ? moved : nil
  }

  /// Returns the shifted date of RFC 3339 §5.6, such as `2024-05-01T10:00:00.123+02:00`, with its
  /// fraction and zone; `nil` for other texts.
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

  /// Returns the shifted date of HTTP (RFC 9110 §5.6.7), such as `Wed, 21 Oct 2026 07:28:00 GMT`,
  /// also with dashes as in cookies; `nil` for other texts.
  func http(_ text: String) -> String? {
    guard text.utf8.count == 29, let moved = moved(DateText.sinceEpoch(http: text)) else {
      return nil
    }
    return DateText.http(.seconds(moved), separator: text.contains("-") ? "-" : " ")
  }

  /// Returns a shifted number of seconds or milliseconds since 1970; `nil` if it is not within some
  /// years of the recording.
  ///
  /// Other numbers with ten or thirteen digits probably have a different meaning.
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

  /// About ten years, in seconds.
  private static let yearsAbout = 10 * 366 * 86_400

  /// The normalised names of JSON members that contain seconds or milliseconds since 1970.
  private static let numberNames: Set<String> = [
    "exp", "iat", "nbf", "authtime", "expires", "expiresat", "expiry", "expiration", "issuedat",
    "created", "createdat", "updated", "updatedat", "timestamp",
  ]

  /// Returns a body with its dates shifted; `nil` if it contains none.
  func body(_ bytes: Bytes) -> Bytes? {
    if let moved = json(bytes) { return moved }
    guard RedactedText.mayBeIn(bytes), JSONText(bytes) == nil, let text = String(utf8: bytes) else {
      return nil
    }
    return tokens(text).map { Bytes($0.utf8) }
  }

  /// Returns a JSON text with its dates shifted and all other bytes unchanged.
  private func json(_ bytes: Bytes) -> Bytes? {
    guard let text = JSONText(bytes) else { return nil }
    var edits: [Edit] = []
    collect(text.whole, under: nil, in: text, into: &edits)
    return edits.isEmpty ? nil : Edit.applied(edits, to: bytes)
  }

  private func collect(
    _ span: JSONSpan,
    under name: Range<Int>?,
    in whole: JSONText,
    into edits: inout [Edit]
  ) {
    let bytes = whole.bytes
    switch span {
    case .word: break
    case .string(let range):
      // Dates and tokens contain no escapes and are at least this long.
      let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
      guard inner.count >= 20, !bytes[inner].contains(UInt8(ascii: "\\")) else { return }
      let text = String(decoding: bytes[inner], as: UTF8.self)
      if let moved = timestamp(text) ?? tokens(text) {
        edits.append(Edit(inner, Array(moved.utf8)))
      }
    case .number(let range):
      guard let name, range.count == 10 || range.count == 13,
        Self.numberNames.contains(
          FieldName.normalised(String(decoding: bytes[name], as: UTF8.self))
        ), let moved = epoch(String(decoding: bytes[range], as: UTF8.self))
      else { return }
      edits.append(Edit(range, Array(moved.utf8)))
    case .array:
      for element in whole.elements(of: span) {
        collect(element, under: nil, in: whole, into: &edits)
      }
    case .object:
      for member in whole.members(of: span) {
        collect(member.value, under: member.name, in: whole, into: &edits)
      }
    }
  }

  /// Returns a text with the dates of its unsigned web tokens shifted; `nil` if there are none.
  func tokens(_ text: String) -> String? {
    guard text.contains("eyJ") else { return nil }
    let moved = text.replacing(
      /(eyJ[A-Za-z0-9_-]+\.)([A-Za-z0-9_-]+)(\.(?:REDACTED-[a-z0-9-]+-[0-9]+|(?![A-Za-z0-9_.-])))/
    ) { match in
      guard let claims = Base64Text.decoded(Array(match.output.2.utf8)), let moved = json(claims)
      else { return String(match.output.0) }
      // The URL-safe alphabet without padding (RFC 7515 §2).
      let part = Base64Text.encoded(moved, like: Array("_".utf8))
      return "\(match.output.1)\(part)\(match.output.3)"
    }
    return moved == text ? nil : moved
  }
}
