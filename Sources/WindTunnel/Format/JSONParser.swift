/// Reads one JSON text, strictly by RFC 8259, and keeps every spelling.
///
/// A value that is handed bytes and has never heard of a file. It looks at each byte once.
struct JSONParser {
  /// How deep arrays and objects may nest; deeper text is refused rather than overflowing a stack.
  static let depthMax = 256

  /// What is wrong, and where.
  struct Failure: Error, Hashable {
    var problem: String
    var offset: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private let depthMax: Int
  private var depth = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int) {
    self.bytes = bytes
    self.depthMax = depthMax
  }

  /// Parses a whole text; a byte order mark in front is passed over.
  static func parse(
    _ bytes: some Collection<UInt8>,
    depthMax: Int = Self.depthMax
  ) throws(Failure) -> JSON {
    let outcome: Result<JSON, Failure> =
      bytes.withContiguousStorageIfAvailable { Self.result($0, depthMax: depthMax) }
      ?? ContiguousArray(bytes).withUnsafeBufferPointer { Self.result($0, depthMax: depthMax) }
    return try outcome.get()
  }

  private static func result(
    _ bytes: UnsafeBufferPointer<UInt8>,
    depthMax: Int
  ) -> Result<JSON, Failure> {
    var parser = JSONParser(bytes, depthMax: depthMax)
    do throws(Failure) {
      if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
        parser.position = 3
      }
      let value = try parser.value()
      parser.skipSpace()
      guard parser.position == bytes.count else {
        throw parser.failure("more text after the value")
      }
      return .success(value)
    } catch {
      return .failure(error)
    }
  }

  private func failure(_ problem: String) -> Failure { Failure(problem: problem, offset: position) }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func value() throws(Failure) -> JSON {
    skipSpace()
    guard let first = current else { throw failure("the text ends where a value should stand") }
    switch first {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw failure("\(Self.shown(first)) cannot begin a value")
    }
  }

  private static func shown(_ byte: UInt8) -> String {
    0x21...0x7E ~= byte ? "'\(Character(UnicodeScalar(byte)))'" : "byte \(byte)"
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(Failure) -> JSON {
    let length = word.utf8CodeUnitCount
    guard position + length <= bytes.count,
      (0..<length).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
    else { throw failure("not a value; true, false and null are the words of JSON") }
    position += length
    return value
  }

  private mutating func enter() throws(Failure) {
    position += 1
    depth += 1
    guard depth <= depthMax else {
      throw failure("nested deeper than \(depthMax) levels")
    }
  }

  private mutating func array() throws(Failure) -> JSON {
    try enter()
    defer { depth -= 1 }
    var elements: [JSON] = []
    skipSpace()
    if current == UInt8(ascii: "]") {
      position += 1
      return .array([])
    }
    while true {
      elements.append(try value())
      skipSpace()
      switch current {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return .array(elements)
      default: throw failure("a list wants ',' or ']' here")
      }
    }
  }

  private mutating func object() throws(Failure) -> JSON {
    try enter()
    defer { depth -= 1 }
    var members: [JSON.Member] = []
    skipSpace()
    if current == UInt8(ascii: "}") {
      position += 1
      return .object([])
    }
    while true {
      skipSpace()
      guard current == UInt8(ascii: "\"") else {
        throw failure("a key in quotes should stand here")
      }
      let name = try string()
      skipSpace()
      guard current == UInt8(ascii: ":") else { throw failure("a key wants ':' after it") }
      position += 1
      members.append(JSON.Member(name, try value()))
      skipSpace()
      switch current {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "}"):
        position += 1
        return .object(members)
      default: throw failure("an object wants ',' or '}' here")
      }
    }
  }

  /// RFC 8259 §6: no plus sign, no leading zeros, digits on both sides of the point.
  private mutating func number() throws(Failure) -> JSON {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") { position += 1 } else { try digits() }
    if current == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    return .number(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func digits() throws(Failure) {
    guard let first = current, 0x30...0x39 ~= first else {
      throw failure("a digit should stand here")
    }
    while let digit = current, 0x30...0x39 ~= digit { position += 1 }
  }

  private mutating func string() throws(Failure) -> JSON.Text {
    position += 1
    let start = position
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    if current == UInt8(ascii: "\"") {
      defer { position += 1 }
      guard let plain = String(utf8: bytes[start..<position]) else {
        throw failure("the string is not valid UTF-8")
      }
      return JSON.Text(plain)
    }
    return try escapedString(from: start)
  }

  private mutating func escapedString(from start: Int) throws(Failure) -> JSON.Text {
    var decoded = Array(bytes[start..<position])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        guard let value = String(utf8: decoded),
          let spelling = String(utf8: bytes[start..<position])
        else { throw failure("the string is not valid UTF-8") }
        position += 1
        return JSON.Text(value, spelling: JSON.escaped(value) == spelling ? nil : spelling)
      case UInt8(ascii: "\\"): try escape(into: &decoded)
      case 0..<0x20: throw failure("a control character must be escaped in a string")
      default:
        decoded.append(byte)
        position += 1
      }
    }
    throw failure("the string does not end")
  }

  private mutating func escape(into decoded: inout [UInt8]) throws(Failure) {
    position += 1
    guard let kind = current else { throw failure("the string does not end") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(kind)
    case UInt8(ascii: "b"): decoded.append(0x08)
    case UInt8(ascii: "f"): decoded.append(0x0C)
    case UInt8(ascii: "n"): decoded.append(0x0A)
    case UInt8(ascii: "r"): decoded.append(0x0D)
    case UInt8(ascii: "t"): decoded.append(0x09)
    case UInt8(ascii: "u"): decoded.append(contentsOf: Array(String(try scalar()).utf8))
    default: throw failure("\\\(Character(UnicodeScalar(kind))) is no escape of JSON")
    }
  }

  /// A `\u` escape; a pair of surrogates is one scalar. A lone surrogate stands for U+FFFD in the
  /// value, while the spelling keeps what was written.
  private mutating func scalar() throws(Failure) -> Unicode.Scalar {
    let first = try hexadecimal()
    if 0xD800...0xDBFF ~= first, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      let before = position
      position += 2
      let second = try hexadecimal()
      if 0xDC00...0xDFFF ~= second {
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)) ?? "\u{FFFD}"
      }
      position = before
    }
    return Unicode.Scalar(first) ?? "\u{FFFD}"
  }

  private mutating func hexadecimal() throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = current.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
        throw failure("\\u wants four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
