/// A strict parser of one JSON text (RFC 8259) that keeps every spelling.
///
/// The parser is a value that reads bytes and does not access files. A value can also be skipped
/// (``skipValue()``), with the same grammar and error messages but without building a tree.
package struct JSONParser {
  /// The maximum nesting of arrays and objects; deeper text is an error, because it could overflow
  /// the stack.
  package static let depthMax = 256

  /// The error of a text that is not JSON: the problem as half a sentence, and its offset in bytes.
  package struct Failure: Error, Hashable {
    package var problem: String
    package var offset: Int

    package init(problem: String, offset: Int) { (self.problem, self.offset) = (problem, offset) }
  }

  package let bytes: UnsafeBufferPointer<UInt8>
  package var position = 0
  private let depthMax: Int
  private var depth = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int) {
    (self.bytes, self.depthMax) = (bytes, depthMax)
  }

  /// Parses a whole text; a leading byte order mark is skipped.
  package static func parse(
    _ bytes: some Collection<UInt8>,
    depthMax: Int = Self.depthMax
  ) throws(Failure) -> JSON {
    let read = { (parser: inout JSONParser) throws(Failure) -> JSON in try parser.value() }
    let outcome: Result<JSON, Failure> =
      bytes.withContiguousStorageIfAvailable { Self.whole($0, depthMax: depthMax, read) }
      ?? ContiguousArray(bytes).withUnsafeBufferPointer { Self.whole($0, depthMax: depthMax, read) }
    return try outcome.get()
  }

  /// Whether a text is JSON. Its values are not built.
  package static func accepts(_ bytes: Bytes) -> Bool {
    let prove = { (parser: inout JSONParser) throws(Failure) in try parser.skipValue() }
    let outcome = bytes.withContiguousStorageIfAvailable { Self.whole($0, prove) }
    if case .success? = outcome { return true }
    return false
  }

  /// Reads a whole text with a custom function; only white space may follow the value.
  package static func whole<Value>(
    _ bytes: UnsafeBufferPointer<UInt8>,
    depthMax: Int = Self.depthMax,
    _ read: (inout JSONParser) throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    var parser = JSONParser(bytes, depthMax: depthMax)
    do throws(Failure) {
      if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
        parser.position = 3
      }
      let value = try read(&parser)
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

  var current: UInt8? {
    Work.read(1)
    return position < bytes.count ? bytes[position] : nil
  }

  package mutating func value() throws(Failure) -> JSON {
    switch try kind() {
    case .object: return try object()
    case .array: return try array()
    case .string: return .string(try string())
    case .number: return .number(text(try skipNumber()))
    case .null:
      try skip("null")
      return .null
    case .true:
      try skip("true")
      return .bool(true)
    case .false:
      try skip("false")
      return .bool(false)
    }
  }

  /// Returns the value at another position.
  package func value(at place: Int) throws(Failure) -> JSON {
    var parser = self
    (parser.position, parser.depth) = (place, 0)
    return try parser.value()
  }

  /// The kind of a value, which its first byte determines.
  package enum Kind { case object, array, string, number, null, `true`, `false` }

  /// Skips white space and returns the kind of the next value.
  package mutating func kind() throws(Failure) -> Kind {
    skipSpace()
    guard let first = current else { throw failure("the text ends where a value is expected") }
    switch first {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"): return .true
    case UInt8(ascii: "f"): return .false
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw failure("\(Self.shown(first)) cannot begin a value")
    }
  }

  private static func shown(_ byte: UInt8) -> String {
    0x21...0x7E ~= byte ? "'\(Character(UnicodeScalar(byte)))'" : "byte \(byte)"
  }

  /// Returns the text of a range, which must be valid UTF-8.
  package func text(_ range: Range<Int>) -> String {
    Work.read(range.count)
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  private mutating func array() throws(Failure) -> JSON {
    var elements: [JSON] = []
    guard try enterList() else { return .array([]) }
    repeat { elements.append(try value()) } while try goesOnInList()
    return .array(elements)
  }

  private mutating func object() throws(Failure) -> JSON {
    var members: [JSON.Member] = []
    guard try enterObject() else { return .object([]) }
    repeat {
      try beginKey()
      let name = try string()
      try endKey()
      members.append(JSON.Member(name, try value()))
    } while try goesOnInObject()
    return .object(members)
  }

  // Separators between the values of a list or an object.
  private mutating func enter(_ close: UInt8) throws(Failure) -> Bool {
    position += 1
    depth += 1
    guard depth <= depthMax else { throw failure("nested deeper than \(depthMax) levels") }
    skipSpace()
    guard current == close else { return true }
    position += 1
    depth -= 1
    return false
  }

  /// Moves after the opening bracket and returns whether an element follows.
  package mutating func enterList() throws(Failure) -> Bool { try enter(UInt8(ascii: "]")) }

  /// Moves after the opening brace and returns whether a member follows.
  package mutating func enterObject() throws(Failure) -> Bool { try enter(UInt8(ascii: "}")) }

  /// Moves after the comma or the closing bracket and returns whether another element follows.
  package mutating func goesOnInList() throws(Failure) -> Bool {
    try goesOn(UInt8(ascii: "]"), or: "expected ',' or ']' in a list")
  }

  /// Moves after the comma or the closing brace and returns whether another member follows.
  package mutating func goesOnInObject() throws(Failure) -> Bool {
    try goesOn(UInt8(ascii: "}"), or: "expected ',' or '}' in an object")
  }

  private mutating func goesOn(_ close: UInt8, or problem: String) throws(Failure) -> Bool {
    skipSpace()
    let byte = current
    guard byte == UInt8(ascii: ",") || byte == close else { throw failure(problem) }
    position += 1
    if byte == close { depth -= 1 }
    return byte != close
  }

  /// Moves to the quote of a key.
  package mutating func beginKey() throws(Failure) {
    skipSpace()
    guard current == UInt8(ascii: "\"") else { throw failure("expected a key in quotes") }
  }

  /// Moves after the colon of a key.
  package mutating func endKey() throws(Failure) {
    skipSpace()
    guard current == UInt8(ascii: ":") else { throw failure("expected ':' after a key") }
    position += 1
  }
}
