// Lenient access to values that exporters write differently from the specification.

extension JSON {
  /// The kind of this value, for error sentences.
  var noun: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// Returns the member with a name; `nil` if it is missing or null.
  func present(_ name: String) -> JSON? {
    let value = self[name]
    return value == .null ? nil : value
  }

  /// A string, or the spelling of a number or literal; `nil` for any other value.
  var spelled: String? { self == .null ? nil : scalarText }

  /// A number without its fraction, which may also be written as a string.
  var wholeValue: Int? {
    // Within these bounds, the conversion is exact.
    guard let number = spelled.flatMap({ Double($0) }), number.magnitude < 1e15 else { return nil }
    return Int(number)
  }

  /// A finite number, which may also be written as a string; `nil` for any other value.
  var measure: Double? {
    spelled.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The text of the value: a string, or the JSON text of any other value.
  var said: String { spelled ?? String(decoding: bytes(.compact), as: UTF8.self) }

  /// The number of texts outside notes that contain half of a surrogate pair.
  var halfTextCount: Int {
    switch self {
    case .string(let text):
      guard text.value.unicodeScalars.contains("\u{FFFD}") else { return 0 }
      let pair = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/
      let rest = text.spelling?.lowercased().replacing(pair, with: "")
      return rest?.contains("\\ud") == true ? 1 : 0
    case .array(let elements): return elements.reduce(0) { $0 + $1.halfTextCount }
    case .object(let members):
      return members.lazy.filter { !$0.name.value.hasPrefix("_") }
        .reduce(0) { $0 + $1.value.halfTextCount }
    case .null, .bool, .number: return 0
    }
  }

  /// The value with repeated names removed: the last value wins, at the position of the first.
  ///
  /// JavaScript and Python do the same; RFC 8259 §4 leaves it open. Members whose name begins with
  /// `_` are notes, and their content is unchanged.
  var withoutRepeats: JSON { unrepeated ?? self }

  /// The changed value; `nil` if no name is repeated, which is the usual case.
  private var unrepeated: JSON? {
    switch self {
    case .array(let elements):
      let others = elements.map(\.unrepeated)
      let isChanged = others.contains { $0 != nil }
      return isChanged ? .array(zip(elements, others).map { $1 ?? $0 }) : nil
    case .object(let members):
      var places: [String: Int] = [:]
      var kept: [JSON.Member] = []
      var isChanged = false
      for member in members {
        let name = member.name.value
        let inner = name.hasPrefix("_") ? nil : member.value.unrepeated
        let value = inner ?? member.value
        if let place = places[name] {
          (kept[place].value, isChanged) = (value, true)
        } else {
          places[name] = kept.count
          kept.append(JSON.Member(member.name, value))
          if inner != nil { isChanged = true }
        }
      }
      return isChanged ? .object(kept) : nil
    case .null, .bool, .number, .string: return nil
    }
  }
}

extension String {
  /// A copy in which a stray octet of a head is percent-encoded.
  var escapingOctets: String { spellingOctets { "%\(String($0, radix: 16, uppercase: true))" } }

  /// Returns the text with some of its bytes percent-encoded.
  func percentEncoded(_ isEncoded: (UInt8) -> Bool) -> String {
    let bytes = utf8.flatMap { byte -> [UInt8] in
      guard isEncoded(byte) else { return [byte] }
      return Array("\(byte < 0x10 ? "%0" : "%")\(String(byte, radix: 16, uppercase: true))".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
