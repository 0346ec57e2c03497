/// A value that lists its members once, in order, for both reading and writing.
package protocol JSONListed {
  /// The initial value for reading. Its required members are replaced.
  static var blank: Self { get }
  /// Lists the members in their order.
  mutating func list(_ fields: inout JSONFields) throws(FormatError)
}

/// A listed value that is written even if no member has a value.
package protocol JSONObject: JSONListed {}

/// A listed value that is omitted if no member has a value.
package protocol JSONPart: JSONListed {}

extension JSONListed {
  /// The members that have a value.
  package var members: [JSON.Member] {
    var (copy, fields) = (self, JSONFields())
    // Only reading throws.
    try? copy.list(&fields)
    return fields.members
  }

  /// Reads the value from an object. Other members are an error.
  package init(reading object: ObjectReader) throws(FormatError) {
    var fields = JSONFields(object)
    self = .blank
    try list(&fields)
    try fields.object.refuseUnknownKeys()
  }

  /// Reads the value from an object that may have other members.
  package init(readingFrom object: ObjectReader) throws(FormatError) {
    var fields = JSONFields(object)
    self = .blank
    try list(&fields)
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

/// The members of an object: reads the listed values from it or writes them to it.
package struct JSONFields {
  /// The key that the error about a missing member names and its problem; without a key, the error
  /// names the object.
  package typealias Missing = (key: String?, problem: String)

  /// The object that is read; empty when writing.
  package var object = ObjectReader()
  /// The members that were written.
  fileprivate private(set) var members: [JSON.Member] = []
  package let isReading: Bool
  /// The default range of times in milliseconds.
  package static let times = 0.0...1e12

  fileprivate init() { isReading = false }
  fileprivate init(_ object: ObjectReader) { (self.object, isReading) = (object, true) }

  /// Writes a member if its value is not `nil`.
  package mutating func write(_ name: String, _ value: JSON?) {
    members.add(JSON.Text(name), value)
  }

  /// Lists the members that begin with `_`, unchanged.
  package mutating func notes(_ notes: inout [JSON.Member]) {
    if isReading { notes = object.notes } else { members += notes }
  }

  /// Throws an error about an unknown key, before the following checks.
  package func refuseUnknownKeys() throws(FormatError) { try object.refuseUnknownKeys() }

  /// Throws an error about a member if its value was read and is invalid.
  package func refuse(
    _ isWrong: Bool,
    _ name: String,
    _ problem: @autoclosure () -> String,
    fix: String? = nil
  ) throws(FormatError) {
    if isReading, isWrong { throw object.error(name, problem(), fix: fix) }
  }

  /// Returns a required value; throws if it is missing.
  package func required<Value>(_ value: Value?, _ missing: Missing) throws(FormatError) -> Value {
    if let value { return value }
    guard let key = missing.key else { throw object.error(ofAll: missing.problem) }
    throw object.error(key, missing.problem)
  }

  // Members that are omitted if they are `nil`.
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

  /// Lists a number with at most `places` decimals; without `places`, in its exact digits.
  package mutating func double(
    _ name: String,
    _ value: inout Double?,
    in range: ClosedRange<Double>,
    places: Int? = nil
  ) throws(FormatError) {
    guard isReading else {
      return write(
        name,
        value.map { places == nil ? .exactly($0) : .number($0, places: places ?? 0) }
      )
    }
    value = try object.double(name, in: range)
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

  /// Lists an object together with its notes, for a value that does not store them.
  package mutating func nested<Value: JSONObject>(
    _ name: String,
    _ value: inout Value?,
    notes: inout [JSON.Member]
  ) throws(FormatError) {
    guard isReading else { return write(name, value.map { .object($0.members + notes) }) }
    guard let object = try object.object(name) else { return }
    (value, notes) = (try Value(reading: object), object.notes)
  }

  /// Lists a time in milliseconds.
  package mutating func time(
    _ name: String,
    _ value: inout Duration?,
    in range: ClosedRange<Double> = times
  ) throws(FormatError) {
    guard isReading else { return members.add(JSON.Text(name), value) }
    value = try object.double(name, in: range).map { Duration(milliseconds: $0) }
  }

  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String,
    _ value: inout Choice?
  ) throws(FormatError) where Choice.RawValue == String {
    guard isReading else { return write(name, value.map { .text($0.rawValue) }) }
    value = try object.choice(name, Choice.self)
  }

  // Required members.
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
    value = Duration(milliseconds: try required(object.double(name, in: Self.times), missing))
  }

  // Members that have a default.
  /// Lists a count that is omitted if it is zero.
  package mutating func count(_ name: String, _ value: inout Int) throws(FormatError) {
    guard isReading else { return write(name, value > 0 ? .number(value) : JSON?.none) }
    value = try object.int(name, in: 0...(1 << 40)) ?? 0
  }

  /// Lists a flag that is omitted if it is false.
  package mutating func flag(_ name: String, _ value: inout Bool) throws(FormatError) {
    guard isReading else { return write(name, value ? true : JSON?.none) }
    value = try object.bool(name) ?? false
  }

  /// Lists texts, which are omitted if there are none. Each is read with its place.
  package mutating func texts<Element: CustomStringConvertible>(
    _ name: String,
    _ value: inout [Element],
    _ read: (JSON, _ place: String, ObjectReader) throws(FormatError) -> Element
  ) throws(FormatError) {
    guard isReading else {
      return write(name, value.isEmpty ? JSON?.none : .texts(value.map(\.description)))
    }
    value = []
    for (index, json) in (try object.array(name) ?? []).enumerated() {
      value.append(try read(json, "\(name)[\(index)]", object))
    }
  }

  /// Lists objects; the list may be empty.
  package mutating func list<Element: JSONObject>(
    _ name: String,
    _ value: inout [Element]
  ) throws(FormatError) {
    guard isReading else { return write(name, .array(value.map(\.json))) }
    value = try object.list(name, Element.init(reading:)) ?? []
  }

  /// Lists numbers up to a maximum, which are omitted if there are none.
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

  /// Lists names, which are omitted if there are none.
  package mutating func names(_ name: String, _ value: inout [String]) throws(FormatError) {
    guard isReading else { return write(name, value.isEmpty ? JSON?.none : .texts(value)) }
    value = try object.values(name, "name", \.stringValue)
  }
}
