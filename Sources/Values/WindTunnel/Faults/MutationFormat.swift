// { "mutate": NAME }, with "at", "draw", "afterBodyBytes" or "to" as a further key.

extension Mutation {
  /// The words, and the keys that each one allows.
  private static let words: [(word: String, value: [String])] =
    Change.allCases.map { ($0.rawValue, ["at", "draw"]) } + [
      ("truncate", ["afterBodyBytes", "draw"]), ("status", ["to"]), ("emptyLists", []),
      ("hollow", []), ("values", []),
    ]

  /// Reads the keys of a mutation; `nil` if there are none.
  init?(reading object: inout ObjectReader) throws(FormatError) {
    let row = try object.row("mutate", of: Self.words)
    let path = try object.string("at")
    let offset = try object.int("afterBodyBytes", in: Fault.bytes)
    let status = try object.int("to", in: Fault.statusRange)
    let draw = try object.double("draw", in: 0...1)
    let given = [
      ("at", path != nil), ("afterBodyBytes", offset != nil), ("to", status != nil),
      ("draw", draw != nil),
    ].filter(\.1).map(\.0)
    guard let (word, keys) = row else {
      if let key = given.first { throw object.error(key, "this requires a \"mutate\"") }
      return nil
    }
    for key in given where !keys.contains(key) {
      throw object.error(
        key,
        "this cannot be combined with \"\(word)\"",
        fix: keys.isEmpty ? "Remove it." : "Allowed keys: \(keys.joined(separator: ", "))."
      )
    }
    guard given.count <= 1 else {
      throw object.error("draw", "a place is either named or drawn")
    }
    switch word {
    case "truncate": self = .cut(offset.map { .after($0) } ?? draw.map { .drawn($0) } ?? .anywhere)
    case "status": self = .status(status)
    case "emptyLists": self = .emptyLists
    case "hollow": self = .hollow
    case "values": self = .values
    default:
      guard let change = Change(rawValue: word) else { return nil }
      self = .field(change, try Self.place(path, draw, object))
    }
  }

  private static func place(
    _ path: String?,
    _ draw: Double?,
    _ object: ObjectReader
  ) throws(FormatError) -> Target {
    guard let path else { return draw.map { .drawn($0) } ?? .anywhere }
    guard let read = JSONPath(path) else {
      throw object.error("at", "\"\(path)\" is not a JSON path such as $.user.name or $..id")
    }
    return .at(read)
  }

  var json: JSON {
    let word =
      switch self {
      case .field(let change, _): change.rawValue
      case .cut: "truncate"
      case .status: "status"
      case .emptyLists, .hollow, .values: "\(self)"
      }
    var members = [JSON.Member("mutate", .text(word))]
    switch self {
    case .field(_, .at(let path)): members.add("at", .text(path.description))
    case .field(_, .drawn(let draw)), .cut(.drawn(let draw)): members.add("draw", .exactly(draw))
    case .cut(.after(let count)): members.add("afterBodyBytes", .number(count))
    case .status(let status?): members.add("to", .number(status))
    case .field(_, .anywhere), .cut(.anywhere), .status(nil), .emptyLists, .hollow, .values: break
    }
    return .object(members)
  }
}
