/// A text read through one of the spellings that a secret may have in it, with the way back.
struct EscapedText {
  /// How a text may be spelled.
  enum Spelling: CaseIterable {
    case plain
    /// `%2F` (RFC 3986 §2.1), and the same once more, as in an address within an address.
    case percent, percentTwice
    /// `+` for a space, beside `%2F`.
    case form
    /// `\/`, `\"`, `\u00e4`.
    case json
    /// `&amp;`, `&#39;`, `&#x2F;`.
    case html

    /// What stands in every text that is spelled so and not as it is meant.
    fileprivate var mark: UInt8? {
      switch self {
      case .plain: nil
      case .percent, .percentTwice: UInt8(ascii: "%")
      case .form: UInt8(ascii: "+")
      case .json: UInt8(ascii: "\\")
      case .html: UInt8(ascii: "&")
      }
    }
  }

  /// The text as it is meant.
  private(set) var bytes: [UInt8]
  /// Where each byte begins in the original, and where the last one ends.
  private var starts: [Int]

  /// Reads a text; `nil` if nothing in it is spelled so.
  init?(_ original: [UInt8], _ spelling: Spelling) {
    // Most texts are spelled as they are meant, and the way back costs eight times the text.
    if let mark = spelling.mark, !original.contains(mark) { return nil }
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
    }
  }

  /// The same edit where it belongs in the original.
  func inOriginal(_ edit: Edit) -> Edit {
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

  private static func escape(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    guard let kind = text.dropFirst().first else { return nil }
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
      return ([kind], 2)
    case UInt8(ascii: "n"): return ([0x0A], 2)
    case UInt8(ascii: "r"): return ([0x0D], 2)
    case UInt8(ascii: "t"): return ([0x09], 2)
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
