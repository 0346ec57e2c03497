/// A text read through one of the spellings that a secret may have in it, with the way back.
package struct EscapedText {
  /// The ways to spell a text.
  package enum Spelling: CaseIterable {
    case plain
    /// `%2F` (RFC 3986 §2.1), and the same once more, as in an address within an address.
    case percent, percentTwice
    /// `+` for a space, beside `%2F`.
    case form
    /// Escapes of a string: `\/`, `\"`, `\u00e4`, `\x2f`, `\057`.
    case json
    /// References of HTML: `&amp;`, `&#39;`, `&#x2F;`.
    case html
    /// `=2F` and breaks of lines behind `=` (RFC 2045 §6.7).
    case quoted
    /// Broken into lines, as what is long.
    case wrapped

    /// A byte of every text that is spelled so and not as it is meant.
    fileprivate var mark: UInt8? {
      switch self {
      case .plain: nil
      case .percent, .percentTwice: UInt8(ascii: "%")
      case .form: UInt8(ascii: "+")
      case .json: UInt8(ascii: "\\")
      case .html: UInt8(ascii: "&")
      case .quoted: UInt8(ascii: "=")
      case .wrapped: 0x0A
      }
    }
  }

  /// The text as it is meant.
  package private(set) var bytes: [UInt8]
  /// The place where each byte begins in the original, and where the last one ends.
  private var starts: [Int]

  /// Reads a text; `nil` if nothing in it is spelled so.
  package init?(_ original: [UInt8], _ spelling: Spelling) {
    // Most texts are spelled as they are meant, and the way back costs eight times the text.
    if let mark = spelling.mark, !original.has(mark) { return nil }
    if spelling == .quoted, !Self.isQuoted(original) { return nil }
    if spelling == .wrapped, !Self.isWrapped(original) { return nil }
    bytes = original
    starts = Array(0...original.count)
    switch spelling {
    case .plain: break
    case .percent: guard unspell("%", Self.percent) else { return nil }
    case .percentTwice:
      guard unspell("%", Self.percent), unspell("%", Self.percent) else { return nil }
    case .form:
      bytes = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      _ = unspell("%", Self.percent)
    case .json: guard unspell("\\", Self.escape) else { return nil }
    case .html: guard unspell("&", Self.entity) else { return nil }
    case .quoted:
      guard unspell("=", Self.quoted) else { return nil }
    case .wrapped:
      _ = unspell("\r") { $0.dropFirst().first == 0x0A ? ([], 1) : nil }
      _ = unspell("<") { $0.prefix(5).elementsEqual("<br>\n".utf8) ? ([], 4) : nil }
      guard unspell("\n", Self.lineBreak) else { return nil }
    }
  }

  /// The same edit where it belongs in the original.
  package func inOriginal(_ edit: Edit) -> Edit {
    Edit(starts[edit.range.lowerBound]..<starts[edit.range.upperBound], edit.bytes)
  }

  private mutating func unspell(
    _ mark: Unicode.Scalar,
    _ meaning: (ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)?
  ) -> Bool {
    guard bytes.contains(UInt8(ascii: mark)) else { return false }
    var (result, resultStarts): ([UInt8], [Int]) = ([], [])
    var place = 0
    var isChanged = false
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: mark), let (meant, count) = meaning(bytes[place...]) {
        result += meant
        resultStarts += [Int](repeating: starts[place], count: meant.count)
        place += count
        isChanged = true
      } else {
        result.append(bytes[place])
        resultStarts.append(starts[place])
        place += 1
      }
    }
    resultStarts.append(starts[bytes.count])
    (bytes, starts) = (result, resultStarts)
    return isChanged
  }

  private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt32? {
    guard (1...6).contains(digits.count), digits.allSatisfy(\.isWord) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
  }

  private static func utf8(_ number: UInt32?) -> [UInt8]? {
    number.flatMap { Unicode.Scalar($0) }.map { Array(String($0).utf8) }
  }

  private static func percent(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    let digits = text.dropFirst().prefix(2)
    guard digits.count == 2, let byte = number(digits, radix: 16) else { return nil }
    return ([UInt8(truncatingIfNeeded: byte)], 3)
  }

  private static func quoted(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    let rest = text.dropFirst().prefix(2)
    if rest.first == 0x0A { return ([], 2) }
    if rest.elementsEqual([0x0D, 0x0A]) { return ([], 3) }
    guard rest.count == 2, rest.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 }),
      let byte = number(rest, radix: 16)
    else { return nil }
    return ([UInt8(truncatingIfNeeded: byte)], 3)
  }

  private static func lineBreak(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    (
      [],
      1
        + text.dropFirst().prefix(12).prefix { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ">") }
        .count
    )
  }

  /// Tells whether lines of a text end as quoted-printable ends them, or an `=` is spelled so.
  private static func isQuoted(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices.dropLast() where bytes[place] == UInt8(ascii: "=") {
        let next = bytes[place + 1]
        if next == 0x0A || next == 0x0D { return true }
        if place + 5 < bytes.count, bytes[place + 3] == UInt8(ascii: "="),
          [1, 2, 4, 5].allSatisfy({ isCapitalDigit(bytes[place + $0]) })
        {
          return true
        }
        if next == UInt8(ascii: "3"), place + 2 < bytes.count, bytes[place + 2] == UInt8(ascii: "D")
        {
          return true
        }
      }
      return false
    }
  }

  private static func isCapitalDigit(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x41...0x46 ~= byte
  }

  /// Tells whether a text without a word about it is quoted-printable: a line of it ends with one `=`, and
  /// is as long as such lines are, or something is spelled so besides.
  package static func isBroken(_ bytes: [UInt8]) -> Bool {
    guard bytes.has(UInt8(ascii: "=")) else { return false }
    var (hasBreak, hasEscape, start) = (false, false, 0)
    for place in bytes.indices.dropLast() {
      if bytes[place] == 0x0A { start = place + 1 }
      guard bytes[place] == UInt8(ascii: "=") else { continue }
      let next = bytes[place + 1]
      if next == 0x0A || next == 0x0D, place == 0 || bytes[place - 1] != UInt8(ascii: "=") {
        if 60...76 ~= place - start { return true }
        hasBreak = true
      }
      hasEscape = hasEscape || quoted(bytes[place...])?.0.isEmpty == false
    }
    return hasBreak && hasEscape
  }

  /// Tells whether a word of some length ends with a line of a text.
  private static func isWrapped(_ bytes: [UInt8]) -> Bool {
    var length = 0
    for byte in bytes {
      if byte == 0x0A, length >= 20 { return true }
      if byte != 0x0D { length = byte <= 0x20 ? 0 : length + 1 }
    }
    return false
  }

  /// Tells whether one of some marks stands in a text.
  package static func has(_ marks: [String], in bytes: [UInt8]) -> Bool {
    marks.contains { mark in
      let mark = Array(mark.utf8)
      return bytes.has(mark[0]) && bytes.firstRange(of: mark) != nil
    }
  }

  private static func escape(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    guard let kind = text.dropFirst().first else { return nil }
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
      return ([kind], 2)
    case 0x30...0x37:
      // Octal, as shells and C have it.
      let digits = text.dropFirst().prefix(3)
      guard digits.count == 3, let byte = number(digits, radix: 8).flatMap(UInt8.init(exactly:))
      else { return nil }
      return ([byte], 4)
    case UInt8(ascii: "n"): return ([0x0A], 2)
    case UInt8(ascii: "r"): return ([0x0D], 2)
    case UInt8(ascii: "t"): return ([0x09], 2)
    case UInt8(ascii: "x"):
      let digits = text.dropFirst(2).prefix(2)
      guard digits.count == 2, let meant = utf8(number(digits, radix: 16)) else { return nil }
      return (meant, 4)
    case UInt8(ascii: "u"):
      let digits = text.dropFirst(2).prefix(4)
      guard digits.count == 4, let meant = utf8(number(digits, radix: 16)) else { return nil }
      return (meant, 6)
    default: return nil
    }
  }

  private static let entities = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "sol": "/", "plus": "+",
    "equals": "=",
  ]

  private static func entity(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    guard let end = text.prefix(10).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = text[(text.startIndex + 1)..<end]
    let count = end - text.startIndex + 1
    guard name.first == UInt8(ascii: "#") else {
      return entities[String(decoding: name, as: UTF8.self)].map { (Array($0.utf8), count) }
    }
    let isHex = name.dropFirst().first?.asciiLowercased == UInt8(ascii: "x")
    let meant = utf8(number(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10))
    return meant.map { ($0, count) }
  }
}
