extension Mutation {
  private enum Word: String, CaseIterable {
    case null, missing, wrongType, extra, truncate, status

    /// The keys that may stand beside it.
    var keys: [String] {
      switch self {
      case .null, .missing, .wrongType, .extra: ["at", "draw"]
      case .truncate: ["afterBodyBytes", "draw"]
      case .status: ["to"]
      }
    }
  }

  /// Reads the keys of a mutation; `nil` where there are none.
  init?(reading object: inout ObjectReader) throws(FormatError) {
    let word = try object.choice("mutate", Word.self)
    let path = try object.string("at")
    let offset = try object.int("afterBodyBytes", in: Fault.bytes)
    let status = try object.int("to", in: Fault.statuses)
    let draw = try object.double("draw", in: 0...1)
    let given = [
      ("at", path != nil), ("afterBodyBytes", offset != nil), ("to", status != nil),
      ("draw", draw != nil),
    ].filter(\.1).map(\.0)
    guard let word else {
      if let key = given.first { throw object.error(key, "this belongs to a \"mutate\"") }
      return nil
    }
    for key in given where !word.keys.contains(key) {
      throw object.error(
        key,
        "this does not go with \"\(word.rawValue)\"",
        remedy: "What does: \(word.keys.joined(separator: ", "))."
      )
    }
    guard given.count <= 1 else {
      throw object.error("draw", "a place is named or drawn, not both")
    }
    switch word {
    case .truncate:
      self = .cut(offset.map { .after($0) } ?? draw.map { .drawn($0) } ?? .anywhere)
    case .status: self = .status(status)
    case .null, .missing, .wrongType, .extra:
      guard let change = Change(rawValue: word.rawValue) else { return nil }
      self = .field(change, try Self.place(path, draw, object))
    }
  }

  private static func place(
    _ path: String?,
    _ draw: Double?,
    _ object: ObjectReader
  ) throws(FormatError) -> Place {
    guard let path else { return draw.map { .drawn($0) } ?? .anywhere }
    guard let read = JSONPath(path) else {
      throw object.error("at", "\"\(path)\" is no JSON path such as $.user.name or $..id")
    }
    return .at(read)
  }

  var json: JSON {
    var members: [JSON.Member]
    switch self {
    case .field(let change, let place):
      members = [JSON.Member("mutate", .text(change.rawValue))]
      switch place {
      case .at(let path): members.append(JSON.Member("at", .text(path.description)))
      case .anywhere: break
      case .drawn(let draw): members.append(JSON.Member("draw", .exactly(draw)))
      }
    case .cut(let cut):
      members = [JSON.Member("mutate", .text(Word.truncate.rawValue))]
      switch cut {
      case .after(let count): members.append(JSON.Member("afterBodyBytes", .number(count)))
      case .anywhere: break
      case .drawn(let draw): members.append(JSON.Member("draw", .exactly(draw)))
      }
    case .status(let status):
      members = [JSON.Member("mutate", .text(Word.status.rawValue))]
      if let status { members.append(JSON.Member("to", .number(status))) }
    }
    return .object(members)
  }
}
