// Numbers and texts, of which exporters write one for the other.
extension HARSanitizer {
  /// A number as it may stand under a name; `nil` if it may not.
  static func number(_ digits: String, of name: String) -> JSON? {
    let json = JSON.number(digits)
    if dates.contains(name) { return DateText.sinceEpoch(json).map { .text(DateText.text($0)) } }
    if texts.contains(name) { return .text(digits) }
    if flags.contains(name) { return ["0": false, "1": true][digits].map { .bool($0) } }
    // What compression costs, where it is negative.
    if name == "compression" { return whole(digits).map { JSON.number($0) } }
    if wholes.contains(name) {
      guard let number = whole(digits), number >= -1 else { return nil }
      return .number(number)
    }
    guard times.contains(name) else { return kept(json, if: !isKnown(name)) }
    return kept(json, if: (json.measure ?? -2) >= -1)
  }

  /// A whole number, which may be spelled with a fraction of nought.
  private static func whole(_ digits: String) -> Int? {
    Int(digits) ?? Double(digits).flatMap { $0.magnitude < 1e15 ? Int(exactly: $0) : nil }
  }

  /// A text as it may stand under a name; `nil` if it may not.
  static func string(_ text: JSON.Text, of name: String) -> JSON? {
    let word = text.value.lowercased()
    if flags.contains(name) { return ["false": false, "true": true][word].map { .bool($0) } }
    if wholes.contains(name) || times.contains(name) {
      guard !word.isEmpty, word.utf8.allSatisfy({ "0123456789+-.e".utf8.contains($0) }),
        let number = Double(word), case .number(let digits) = JSON.exactly(number)
      else { return nil }
      return self.number(digits, of: name)
    }
    return kept(.string(text), if: texts.contains(name) || !isKnown(name))
  }

  /// A date as the specification wants it, with a zone and of a day that there is; another spelling of
  /// one becomes that.
  static func date(_ text: JSON.Text) -> JSON? {
    if isDate(text.value) { return .string(text) }
    return DateText.sinceEpoch(.string(text)).map { .text(DateText.text($0)) }
  }

  /// RFC 3339 §5.6 without leap seconds, which few readers know, and in capital letters.
  private static func isDate(_ text: String) -> Bool {
    let form =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:Z|[+-]([0-9]{2}):([0-9]{2}))/
    guard let match = text.wholeMatch(of: form)?.output, let year = Int(match.1),
      let month = Int(match.2), let day = Int(match.3), let hour = Int(match.4),
      let minute = Int(match.5), let second = Int(match.6),
      let zoneHour = Int(match.7 ?? "0"), let zoneMinute = Int(match.8 ?? "0"),
      year >= 1, 1...12 ~= month, day >= 1, hour <= 23, minute <= 59, second <= 59,
      zoneHour <= 23, zoneMinute <= 59
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return day <= days[month - 1]
  }
}
