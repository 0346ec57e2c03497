/// A text decoded from one of the escapings in which a secret may occur, with a mapping back to the
/// original.
package struct EscapedText {
  /// The escapings that are decoded.
  package enum Spelling: CaseIterable {
    case plain
    /// `%2F` (RFC 3986 §2.1), and its double encoding, as in a URL within a URL.
    case percent, percentTwice
    /// `+` for a space, together with `%2F`.
    case form
    /// Escapes of a string literal: `\/`, `\"`, `\u00e4`, `\x2f`, `\057`.
    case json
    /// Character references of HTML: `&amp;`, `&#39;`, `&#x2F;`.
    case html
    /// `=2F` and soft line breaks after `=` (RFC 2045 §6.7).
    case quoted
    /// Wrapped into several lines.
    case wrapped
    /// Full-width forms, as typed on East Asian keyboards: `ｋｅｙ：`.
    case wide

    /// A byte that occurs in every text with this escaping; `nil` if there is no such byte.
    fileprivate var mark: UInt8? {
      switch self {
      case .plain: nil
      case .percent, .percentTwice: UInt8(ascii: "%")
      case .form: UInt8(ascii: "+")
      case .json: UInt8(ascii: "\\")
      case .html: UInt8(ascii: "&")
      case .quoted: UInt8(ascii: "=")
      case .wrapped: 0x0A
      case .wide: 0xEF
      }
    }
  }

  /// The text without its escapes.
  package let bytes: Bytes
  /// The original text with its escapes.
  package let original: Bytes
  private let passes: [Pass]

  /// One decoding pass, which replaces each escape that begins with a mark.
  private struct Pass {
    let mark: UInt8
    /// Whether the text lacks this escaping if the pass changes nothing.
    var isNeeded = true
    /// Returns the decoded bytes of an escape at the start of a text and the length of the escape;
    /// `nil` if there is no escape.
    let meaning: (ByteSlice) -> (bytes: Bytes, count: Int)?
  }

  /// Decodes a text; `nil` if the text does not contain this escaping.
  package init?(_ original: Bytes, _ spelling: Spelling) {
    // Most texts contain no escapes.
    if let mark = spelling.mark, !original.has(mark) { return nil }
    if spelling == .quoted, !Self.isQuoted(original) { return nil }
    if spelling == .wrapped, !Self.isWrapped(original) { return nil }
    passes = Self.passes(spelling)
    self.original = original
    var bytes = original
    if spelling == .form { bytes = Bytes(bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }) }
    for pass in passes {
      let meant = Self.unspelled(bytes, pass)
      if meant == nil, pass.isNeeded { return nil }
      bytes = meant ?? bytes
    }
    self.bytes = bytes
  }

  private static func passes(_ spelling: Spelling) -> [Pass] {
    let percent = Pass(mark: UInt8(ascii: "%"), meaning: Self.percent)
    return switch spelling {
    case .plain: []
    case .percent: [percent]
    case .percentTwice: [percent, percent]
    case .form: [Pass(mark: UInt8(ascii: "%"), isNeeded: false, meaning: Self.percent)]
    case .json: [Pass(mark: UInt8(ascii: "\\"), meaning: Self.escape)]
    case .html: [Pass(mark: UInt8(ascii: "&"), meaning: Self.entity)]
    case .quoted: [Pass(mark: UInt8(ascii: "="), meaning: Self.quoted)]
    case .wrapped:
      [
        Pass(mark: 0x0D, isNeeded: false) { $0.dropFirst().first == 0x0A ? ([], 1) : nil },
        Pass(mark: UInt8(ascii: "<"), isNeeded: false) {
          $0.prefix(5).elementsEqual("<br>\n".utf8) ? ([], 4) : nil
        },
        Pass(mark: 0x0A, meaning: Self.lineBreak),
      ]
    case .wide: [Pass(mark: 0xEF, meaning: Self.wide)]
    }
  }

  /// Returns a text after a pass; `nil` if the pass changes nothing.
  private static func unspelled(_ bytes: Bytes, _ pass: Pass) -> Bytes? {
    guard bytes.has(pass.mark) else { return nil }
    var result: Bytes = []
    result.reserveCapacity(bytes.count)
    var isChanged = false
    walk(bytes, pass) { _, literal, meant in
      result += literal
      result += meant
      isChanged = isChanged || literal.isEmpty
    }
    return isChanged ? result : nil
  }

  /// Calls `body` for each stretch that a pass leaves unchanged and for each decoded escape, with
  /// its position.
  private static func walk(
    _ bytes: Bytes,
    _ pass: Pass,
    _ body: (_ place: Int, _ literal: ByteSlice, _ meant: Bytes) -> Void
  ) {
    var (start, place) = (0, 0)
    while place < bytes.count {
      if bytes[place] == pass.mark, let (meant, count) = pass.meaning(bytes[place...]) {
        if start < place { body(start, bytes[start..<place], []) }
        body(place, bytes[place..<place], meant)
        place += count
        start = place
      } else {
        place += 1
      }
    }
    if start < place { body(start, bytes[start..<place], []) }
  }

  /// Returns the same edits with ranges in the original text. The edits must be sorted and must not
  /// overlap.
  package func inOriginal(_ edits: [Edit]) -> [Edit] {
    guard !passes.isEmpty, !edits.isEmpty else { return edits }
    var texts = [original]
    for pass in passes.dropLast() {
      texts.append(texts.last.flatMap { Self.unspelled($0, pass) ?? $0 } ?? [])
    }
    var places = edits.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
    for (text, pass) in zip(texts, passes).reversed() {
      places = Self.places(places, behind: pass, in: text)
    }
    return edits.indices.map { Edit(places[2 * $0]..<places[2 * $0 + 1], edits[$0].bytes) }
  }

  /// Returns the positions before a pass for sorted positions after it. A position within a decoded
  /// escape maps to the start of that escape.
  private static func places(_ places: [Int], behind pass: Pass, in text: Bytes) -> [Int] {
    var found: [Int] = []
    found.reserveCapacity(places.count)
    var count = 0
    walk(text, pass) { place, literal, meant in
      while found.count < places.count, places[found.count] < count + literal.count + meant.count {
        // All bytes of one decoded escape map to its start.
        found.append(literal.isEmpty ? place : place + places[found.count] - count)
      }
      count += literal.count + meant.count
    }
    return found + [Int](repeating: text.count, count: places.count - found.count)
  }

  private static func number(_ digits: ByteSlice, radix: Int) -> UInt32? {
    guard (1...6).contains(digits.count), digits.allSatisfy(\.isWord) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
  }

  private static func utf8(_ number: UInt32?) -> Bytes? {
    number.flatMap { Unicode.Scalar($0) }.map { Bytes(String($0).utf8) }
  }

  private static func percent(_ text: ByteSlice) -> (Bytes, Int)? {
    let digits = text.dropFirst().prefix(2)
    guard digits.count == 2, let byte = number(digits, radix: 16) else { return nil }
    return ([UInt8(truncatingIfNeeded: byte)], 3)
  }

  private static func quoted(_ text: ByteSlice) -> (Bytes, Int)? {
    let rest = text.dropFirst().prefix(2)
    if rest.first == 0x0A { return ([], 2) }
    if rest.elementsEqual([0x0D, 0x0A]) { return ([], 3) }
    guard rest.count == 2, rest.allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 }),
      let byte = number(rest, radix: 16)
    else { return nil }
    return ([UInt8(truncatingIfNeeded: byte)], 3)
  }

  /// Decodes U+FF01 to U+FF5E, which are the visible ASCII characters in the same order (Unicode,
  /// Halfwidth and Fullwidth Forms).
  private static func wide(_ text: ByteSlice) -> (Bytes, Int)? {
    let rest = text.dropFirst().prefix(2)
    guard rest.count == 2, let row = rest.first, let last = rest.last else { return nil }
    if row == 0xBC, 0x81...0xBF ~= last { return ([last - 0x60], 3) }
    return row == 0xBD && 0x80...0x9E ~= last ? ([last - 0x20], 3) : nil
  }

  private static func lineBreak(_ text: ByteSlice) -> (Bytes, Int)? {
    (
      [],
      1
        + text.dropFirst().prefix(12).prefix { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ">") }
        .count
    )
  }

  /// Whether a text contains soft line breaks of quoted-printable, an escaped `=`, or two adjacent
  /// escapes.
  private static func isQuoted(_ bytes: Bytes) -> Bool {
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

  /// Whether a line of a text ends with `=`, as at a soft line break.
  package static func hasSoftBreak(_ bytes: Bytes) -> Bool {
    bytes.has(UInt8(ascii: "="))
      && zip(bytes, bytes.dropFirst()).contains { $0 == 0x3D && ($1 == 0x0A || $1 == 0x0D) }
  }

  /// Whether a text without a declared encoding may be quoted-printable, and whether it is.
  ///
  /// Each `=` must be a soft line break or an escape that encoders write. Such a text is encoded if
  /// it has a soft line break, and an escape or a line as long as quoted-printable lines usually
  /// are. Texts with `NAME=value` are not encoded, nor is base64, whose padding may end a line.
  package static func isQuotedPrintable(_ bytes: Bytes) -> (maybe: Bool, certainly: Bool) {
    var (hasBreak, isLong, hasEscape, start) = (false, false, false, 0)
    for place in bytes.indices {
      if bytes[place] == 0x0A { start = place + 1 }
      guard bytes[place] == UInt8(ascii: "=") else { continue }
      guard place + 1 < bytes.count else { continue }
      guard let meant = quoted(bytes[place...])?.0 else { return (false, false) }
      if let byte = meant.first {
        let rest = bytes[(place + 3)...]
        let isAtEnd = rest.first.map { $0 <= 0x0D } ?? true || quoted(rest)?.0.isEmpty == true
        guard isEscaped(byte, atStart: place == start, atEnd: isAtEnd) else {
          return (false, false)
        }
        hasEscape = true
      } else {
        hasBreak = true
        isLong = isLong || 60...76 ~= place - start && !isPadding(bytes[start...place])
      }
    }
    return (hasBreak || hasEscape, hasBreak && (hasEscape || isLong))
  }

  /// Whether encoders escape a byte. Letters and digits are escaped only where a line would begin
  /// with `From `, and a space only at the end of a line.
  private static func isEscaped(_ byte: UInt8, atStart: Bool, atEnd: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "F"): atStart
    case 0x20, 0x09: atEnd
    default: !byte.isWord
    }
  }

  /// Whether a line that ends with `=` may be base64 with its padding.
  private static func isPadding(_ line: ByteSlice) -> Bool {
    let word = line.reversed().prefix { $0.isWord || "+/=".utf8.contains($0) }
    return word.count >= 16 && word.count.isMultiple(of: 4)
  }

  /// Whether a line of a text ends with a long word, so that the word may continue in the next
  /// line.
  private static func isWrapped(_ bytes: Bytes) -> Bool {
    var length = 0
    for byte in bytes {
      if byte == 0x0A, length >= 20 { return true }
      if byte != 0x0D { length = byte <= 0x20 ? 0 : length + 1 }
    }
    return false
  }

  /// Whether a text contains one of several marks, which all begin with the same byte.
  package static func has(_ marks: [Bytes], in bytes: Bytes) -> Bool {
    guard let first = marks.first?.first, bytes.has(first) else { return false }
    return marks.contains { bytes.firstRange(of: $0) != nil }
  }

  private static func escape(_ text: ByteSlice) -> (Bytes, Int)? {
    guard let kind = text.dropFirst().first else { return nil }
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
      return ([kind], 2)
    case 0x30...0x37:
      // Octal escapes of shells and C.
      let digits = text.dropFirst().prefix(3)
      guard digits.count == 3, let byte = number(digits, radix: 8).flatMap(UInt8.init(exactly:))
      else { return nil }
      return ([byte], 4)
    case UInt8(ascii: "n"): return ([0x0A], 2)
    case UInt8(ascii: "r"): return ([0x0D], 2)
    case UInt8(ascii: "t"): return ([0x09], 2)
    case UInt8(ascii: "x"), UInt8(ascii: "u"):
      let length = kind == UInt8(ascii: "x") ? 2 : 4
      let digits = text.dropFirst(2).prefix(length)
      guard digits.count == length, let meant = utf8(number(digits, radix: 16)) else { return nil }
      return (meant, 2 + length)
    default: return nil
    }
  }

  private static let entities = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "sol": "/", "plus": "+",
    "equals": "=",
  ]

  private static func entity(_ text: ByteSlice) -> (Bytes, Int)? {
    guard let end = text.prefix(10).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = text[(text.startIndex + 1)..<end]
    let count = end - text.startIndex + 1
    guard name.first == UInt8(ascii: "#") else {
      return entities[String(decoding: name, as: UTF8.self)].map { (Bytes($0.utf8), count) }
    }
    let isHex = name.dropFirst().first?.asciiLowercased == UInt8(ascii: "x")
    let meant = utf8(number(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10))
    return meant.map { ($0, count) }
  }
}
