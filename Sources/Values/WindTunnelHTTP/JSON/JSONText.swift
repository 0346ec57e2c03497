/// A value of a JSON text: its kind and its range.
package enum JSONSpan {
  /// A string, including its quotes.
  case string(Range<Int>)
  case number(Range<Int>)
  /// A literal: `true`, `false` or `null`.
  case word(Range<Int>)
  /// A list, including its brackets.
  case array(Range<Int>)
  /// An object, including its braces.
  case object(Range<Int>)

  /// The range of the value's bytes in the text.
  package var range: Range<Int> {
    switch self {
    case .string(let range), .number(let range), .word(let range), .array(let range),
      .object(let range):
      range
    }
  }
}

/// A JSON text that is traversed without building its values. One value can be replaced while all
/// other bytes, including white space, stay the same.
///
/// The contents of a list or an object are read on demand. The ends of the longer containers are
/// stored, so that they can be skipped. Shorter ones are scanned again.
package struct JSONText {
  package let bytes: Bytes
  /// The lists and objects of at least ``longBytesMin`` bytes, in the order of their beginnings.
  private let long: [Range<Int>]

  /// The minimum size in bytes of a container whose end is stored.
  private static let longBytesMin = 64

  /// Validates a text; `nil` if it is not a JSON object or array. With `mayBeScalar`, any JSON
  /// value is accepted.
  package init?(_ bytes: Bytes, mayBeScalar: Bool = false) {
    let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
    guard mayBeScalar || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return nil
    }
    // A text that does not parse is treated as plain text, so the reason does not matter.
    guard JSONParser.accepts(bytes) else { return nil }
    (self.bytes, long) = (bytes, Self.long(in: bytes))
  }

  private static func long(in bytes: Bytes) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var open: [Int] = []
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = bytes.endOfJSONString(from: place)
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        open.append(found.count)
        found.append(place..<place)
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard let index = open.popLast() else { return found }
        let start = found[index].lowerBound
        // All containers within it are shorter, so they have already been removed.
        if place - start < longBytesMin {
          found.removeLast()
        } else {
          found[index] = start..<place + 1
        }
      default: break
      }
      place += 1
    }
    return found
  }

  /// The top-level value of the text.
  package var whole: JSONSpan { value(at: next(0)) }

  /// Returns the elements of a list; empty for any other value.
  package func elements(of span: JSONSpan) -> Elements {
    guard case .array(let range) = span else { return Elements(text: self, place: bytes.count) }
    return Elements(text: self, place: range.lowerBound + 1)
  }

  /// Returns the members of an object; empty for any other value.
  package func members(of span: JSONSpan) -> Members {
    guard case .object(let range) = span else { return Members(text: self, place: bytes.count) }
    return Members(text: self, place: range.lowerBound + 1)
  }

  /// The values of a list, in their order.
  package struct Elements: Sequence, IteratorProtocol {
    fileprivate let text: JSONText
    fileprivate var place: Int

    package mutating func next() -> JSONSpan? {
      place = text.next(place)
      guard text.begins(at: place) else { return nil }
      let span = text.value(at: place)
      place = span.range.upperBound
      return span
    }
  }

  /// The names of an object, with their quotes, and their values, in their order.
  package struct Members: Sequence, IteratorProtocol {
    fileprivate let text: JSONText
    fileprivate var place: Int

    package mutating func next() -> (name: Range<Int>, value: JSONSpan)? {
      place = text.next(place)
      guard text.begins(at: place) else { return nil }
      let name = place..<text.bytes.endOfJSONString(from: place)
      let value = text.value(at: text.next(name.upperBound))
      place = value.range.upperBound
      return (name, value)
    }
  }

  /// Returns the next position that is neither white space nor a separator. The text is already
  /// valid, so the positions of separators need no check.
  private func next(_ place: Int) -> Int {
    var place = place
    while place < bytes.count {
      let byte = bytes[place]
      guard byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || byte >= 0x80
      else { break }
      place += 1
    }
    return place
  }

  /// Whether a value begins at a position, rather than a list or an object ending there.
  private func begins(at place: Int) -> Bool {
    place < bytes.count && bytes[place] != UInt8(ascii: "]") && bytes[place] != UInt8(ascii: "}")
  }

  /// Returns the value that begins at a position.
  private func value(at start: Int) -> JSONSpan {
    guard start < bytes.count else { return .word(start..<start) }
    switch bytes[start] {
    case UInt8(ascii: "\""): return .string(start..<bytes.endOfJSONString(from: start))
    case UInt8(ascii: "["): return .array(start..<end(of: start))
    case UInt8(ascii: "{"): return .object(start..<end(of: start))
    case let first:
      let isWord = 0x61...0x7A ~= first
      var end = start + 1
      // A number begins with no letter, and a literal consists of letters only.
      while end < bytes.count, !",]}".utf8.contains(bytes[end]), bytes[end] > 0x20 { end += 1 }
      return isWord ? .word(start..<end) : .number(start..<end)
    }
  }

  /// Returns the end of the list or the object that begins at a position.
  private func end(of start: Int) -> Int {
    var (low, high) = (0, long.count)
    while low < high {
      let middle = (low + high) / 2
      if long[middle].lowerBound < start { low = middle + 1 } else { high = middle }
    }
    if low < long.count, long[low].lowerBound == start { return long[low].upperBound }
    var (place, depth) = (start, 0)
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = bytes.endOfJSONString(from: place)
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      place += 1
      if depth == 0 { break }
    }
    return place
  }

  /// Returns the value of a string, with its escapes decoded.
  package func text(_ range: Range<Int>) -> String {
    let inner = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    // The range is a valid part of the parsed text, so parsing cannot fail.
    return (try? JSONParser.parse(bytes[range]))?.stringValue
      ?? String(decoding: inner, as: UTF8.self)
  }

  /// Returns the value of a string in UTF-8, with its escapes decoded.
  package func meaning(_ range: Range<Int>) -> Bytes {
    let inner = Bytes(bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
    return inner.has(UInt8(ascii: "\\")) ? Bytes(text(range).utf8) : inner
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// Returns the position after the closing quote of a JSON string that begins at a position.
  package func endOfJSONString(from start: Int) -> Int {
    var place = start + 1
    while place < count, self[place] != UInt8(ascii: "\"") {
      place += self[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return Swift.min(place + 1, count)
  }
}
