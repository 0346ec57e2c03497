/// A parser of one JSON text, strictly by RFC 8259, that keeps every spelling.
///
/// The parser is a value that takes bytes and knows no files. A value can also be skipped
/// (``skipValue()``): the same grammar and the same words for what is wrong, and no tree.
package struct JSONParser {
  /// The most levels that arrays and objects may nest; deeper text is refused rather than
  /// overflowing a stack.
  package static let depthMax = 256

  /// The error of a text that is not JSON: the problem as half a sentence, and its place in bytes.
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

  /// Parses a whole text; a byte order mark in front is passed over.
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

  /// Tells whether a text is JSON, without building its values.
  package static func accepts(_ bytes: Bytes) -> Bool {
    let prove = { (parser: inout JSONParser) throws(Failure) in try parser.skipValue() }
    let outcome = bytes.withContiguousStorageIfAvailable { Self.whole($0, prove) }
    if case .success? = outcome { return true }
    return false
  }

  /// Reads a whole text in a way of one's own; behind it may stand white space and nothing else.
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

  /// The kind of a value, which its first byte tells.
  package enum Kind { case object, array, string, number, null, `true`, `false` }

  /// Tells what begins behind the white space.
  package mutating func kind() throws(Failure) -> Kind {
    skipSpace()
    guard let first = current else { throw failure("the text ends where a value should stand") }
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

  /// Returns the bytes of a range that is known to be UTF-8.
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

  // What stands between the values of a list or an object.
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

  /// Goes behind the bracket; answers whether an element follows.
  package mutating func enterList() throws(Failure) -> Bool { try enter(UInt8(ascii: "]")) }

  /// Goes behind the brace; answers whether a member follows.
  package mutating func enterObject() throws(Failure) -> Bool { try enter(UInt8(ascii: "}")) }

  /// Goes behind the comma or the closing bracket; answers whether another element follows.
  package mutating func goesOnInList() throws(Failure) -> Bool {
    guard let goesOn = goesOn(UInt8(ascii: "]")) else {
      throw failure("a list wants ',' or ']' here")
    }
    return goesOn
  }

  /// Goes behind the comma or the closing brace; answers whether another member follows.
  package mutating func goesOnInObject() throws(Failure) -> Bool {
    guard let goesOn = goesOn(UInt8(ascii: "}")) else {
      throw failure("an object wants ',' or '}' here")
    }
    return goesOn
  }

  private mutating func goesOn(_ close: UInt8) -> Bool? {
    skipSpace()
    let byte = current
    guard byte == UInt8(ascii: ",") || byte == close else { return nil }
    position += 1
    if byte == close { depth -= 1 }
    return byte != close
  }

  /// Goes to the quote of a key.
  package mutating func beginKey() throws(Failure) {
    skipSpace()
    guard current == UInt8(ascii: "\"") else { throw failure("a key in quotes should stand here") }
  }

  /// Goes behind the colon of a key.
  package mutating func endKey() throws(Failure) {
    skipSpace()
    guard current == UInt8(ascii: ":") else { throw failure("a key wants ':' after it") }
    position += 1
  }
}
