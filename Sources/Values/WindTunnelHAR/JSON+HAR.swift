// What exporters write where the specification wants something else.

extension JSON {
  /// The kind of this value, for a sentence that finds it in a wrong place.
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

  /// Returns the member of a name, if it is there and not null.
  func present(_ name: String) -> JSON? {
    let value = self[name]
    return value == .null ? nil : value
  }

  /// A string, or a number or word as it is spelled; `nil` for anything else.
  var spelled: String? { self == .null ? nil : scalarText }

  /// A number, be it fractional or written as a string, without its fraction.
  var wholeValue: Int? {
    // Within these bounds the conversion is exact.
    guard let number = spelled.flatMap({ Double($0) }), number.magnitude < 1e15 else { return nil }
    return Int(number)
  }

  /// A number, be it written as a string; `nil` for what is none.
  var measure: Double? {
    spelled.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The text that this says: a string, or else the JSON that stands in its place.
  var said: String { spelled ?? String(decoding: bytes(.compact), as: UTF8.self) }

  /// The number of texts outside notes in which a surrogate lacks its other half.
  var halfTextCount: Int {
    switch self {
    case .string(let text):
      let isHalf = text.value.unicodeScalars.contains("\u{FFFD}")
      let pair = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/
      let rest = text.spelling?.lowercased().replacing(pair, with: "")
      return isHalf && rest?.contains("\\ud") == true ? 1 : 0
    case .array(let elements): return elements.reduce(0) { $0 + $1.halfTextCount }
    case .object(let members):
      return members.lazy.filter { !$0.name.value.hasPrefix("_") }
        .reduce(0) { $0 + $1.value.halfTextCount }
    case .null, .bool, .number: return 0
    }
  }

  /// The value with the last of several members of one name, in the place of the first, as
  /// JavaScript and Python read them; RFC 8259 §4 leaves it open. Members whose name begins with
  /// `_` are anybody's, and what is in them stays.
  var withoutRepeats: JSON { unrepeated ?? self }

  /// `nil` where no name is repeated, as in nearly all.
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
  /// The text with some of its bytes percent-encoded.
  func percentEncoded(_ isEncoded: (UInt8) -> Bool) -> String {
    let bytes = utf8.flatMap { byte -> [UInt8] in
      guard isEncoded(byte) else { return [byte] }
      return Array("\(byte < 0x10 ? "%0" : "%")\(String(byte, radix: 16, uppercase: true))".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
