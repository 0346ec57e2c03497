// Validates values without building them.

extension JSONParser {
  /// Validates one value and moves after it.
  package mutating func skipValue() throws(Failure) {
    switch try kind() {
    case .object:
      guard try enterObject() else { return }
      repeat {
        try beginKey()
        _ = try skipString()
        try endKey()
        try skipValue()
      } while try goesOnInObject()
    case .array:
      guard try enterList() else { return }
      repeat { try skipValue() } while try goesOnInList()
    case .string: _ = try skipString()
    case .number: _ = try skipNumber()
    case .null: try skip("null")
    case .true: try skip("true")
    case .false: try skip("false")
    }
  }

  /// Whether the bytes at the current position equal the bytes of an earlier range.
  package func repeats(_ place: Range<Int>) -> Bool {
    position + place.count <= bytes.count
      && bytes[place].elementsEqual(bytes[position..<position + place.count])
  }

  @inline(__always)
  package mutating func skipSpace() {
    guard position < bytes.count, bytes[position] <= 0x20 else { return }
    skipSpaces()
  }

  private mutating func skipSpaces() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
      // Deep indentation has eight spaces in a row.
      while word(at: position) == 0x2020_2020_2020_2020 { position += 8 }
    }
  }

  mutating func skip(_ word: StaticString) throws(Failure) {
    let length = word.utf8CodeUnitCount
    guard position + length <= bytes.count,
      (0..<length).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { throw failure("not a value; true, false and null are the words of JSON") }
    position += length
  }

  /// Validates a number (RFC 8259 §6): no plus sign, no leading zeros, digits on both sides of the
  /// point.
  package mutating func skipNumber() throws(Failure) -> Range<Int> {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
    if current == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    return start..<position
  }

  private mutating func skipDigits() throws(Failure) {
    guard let first = current, first.isASCIIDigit else {
      throw failure("expected a digit")
    }
    while let digit = current, digit.isASCIIDigit { position += 1 }
  }

  /// The range of a valid string, and whether it has escapes.
  package struct Span {
    /// The range of the bytes between the quotes.
    package var range: Range<Int>
    package var hasEscapes: Bool
  }

  /// Validates a string, beginning at its quote.
  package mutating func skipString() throws(Failure) -> Span {
    position += 1
    let start = position
    var (isASCII, hasEscapes) = (true, false)
    while true {
      if !skipPlain() { isASCII = false }
      switch current {
      case UInt8(ascii: "\""):
        let range = start..<position
        guard isASCII || UnsafeBufferPointer(rebasing: bytes[range]).isUTF8 else {
          throw failure("the string is not valid UTF-8")
        }
        position += 1
        return Span(range: range, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        _ = try escape()
        hasEscapes = true
      case nil: throw failure("the string does not end")
      default: throw failure("a control character must be escaped in a string")
      }
    }
  }

  /// Moves to the next quote, backslash, control character or the end, eight bytes at a time.
  ///
  /// Returns whether all skipped bytes were ASCII.
  @inline(__always)
  private mutating func skipPlain() -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var seen: UInt64 = 0
    while let word = word(at: position) {
      let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
      let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
      // A byte's highest bit is set if the byte is zero or less than a space. Wrong bits above the
      // lowest such byte do not matter.
      let zeros = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
      let stops = (zeros | ((word &- ones &* 0x20) & ~word)) & highs
      if stops != 0 {
        let count = stops.trailingZeroBitCount >> 3
        position += count
        return (seen | (word & ~(UInt64.max << UInt64(count * 8)))) & highs == 0
      }
      seen |= word
      position += 8
    }
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      seen |= UInt64(byte)
      position += 1
    }
    return seen & highs == 0
  }

  /// Returns eight bytes, the first in the lowest place; `nil` if there are fewer.
  @inline(__always)
  private func word(at place: Int) -> UInt64? {
    guard place + 8 <= bytes.count else { return nil }
    Work.read(8)
    let raw = UnsafeRawBufferPointer(bytes)
    return UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }
}
