/// A reader for an object in one of the project's formats. It reads key by key and rejects unknown
/// keys.
///
/// Keys that begin with `_` are user notes and are kept. Any other unknown key is probably a
/// misspelling, so the error suggests the nearest known key.
package struct ObjectReader {
  package let source: String
  package let path: String
  private let members: [JSON.Member]
  private var known: [String] = []

  package init(_ json: JSON, source: String, path: String) throws(FormatError) {
    (self.source, self.path) = (source, path)
    guard case .object(let members) = json else {
      throw FormatError(source: source, place: path, problem: "expected an object")
    }
    self.members = members
    var names: Set<String> = []
    for member in members where !names.insert(member.name.value).inserted {
      throw error(ofAll: "\"\(member.name.value)\" occurs twice")
    }
  }

  /// Creates a reader of an object without members.
  package init(source: String = "", path: String = "") {
    (self.source, self.path, members) = (source, path, [])
  }

  /// The members that begin with `_`, unchanged.
  package var notes: [JSON.Member] { members.filter { $0.name.value.hasPrefix("_") } }

  package func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  package func error(_ name: String, _ problem: String, fix: String? = nil) -> FormatError {
    FormatError(source: source, place: place(name), problem: problem, fix: fix)
  }

  /// Returns an error about the object itself.
  package func error(ofAll problem: String, fix: String? = nil) -> FormatError {
    FormatError(source: source, place: path, problem: problem, fix: fix)
  }

  /// Returns the value of a key and marks the key as known; `nil` if it is missing.
  package mutating func take(_ name: String) -> JSON? {
    known.append(name)
    return members.first { $0.name.value == name }?.value
  }

  package mutating func string(_ name: String) throws(FormatError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.stringValue else { throw error(name, "expected a string") }
    return text
  }

  package mutating func bool(_ name: String) throws(FormatError) -> Bool? {
    guard let value = take(name) else { return nil }
    guard case .bool(let flag) = value else { throw error(name, "expected true or false") }
    return flag
  }

  package mutating func int(_ name: String, in range: ClosedRange<Int>) throws(FormatError) -> Int?
  {
    guard let value = take(name) else { return nil }
    guard let number = value.intValue, range.contains(number) else {
      throw error(
        name,
        "\(value) is not a whole number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }

  package mutating func double(_ name: String, in range: ClosedRange<Double>) throws(FormatError)
    -> Double?
  {
    guard let value = take(name) else { return nil }
    guard let number = value.doubleValue, range.contains(number) else {
      throw error(name, "\(value) is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package mutating func array(_ name: String) throws(FormatError) -> [JSON]? {
    guard let value = take(name) else { return nil }
    guard case .array(let elements) = value else { throw error(name, "expected a list") }
    return elements
  }

  package mutating func object(_ name: String) throws(FormatError) -> ObjectReader? {
    guard let value = take(name) else { return nil }
    return try ObjectReader(value, source: source, path: place(name))
  }

  /// Reads a list of objects with `read`; `nil` if the list is missing.
  package mutating func list<Element>(
    _ name: String,
    _ read: (ObjectReader) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element]? {
    guard let elements = try array(name) else { return nil }
    var list: [Element] = []
    for (index, json) in elements.enumerated() {
      let path = place("\(name)[\(index)]")
      list.append(try read(ObjectReader(json, source: source, path: path)))
    }
    return list
  }

  /// Reads a list of values with `read`, which returns `nil` for a value that is not a `noun`. A
  /// missing list is empty.
  package mutating func values<Element>(
    _ name: String,
    _ noun: String,
    _ read: (JSON) -> Element?
  ) throws(FormatError) -> [Element] {
    var values: [Element] = []
    for json in try array(name) ?? [] {
      guard let value = read(json) else { throw error(name, "\(json) is not a valid \(noun)") }
      values.append(value)
    }
    return values
  }

  /// Throws an error about the first unknown key.
  package func refuseUnknownKeys() throws(FormatError) {
    for member in members {
      let name = member.name.value
      if name.hasPrefix("_") || known.contains(name) { continue }
      throw error(
        name,
        "unknown key",
        fix: nearest(to: name, in: known).map { "Did you mean \"\($0)\"?" }
          ?? "Known here: \(known.joined(separator: ", "))."
      )
    }
  }

  /// Reads a case of an enumeration by its name; `nil` if it is missing.
  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String,
    _: Choice.Type
  ) throws(FormatError) -> Choice? where Choice.RawValue == String {
    guard let text = try string(name) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    throw unknown(text, at: name, among: Choice.allCases.map(\.rawValue))
  }

  /// Reads one of the words of a table; `nil` if it is missing.
  package mutating func row<Value>(
    _ name: String,
    of table: [(word: String, value: Value)]
  ) throws(FormatError) -> (word: String, value: Value)? {
    guard let text = try string(name) else { return nil }
    if let row = table.first(where: { $0.word == text }) { return row }
    throw unknown(text, at: name, among: table.map(\.word))
  }

  /// Returns an error about a value that is none of these names.
  package func unknown(_ text: String, at name: String, among all: [String]) -> FormatError {
    error(
      name,
      // A longer list would not fit into a sentence.
      all.count > 30
        ? "\"\(text)\" is none of the \(all.count) names, such as \(all[0]), that the schema lists"
        : "\"\(text)\" is none of \(all.joined(separator: ", "))",
      fix: nearest(to: text, in: all).map { "Did you mean \"\($0)\"?" }
    )
  }
}
