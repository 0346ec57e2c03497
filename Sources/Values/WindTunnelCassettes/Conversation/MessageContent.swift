internal import Foundation

/// The content of a message for comparison: JSON by its meaning, other texts and bytes unchanged.
struct MessageContent {
  /// A member that correlates messages, and the spelling of its value.
  struct Correlation: Hashable {
    var field: String
    var value: String
  }

  /// The members that correlate messages, the most specific first.
  ///
  /// JSON-RPC and GraphQL over WebSocket use `id`, Phoenix channels `ref` and `topic`, and
  /// exchanges `requestId`, `subscription` and `channel`.
  static let correlationFields = ["id", "ref", "requestId", "subscription", "channel", "topic"]

  /// The members that identify a message or a request rather than requested data.
  static let identifierFields: Set<String> = ["ref", "requestId"]

  /// The places whose values identify messages rather than requested data.
  struct Identifiers {
    /// The top-level members of a JSON object.
    var names: Set<String>
    var paths: [JSONPath] = []
  }

  /// The maximum size in bytes of a message that is compared as JSON.
  static let openedBytesMax = 1 << 20

  let isText: Bool
  let data: Data
  /// The canonical value; `nil` if the message is not JSON.
  let json: JSON?
  /// The value in its original spelling, because clock values are recognised by their digits.
  let spelled: JSON?

  init(_ data: Data, isText: Bool) {
    (self.data, self.isText) = (data, isText)
    // A text that is not JSON is compared as text.
    spelled =
      isText && data.count <= Self.openedBytesMax
        && [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(data.first)
      ? try? JSONParser.parse(data) : nil
    json = spelled?.canonical()
  }

  /// Returns the values that correlate the message: first the values at the paths, then the members
  /// in ``correlationFields``.
  ///
  /// An `id` only counts at the top level, where the message itself is identified; a nested `id`
  /// may identify anything.
  func correlations(at paths: [JSONPath]) -> [Correlation] {
    guard let json else { return [] }
    let named = paths.compactMap { path in
      json.first(at: path)?.scalarText.map { Correlation(field: path.description, value: $0) }
    }
    guard case .object(let members) = json else { return named }
    return named
      + Self.correlationFields.compactMap { field in
        var value = members.first { $0.name.value == field }?.value.scalarText
        if value == nil, field != "id" {
          value = members.lazy.compactMap { $0.value[field]?.scalarText }.first
        }
        return value.map { Correlation(field: field, value: $0) }
      }
  }

  /// The value at a path.
  func identifier(at path: JSONPath) -> String? { json?.first(at: path)?.scalarText }

  /// The key that equal messages share.
  var exactKey: Data { key(json?.bytes()) }

  /// The key that messages share if they differ only in volatile parts.
  ///
  /// Volatile parts are identifiers of messages, UUIDs (RFC 9562), dates with a time (RFC 3339),
  /// and clock values.
  func looseKey(_ identifiers: Identifiers) -> Data {
    guard let spelled else { return isText ? key(VolatileText.steady(Array(data))) : key(nil) }
    return key(Self.steady(spelled, identifiers).canonical().bytes())
  }

  private func key(_ bytes: [UInt8]?) -> Data {
    var key = Data([isText ? UInt8(ascii: "t") : UInt8(ascii: "b")])
    if let bytes { key.append(contentsOf: bytes) } else { key.append(data) }
    return key
  }

  /// The content in shortened form.
  var shown: String {
    let text = isText ? String(utf8: data.prefix(1000)).map { RequestDistance.cut($0) } : nil
    return text.map { "\"\($0)\"" } ?? "\(data.count) bytes"
  }

  /// Whether a recorded message with redacted parts matches another message.
  func stands(for asked: MessageContent, _ identifiers: Identifiers) -> Bool {
    guard isText == asked.isText else { return false }
    guard let spelled, let other = asked.spelled else {
      if !isText, Self.mayStand(data, for: asked.data) { return true }
      guard let text = String(utf8: data), let asked = String(utf8: asked.data) else {
        return false
      }
      return text == asked || RequestDistance.stands(text, for: asked)
    }
    return JSONDifference.all(
      Self.steady(spelled, identifiers).canonical(),
      Self.steady(other, identifiers).canonical(),
      ignoring: []
    ).isEmpty
  }

  /// Whether bytes with redacted parts match other bytes: MessagePack, CBOR, MQTT and fields of
  /// Protocol Buffers.
  ///
  /// In these formats, one or two bytes before a text contain its length, which may differ.
  private static func mayStand(_ recorded: Data, for asked: Data) -> Bool {
    guard var shape = RedactedText(scalars(of: recorded))?.shape else { return false }
    for index in shape.literals.indices.dropLast() {
      let count = min(2, shape.literals[index].unicodeScalars.count)
      shape.literals[index].unicodeScalars.removeLast(count)
    }
    return shape.values(in: scalars(of: asked)) != nil
  }

  /// Returns a scalar for each byte, so that bytes can be compared like texts. The length of an
  /// MQTT connect packet is omitted, because it depends on the client's values.
  private static func scalars(of bytes: Data) -> String {
    let isPacket = bytes.first == 0x10
    let count = isPacket ? 2 + bytes.dropFirst().prefix(3).prefix { $0 >= 0x80 }.count : 0
    let scalars = bytes.dropFirst(count).map { Unicode.Scalar($0) }
    return String(String.UnicodeScalarView(scalars))
  }

  private static let mark = JSON.text("\0")

  /// Returns a value with its volatile parts replaced by a mark.
  private static func steady(_ json: JSON, _ identifiers: Identifiers) -> JSON {
    let json = identifiers.paths.reduce(json) { json, path in
      json.replacing(at: path) { $0.scalarText == nil ? $0 : mark }
    }
    return steady(json, identifiers.names)
  }

  /// Returns the same; `names` are top-level members.
  private static func steady(_ json: JSON, _ names: Set<String> = []) -> JSON {
    switch json {
    case .number(let digits): VolatileText.isClock(digits.utf8) ? mark : json
    case .string(let text):
      .text(String(decoding: VolatileText.steady(Array(text.value.utf8)), as: UTF8.self))
    case .null, .bool, .array, .object:
      json.changingParts { step, part in
        let isIdentifier =
          if case .name(let name) = step { names.contains(name) } else { false }
        return isIdentifier && part.scalarText != nil ? mark : steady(part)
      }
    }
  }
}

/// The parts of a text that change from one recording to the next.
enum VolatileText {
  /// Returns a text with each UUID, date with a time and clock value replaced by a mark.
  static func steady(_ bytes: [UInt8]) -> [UInt8] {
    // Shorter texts contain none.
    guard bytes.count >= 10 else { return bytes }
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let isInside = place > 0 && bytes[place - 1].isWord
      let count = isInside ? 0 : length(at: place, in: bytes)
      result.append(count > 0 ? 0 : bytes[place])
      place += max(1, count)
    }
    return result
  }

