internal import Foundation

/// A JSON text in which every value except `null` is another of its type; names and spacing stay.
///
/// A number changes by more than one. A string has other letters and one more, and `true` becomes
/// `false`. Dates, URLs, UUIDs and numbers in strings keep their form, so that a client can decode
/// them.
struct ChangedJSON {
  /// The text after the change.
  let bytes: [UInt8]

  /// Changes the values of a text.
  init(_ text: [UInt8]) throws(Mutation.Misfit) {
    guard let json = JSONText(Bytes(text), mayBeScalar: true) else {
      throw Mutation.Misfit("the body is not JSON")
    }
    let edits = Self.edits(of: json.whole, in: json)
    guard !edits.isEmpty else { throw Mutation.Misfit("the body has no value to change") }
    bytes = Array(Edit.applied(edits, to: json.bytes))
  }

  private static func edits(of value: JSONSpan, in json: JSONText) -> [Edit] {
    switch value {
    case .object: return json.members(of: value).flatMap { edits(of: $0.value, in: json) }
    case .array: return json.elements(of: value).flatMap { edits(of: $0, in: json) }
    case .string(let range):
      return [Edit(range, JSON.text(string(json.text(range))).description.utf8)]
    case .number(let range):
      let digits = String(decoding: json.bytes[range], as: UTF8.self)
      return number(digits).map { [Edit(range, $0.utf8)] } ?? []
    case .word(let range):
      switch json.bytes[range.lowerBound] {
      case UInt8(ascii: "t"): return [Edit(range, "false".utf8)]
      case UInt8(ascii: "f"): return [Edit(range, "true".utf8)]
      default: return []
      }
    }
  }

  /// Returns another number: a small one plus 7, a large one halved, so that comparisons with a
  /// bound fail.
  ///
  /// `nil` for a number that no `Double` can store.
  private static func number(_ digits: String) -> String? {
    if let number = Int(digits) {
      return String(number.magnitude < 20 ? number + 7 : number / 2)
    }
    if let number = UInt64(digits) { return String(number / 2) }
    guard let number = Double(digits), number.isFinite else { return nil }
    return "\(number.magnitude < 20 ? number + 7 : number / 2)"
  }

  private static func string(_ text: String) -> String {
    if let first = text.utf8.first, first.isASCIIDigit || first == UInt8(ascii: "-"),
      JSONText(Bytes(text.utf8), mayBeScalar: true) != nil, let other = number(text)
    {
      return other
    }
    // Changes the year of a date, and the hour of a time.
    let isMonth = text.utf8.count == 7 && has("0000-00", text)
    if isMonth || has("0000-00-00", text) { return year(text[...]) }
    if has("00/00/0000", text) || has("00.00.0000", text) {
      return text.prefix(6) + year(text.dropFirst(6))
    }
    if has("00:00", text) { return hour(text[...]) }
    if has("aaa, 00 aaa 0000 00:00", text) { return text.prefix(17) + hour(text.dropFirst(17)) }
    if text.utf8.count == 36, UUID(uuidString: text) != nil {
      return (text.hasPrefix("5eed5eed") ? "0ddba115" : "5eed5eed") + text.dropFirst(8)
    }
    // Keeps the scheme and the host of a URL.
    if let scheme = text.range(of: "://") {
      let rest = text[scheme.upperBound...].drop { $0 != "/" }
      return text[..<rest.startIndex] + (rest.isEmpty ? "/x" : other(rest) + "x")
    }
    return other(text[...]) + "x"
  }

  /// Returns whether a text begins with a form, in which `0` is a digit and `a` an ASCII letter.
  private static func has(_ form: String, _ text: String) -> Bool {
    text.utf8.count >= form.utf8.count
      && zip(text.utf8, form.utf8).allSatisfy { byte, sign in
        switch sign {
        case UInt8(ascii: "0"): byte.isASCIIDigit
        case UInt8(ascii: "a"): byte.isASCIILetter
        default: byte == sign
        }
      }
  }

  /// Returns a text with another century in its first digits.
  ///
  /// The day exists in that year as well: 1900 would not be a leap year.
  private static func year(_ text: Substring) -> String {
    if text.hasPrefix("2000") { return "1996" + text.dropFirst(4) }
    return (text.hasPrefix("20") ? "19" : "20") + text.dropFirst(2)
  }

  /// Returns a text with another hour in its first two digits.
  private static func hour(_ text: Substring) -> String {
    let hour = ((Int(text.prefix(2)) ?? 0) + 7) % 24
    return (hour < 10 ? "0" : "") + String(hour) + text.dropFirst(2)
  }

  /// Returns a text in which the next letter replaces each of A to Z and a to z, except in percent
  /// escapes.
  private static func other(_ text: Substring) -> String {
    var kept = 0
    let bytes = text.utf8.map { byte -> UInt8 in
      if byte == UInt8(ascii: "%") {
        kept = 2
        return byte
      }
      if kept > 0 {
        kept -= 1
        return byte
      }
      guard byte.isASCIILetter else { return byte }
      return byte.asciiLowercased == UInt8(ascii: "z") ? byte - 25 : byte + 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
