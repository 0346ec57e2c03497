internal import Foundation

// The objects of a cassette, whose keys are found without creating strings.

extension CassetteScanner {
  /// The keys of an object, in the order of error messages, with functions that read their values
  /// into a draft.
  struct Keys<Draft>: Sendable {
    typealias Read = @Sendable (inout CassetteScanner, inout Draft) throws -> Void

    typealias Row = (name: String, read: Read)

    fileprivate let rows: [Row]
    /// The spellings of the keys and their numbers, by their lengths in bytes.
    private let spellings: [[(bytes: [UInt8], number: Int)]]

    /// Creates a table with the keys of a body between the others.
    init(_ first: [Row], body names: [String] = [], _ last: [Row] = []) {
      let body = names.map { name -> Row in (name, { scanner, _ in try scanner.bodyKey(name) }) }
      rows = first + body + last
      let spellings = rows.enumerated().map { (bytes: Array($1.name.utf8), number: $0) }
      self.spellings = (0...32).map { length in spellings.filter { $0.bytes.count == length } }
    }

    fileprivate func number(of name: UnsafeBufferPointer<UInt8>) -> Int? {
      guard name.count < spellings.count else { return nil }
      return spellings[name.count].first { $0.bytes.elementsEqual(name) }?.number
    }
  }

  /// Reads the object at the current position, which is a part of the interaction, and creates its
  /// value from its draft.
  mutating func object<Draft, Value>(
    _ part: String,
    at index: Int? = nil,
    _ keys: Keys<Draft>,
    _ draft: Draft,
    _ finish: (inout Self, inout Draft) throws -> Value
  ) throws -> Value {
    let outer = (self.part, self.index, notes)
    (self.part, self.index, notes) = (part, index, [])
    guard try parser.kind() == .object else { throw here.error(ofAll: "expected an object") }
    let start = parser.position
    var (draft, read, hasWrongKey) = (draft, UInt64(0), false)
    var hasMore = try parser.enterObject()
    while hasMore {
      try parser.beginKey()
      keyPlace = parser.position
      let (number, isNote) = try key(of: keys)
      try parser.endKey()
      if let number, read & 1 << UInt64(number) == 0 {
        read |= 1 << UInt64(number)
        key = keys.rows[number].name
        try keys.rows[number].read(&self, &draft)
      } else if isNote {
        try keep()
      } else {
        hasWrongKey = true
        try parser.skipValue()
      }
      hasMore = try parser.goesOnInObject()
    }
    // A wrong key is reported first, because it may be the misspelling of a missing key.
    if hasWrongKey || notes.count > 1 && Set(notes.map(\.name.value)).count < notes.count {
      var tree = try ObjectReader(parser.value(at: start), source: source, path: here.path)
      for row in keys.rows { _ = tree.take(row.name) }
      try tree.refuseUnknownKeys()
    }
    if !notes.isEmpty, !part.isEmpty { innerNotes[partName] = notes }
    let value = try finish(&self, &draft)
    (self.part, self.index, notes) = outer
    return value
  }

  /// Reads a key, and returns its number or whether it is the name of a note.
  private mutating func key<Draft>(of keys: Keys<Draft>) throws -> (number: Int?, isNote: Bool) {
    let span = try parser.skipString()
    let bytes = UnsafeBufferPointer(rebasing: parser.bytes[span.range])
    if let number = keys.number(of: bytes) { return (number, false) }
    let name = try parser.value(at: keyPlace).stringValue ?? ""
    // A combining accent after the underscore makes it a different character.
    return (keys.rows.firstIndex { $0.name == name }, name.hasPrefix("_"))
  }

  /// Keeps the current member unchanged, and returns its value.
  @discardableResult
  mutating func keep() throws -> JSON {
    parser.position = keyPlace
    let name = try parser.string()
    try parser.endKey()
    let value = try parser.value()
    notes.append(JSON.Member(name, value))
    return value
  }

  /// Keeps the current member, which must be Boolean.
  mutating func keepFlag() throws {
    guard case .bool = try keep() else { throw error("expected true or false") }
  }

  // Errors.
  /// The name of the part of the interaction being read.
  private var partName: String { part + (index.map { "[\($0)]" } ?? "") }

  /// A reader of an empty object in place of the current one, which creates errors about it.
  var here: ObjectReader {
    let whole = path ?? "interactions[\(scan.interactions.count)]"
    let names = [whole, part == "informational" ? "response" : "", partName]
    let place = names.filter { !$0.isEmpty }.joined(separator: ".")
    return ObjectReader(source: source, path: place)
  }

  /// Returns a value; throws if it is missing.
  func required<Value>(_ value: Value?, _ key: String, _ problem: String) throws -> Value {
    guard let value else { throw error(problem, at: key) }
    return value
  }

  /// Returns an error about the current key, or about another one.
  func error(_ problem: String, at other: String? = nil, fix: String? = nil) -> FormatError {
    here.error(other ?? key, problem, fix: fix)
  }
}
