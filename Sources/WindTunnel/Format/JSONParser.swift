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

  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
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

  func failure(_ problem: String) -> Failure { Failure(problem: problem, offset: position) }

  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

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
}
