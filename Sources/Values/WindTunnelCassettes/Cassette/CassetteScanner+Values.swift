internal import Foundation

// Strings, numbers, header fields and bodies of a cassette.

extension CassetteScanner {
  /// Reads a value with a function that returns `nil` if the value is invalid. The error begins
  /// with the value.
  private mutating func valid<Value>(
    _ problem: @autoclosure () -> String,
    _ read: (inout Self) throws -> Value?
  ) throws -> Value {
    let start = parser.position
    if let value = try read(&self) { return value }
    throw try error("\(parser.value(at: start)) \(problem())")
  }

  /// Returns a string, and whether its text contains escapes; `nil` for any other value.
  private mutating func possibleString() throws -> (value: String, hasEscapes: Bool)? {
    guard try parser.kind() == .string else { return nil }
    let start = parser.position
    let span = try parser.skipString()
    guard span.hasEscapes else {
      return (pool.string(UnsafeBufferPointer(rebasing: parser.bytes[span.range])), false)
    }
    parser.position = start
    return (try parser.string().value, true)
  }

  mutating func string() throws -> String {
    guard let text = try possibleString() else { throw error("expected a string") }
    return text.value
  }

  mutating func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) throws -> Choice
  where Choice.RawValue == String {
    let text = try string()
    if let choice = Choice(rawValue: text) { return choice }
    throw here.unknown(text, at: key, among: Choice.allCases.map(\.rawValue))
  }

  typealias Number = LosslessStringConvertible & Comparable

  /// Returns a number in a range; `nil` for any other value, which is skipped.
  private mutating func possible<N: Number>(in range: ClosedRange<N>) throws -> N? {
    guard try parser.kind() == .number else {
      try parser.skipValue()
      return nil
    }
    return N(parser.text(try parser.skipNumber())).flatMap { range.contains($0) ? $0 : nil }
  }

  mutating func number<N: Number>(in range: ClosedRange<N>) throws -> N {
    let noun = N.self is Int.Type ? "whole number" : "number"
    return try valid("is not a \(noun) from \(range.lowerBound) to \(range.upperBound)") {
      try $0.possible(in: range)
    }
  }

  private static let milliseconds = 0.0...1e12

  mutating func time() throws -> Duration {
    Duration(milliseconds: try number(in: Self.milliseconds))
  }

  /// Reads a list with a function for its elements.
  mutating func list<Element>(_ element: (inout Self) throws -> Element) throws -> [Element] {
    guard try parser.kind() == .array else { throw error("expected a list") }
    var elements: [Element] = []
    guard try parser.enterList() else { return elements }
    repeat { elements.append(try element(&self)) } while try parser.goesOnInList()
    return elements
  }

  /// The valid size of a body's chunk in bytes. No body is larger than a side file.
  private static let chunkRange = 0...SideFiles.bodyBytesMax

  mutating func lengths() throws -> [Int] {
    try list { scanner in
      try scanner.valid("is not a valid length in bytes") { try $0.possible(in: Self.chunkRange) }
    }
  }

  mutating func chunk() throws -> Timing.Chunk {
    let start = parser.position
    let chunk = try valid("is not [bytes, milliseconds]") { scanner -> Timing.Chunk? in
      guard try scanner.parser.kind() == .array, try scanner.parser.enterList(),
        let bytes = try scanner.possible(in: 0...Int.max), try scanner.parser.goesOnInList(),
        let offset = try scanner.possible(in: Self.milliseconds),
        try !scanner.parser.goesOnInList()
      else { return nil }
      return Timing.Chunk(bytes: bytes, offset: Duration(milliseconds: offset))
    }
    guard Self.chunkRange.contains(chunk.bytes) else {
      let words = "is a piece of \(chunk.bytes) bytes; the maximum is \(Self.chunkRange.upperBound)"
      throw try error("\(parser.value(at: start)) \(words)")
    }
    return chunk
  }

  /// Returns the fields of a request or a response. If its bytes equal the previous list, the
  /// storage is shared.
  mutating func headers(like kind: Int) throws -> HeaderFields {
    _ = try parser.kind()
    let start = parser.position
    if let (place, fields) = lastHeaders[kind], parser.repeats(place) {
      parser.position += place.count
      return fields
    }
    let fields = try headers()
    lastHeaders[kind] = (start..<parser.position, fields)
    return fields
  }

  /// Reads header fields from a list of pairs or an object.
  private mutating func headers() throws -> HeaderFields {
    fields.removeAll(keepingCapacity: true)
    switch try parser.kind() {
    case .array:
      guard try parser.enterList() else { return [:] }
      repeat { try pair() } while try parser.goesOnInList()
    case .object:
      guard try parser.enterObject() else { return [:] }
      repeat {
        try parser.beginKey()
        let name = try string()
        try parser.endKey()
        guard let text = try possibleString() else {
          throw error("the value of \"\(name)\" is not a string")
        }
        try add(name, text)
      } while try parser.goesOnInObject()
    case .string, .number, .null, .true, .false: throw error("expected a list of [name, value]")
    }
    return HeaderFields(Array(fields))
  }

  private mutating func pair() throws {
    let start = parser.position
    guard try parser.kind() == .array, try parser.enterList(),
      let name = try possibleString()?.value, try parser.goesOnInList(),
      let text = try possibleString(), try !parser.goesOnInList()
    else { throw try error("\(parser.value(at: start)) is not a pair of a name and a value") }
    try add(name, text)
  }

  /// Adds a header field; throws if it is invalid (RFC 9110 §5.1, §5.5). A line break in a field
  /// could inject a response, and only an escape can contain one.
  private mutating func add(_ name: String, _ text: (value: String, hasEscapes: Bool)) throws {
    guard name.isHTTPToken else {
      throw error("\(JSON.text(name)) is not a field name (RFC 9110 §5.1)")
    }
    guard !(text.hasEscapes && text.value.breaksFieldLine) else {
      throw error("the value of \(name) contains a line break (RFC 9110 §5.5)")
    }
    fields.append(HeaderField(name, text.value))
  }

  // Bodies.
  static let bodyKeys = ["json", "layout", "text", "base64", "file"]

  /// The keys of a body that an object had.
  struct BodyKeys {
    /// The default content type, which the key of the content determines.
    fileprivate var type: String?
    /// The content that stays in the text, and its form except for layout and compression.
    fileprivate var held: (place: Range<Int>, form: StoredBody.Form)?
    /// The content that is not in the text.
    fileprivate var body = Body.empty
    fileprivate var layout: String?
    fileprivate var gzip: [Int]?

    /// Whether the content is text.
    var isText: Bool { type == Self.jsonType || type == Self.textType }

    fileprivate static let jsonType = "application/json"
    fileprivate static let textType = "text/plain; charset=utf-8"
  }

  /// Validates the value of a body's key without decoding it.
  mutating func bodyKey(_ key: String) throws {
    if key == "layout" { return content.layout = try string() }
    if key == "gzip" { return content.gzip = try list { try $0.possible(in: 0...Int.max) ?? -1 } }
    guard content.type == nil else {
      throw error("a body is one of \"json\", \"text\", \"base64\" and \"file\"", at: "json")
    }
    let isString = try parser.kind() == .string
    let start = parser.position
    if key == "json" {
      try parser.skipValue()
      content.type = BodyKeys.jsonType
      return content.held = (start..<parser.position, .json(.compact))
    }
    guard isString else { throw error("expected a string") }
    let span = try parser.skipString()
    if key == "text" {
      content.type = BodyKeys.textType
      return content.held = (start..<parser.position, .text(hasEscapes: span.hasEscapes))
    }
    content.type = "application/octet-stream"
    let letters = UnsafeBufferPointer(rebasing: parser.bytes[span.range])
    if key == "base64", !span.hasEscapes, Base64Text.isCanonical(letters) {
      return content.held = (span.range, .base64)
    }
    let text = try parser.value(at: start).stringValue ?? ""
    if key == "file" { return content.body = try sideFile(text) }
    guard let data = Data(base64Encoded: text) else { throw error("not base64 (RFC 4648 §4)") }
    content.body = Body(data)
  }

  /// Returns the body of the object that was read, and the default content type.
  mutating func body() throws -> (body: Body, contentType: String)? {
    var form = content.held?.form
    if let name = content.layout {
      guard content.type == BodyKeys.jsonType else {
        throw error("\"\(name)\" requires a \"json\" body", at: "layout")
      }
      guard let layout = JSON.Layout(name: name) else {
        let fix = "Layouts: \(JSON.Layout.all.map(\.name).joined(separator: ", "))."
        throw error("\"\(name)\" is not a layout", at: "layout", fix: fix)
      }
      form = .json(layout)
    }
    if let numbers = content.gzip {
      guard let inner = form, content.isText, let gzip = GzipForm(numbers) else {
        let words = "gzip requires \"json\" or \"text\", and [level, memory, MTIME, XFL, OS]"
        throw error(Inflate.isThere ? words : "zlib is missing for it", at: "gzip")
      }
      form = .gzip(gzip, inner)
    }
    if let place = content.held?.place, let form {
      let (start, end) = (text.startIndex + place.lowerBound, text.startIndex + place.upperBound)
      content.body = Body(StoredBody(text[start..<end], form))
    }
    return content.type.map { (content.body, $0) }
  }
}