  /// Returns the length of the volatile part at a position; 0 if there is none.
  private static func length(at place: Int, in bytes: [UInt8]) -> Int {
    if fits("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", at: place, in: bytes) { return 36 }
    guard bytes[place].isASCIIDigit else { return 0 }
    if fits("dddd-dd-dd?dd:dd:dd", at: place, in: bytes) {
      // The fraction and the zone are part of the date.
      let rest = bytes[(place + 19)...].prefix(16)
      return 19 + rest.prefix { $0.isASCIIDigit || ".:+-Zz".utf8.contains($0) }.count
    }
    let digits = bytes[place...].prefix(20).prefix { $0.isASCIIDigit }
    return isClock(digits) ? digits.count : 0
  }

  /// Whether digits are seconds, milliseconds, microseconds or nanoseconds since 1970, between 2010
  /// and 2040.
  ///
  /// Other numbers of such lengths are identifiers. A fraction may follow after a point.
  static func isClock(_ digits: some Collection<UInt8>) -> Bool {
    let whole = digits.prefix { $0 != UInt8(ascii: ".") }
    guard [10, 13, 16, 19].contains(whole.count), whole.allSatisfy(\.isASCIIDigit) else {
      return false
    }
    let seconds = whole.prefix(10).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return 1_262_304_000..<2_208_988_800 ~= seconds
  }

  /// Whether a text is a UUID.
  static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 36 && length(at: 0, in: bytes) == 36
  }

  /// Whether bytes match a pattern: `x` is a hexadecimal digit, `d` a decimal digit, `?` any byte.
  private static func fits(_ pattern: StaticString, at place: Int, in bytes: [UInt8]) -> Bool {
    let count = pattern.utf8CodeUnitCount
    guard place + count <= bytes.count else { return false }
    for index in 0..<count {
      let byte = bytes[place + index]
      switch pattern.utf8Start[index] {
      case UInt8(ascii: "x"): if !byte.isASCIIDigit, !(0x61...0x66 ~= byte | 0x20) { return false }
      case UInt8(ascii: "d"): if !byte.isASCIIDigit { return false }
      case UInt8(ascii: "?"): break
      case let wanted: if byte != wanted { return false }
      }
    }
    return true
  }
}
