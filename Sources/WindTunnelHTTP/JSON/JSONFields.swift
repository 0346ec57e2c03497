/// A value whose members are listed once, in their order, for its reader and its writer.
package protocol JSONListed {
  /// The value that a reader starts with: its required members are replaced.
  static var blank: Self { get }
  /// Lists the members in their order.
  mutating func list(_ fields: inout JSONFields) throws(FormatError)
}

/// A listed value that is written even if no member has a value.
package protocol JSONObject: JSONListed {}

/// A listed value that is left out if no member has a value.
package protocol JSONPart: JSONListed {}

extension JSONListed {
  /// The members that have a value.
  package var members: [JSON.Member] {
    var (copy, fields) = (self, JSONFields())
    // Only reading throws.
    try? copy.list(&fields)
    return fields.members
  }

  /// Reads the value from an object that has no other members.
  package init(reading object: ObjectReader) throws(FormatError) {
    var fields = JSONFields(object)
    self = .blank
    try list(&fields)
    try fields.object.refuseUnknownKeys()
  }
}

extension JSONObject {
  package var json: JSON { .object(members) }
}

extension JSONPart {
  package var json: JSON? {
    let members = members
    return members.isEmpty ? nil : .object(members)
  }
}

/// The members of an object: reading sets the values that are listed, and writing keeps them.
package struct JSONFields {
  /// The key that the error about a missing member names, or none for the object, and its problem.
  package typealias Missing = (key: String?, problem: String)

  /// The object that is read; empty while one is written.
  package var object = ObjectReader()
  /// The members that were written.
  fileprivate private(set) var members: [JSON.Member] = []
  package let isReading: Bool

  fileprivate init() { isReading = false }
  fileprivate init(_ object: ObjectReader) { (self.object, isReading) = (object, true) }

  /// Writes a member if there is a value for it.
  package mutating func write(_ name: String, _ value: JSON?) {
    members.add(JSON.Text(name), value)
  }

  /// Returns a value that must be there.
  package func required<Value>(_ value: Value?, _ missing: Missing) throws(FormatError) -> Value {
    if let value { return value }
    guard let key = missing.key else { throw object.error(ofAll: missing.problem) }
    throw object.error(key, missing.problem)
  }

  // Members that are left out if they are `nil`.
  package mutating func int(
    _ name: String,
    _ value: inout Int?,
    in range: ClosedRange<Int>
  ) throws(FormatError) {
    guard isReading else { return write(name, value.map { .number($0) }) }
    value = try object.int(name, in: range)
  }

  package mutating func string(_ name: String, _ value: inout String?) throws(FormatError) {
    guard isReading else { return write(name, value.map { .text($0) }) }
    value = try object.string(name)
  }

  package mutating func bool(_ name: String, _ value: inout Bool?) throws(FormatError) {
    guard isReading else { return write(name, value.map { .bool($0) }) }
    value = try object.bool(name)
  }

  package mutating func nested<Value: JSONObject>(
    _ name: String,
    _ value: inout Value?
  ) throws(FormatError) {
    guard isReading else { return write(name, value?.json) }
    value = try object.object(name).map(Value.init(reading:))
  }

  /// Lists a time in milliseconds.
  package mutating func time(_ name: String, _ value: inout Duration?) throws(FormatError) {
    guard isReading else { return members.add(JSON.Text(name), value) }
    value = try object.offset(name)
  }

  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String,
    _ value: inout Choice?
  ) throws(FormatError) where Choice.RawValue == String {
    guard isReading else { return write(name, value.map { .text($0.rawValue) }) }
    value = try object.choice(name, Choice.self)
  }

  // Members that must be there.
  package mutating func int(
    _ name: String,
    _ value: inout Int,
    in range: ClosedRange<Int>,
    _ missing: Missing
  ) throws(FormatError) {
    guard isReading else { return write(name, .number(value)) }
    value = try required(object.int(name, in: range), missing)
  }

  package mutating func string(
    _ name: String,
    _ value: inout String,
    _ missing: Missing
  ) throws(FormatError) {
    guard isReading else { return write(name, .text(value)) }
    value = try required(object.string(name), missing)
  }

  /// Lists a time in milliseconds.
  package mutating func time(
    _ name: String,
    _ value: inout Duration,
    _ missing: Missing
  ) throws(FormatError) {
    guard isReading else { return members.add(JSON.Text(name), value) }
    value = try required(object.offset(name), missing)
  }

  // Members that have a default.
  /// Lists a count that is left out if it is zero.
  package mutating func count(_ name: String, _ value: inout Int) throws(FormatError) {
    guard isReading else { return write(name, value > 0 ? .number(value) : JSON?.none) }
    value = try object.int(name, in: 0...(1 << 40)) ?? 0
  }

  /// Lists a flag that is left out if it is false.
  package mutating func flag(_ name: String, _ value: inout Bool) throws(FormatError) {
    guard isReading else { return write(name, value ? true : JSON?.none) }
    value = try object.bool(name) ?? false
  }

  /// Lists objects, which may be none.
  package mutating func list<Element: JSONObject>(
    _ name: String,
    _ value: inout [Element]
  ) throws(FormatError) {
    guard isReading else { return write(name, .array(value.map(\.json))) }
    value = try object.list(name, Element.init(reading:)) ?? []
  }

  /// Lists numbers up to a maximum that are left out if there are none.
  package mutating func numbers(
    _ name: String,
    _ value: inout [Int],
    _ noun: String,
    max: Int = .max
  ) throws(FormatError) {
    guard isReading else { return write(name, value.isEmpty ? JSON?.none : .numbers(value)) }
    value = try object.values(name, noun) { json in
      json.intValue.flatMap { 0...max ~= $0 ? $0 : nil }
    }
  }

  /// Lists names that are left out if there are none.
  package mutating func names(_ name: String, _ value: inout [String]) throws(FormatError) {
    guard isReading else { return write(name, value.isEmpty ? JSON?.none : .texts(value)) }
    value = try object.values(name, "name", \.stringValue)
  }
}

extension ObjectReader {
  /// Returns a length of time or an offset, where it is there.
  package mutating func offset(_ name: String) throws(FormatError) -> Duration? {
    try double(name, in: 0...1e12).map { Duration(milliseconds: $0) }
  }
}
