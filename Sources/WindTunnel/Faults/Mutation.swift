/// A way for a server to answer wrongly and yet in good form: the message is whole, its length is
/// the body's, and what it says is not what was recorded.
///
/// A JSON body stays to the byte what it was but for the place that is changed. A body in gzip or
/// deflate is opened first and goes out without its coding, since nobody is there to compress it
/// again. An answer that gives no room for a mutation goes out unchanged, and the journal says why
/// (``Journal/Entry/misfits``).
public enum Mutation: Sendable, Hashable {
  /// A JSON body with one of its values changed, or each that a path names.
  case field(Change, Place)
  /// A body that ends early, at a place within it.
  case cut(Cut)
  /// Another status over the recorded fields and body; `nil`: 500 in place of a success (200 to
  /// 299), and 200 in place of anything else.
  case status(Int?)

  /// A change to a JSON value.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// It is `null`.
    case null
    /// It is gone, and in an object its name with it.
    case missing
    /// It is of another type: a number, `true`, `false` or `null` in quotes, a string as the number
    /// that it spells or else 0, an object as the only element of a list, and a list as an object
    /// with the names `"0"`, `"1"` and so on.
    case wrongType
    /// It is an object with one more member at its end, `"unexpectedField": "unexpected"`.
    case extra
  }

  /// The values of a JSON body that are meant.
  public enum Place: Sendable, Hashable {
    /// Each that a path names.
    case at(JSONPath)
    /// One, drawn from the seed: of the members of all objects, of whatever depth; for
    /// ``Change/extra`` of the objects.
    case anywhere
    /// One by a draw from 0 to 1: 0 is the first in the text, 1 the last.
    case drawn(Double)
  }

  /// The place where a body ends early.
  public enum Cut: Sendable, Hashable {
    /// After this many bytes.
    case after(Int)
    /// At a place drawn from the seed.
    case anywhere
    /// At a place by a draw from 0 to 1.
    case drawn(Double)
  }
}

extension Mutation {
  /// A value becomes `null`: each at a path, else one drawn from the seed.
  public static func null(at path: JSONPath? = nil) -> Mutation { change(.null, path) }
  /// A value is missing: each at a path, else one drawn from the seed.
  public static func missing(at path: JSONPath? = nil) -> Mutation { change(.missing, path) }
  /// A value is of another type: each at a path, else one drawn from the seed.
  public static func wrongType(at path: JSONPath? = nil) -> Mutation { change(.wrongType, path) }
  /// An object has a member that nobody expects: each at a path, else one drawn from the seed.
  public static func extra(at path: JSONPath? = nil) -> Mutation { change(.extra, path) }
  /// The body ends after so many bytes, else at a place drawn from the seed.
  public static func truncate(afterBodyBytes count: Int? = nil) -> Mutation {
    .cut(count.map { .after($0) } ?? .anywhere)
  }

  private static func change(_ change: Change, _ path: JSONPath?) -> Mutation {
    .field(change, path.map { .at($0) } ?? .anywhere)
  }

  /// With everything random in it drawn. The draw is kept in millionths, as it is written.
  func resolved(_ draw: () -> Double) -> Mutation {
    func drawn() -> Double { (draw() * 1e6).rounded(.down) / 1e6 }
    return switch self {
    case .field(let change, .anywhere): .field(change, .drawn(drawn()))
    case .cut(.anywhere): .cut(.drawn(drawn()))
    case .field, .cut, .status: self
    }
  }

  /// Returns which of so many things a draw means.
  static func index(of draw: Double, among count: Int) -> Int {
    min(Int(draw * Double(count)), count - 1)
  }
}

// MARK: In the catalogue

extension Mutation {
  /// The catalogue's entries, one for each case.
  static let kinds: [FaultKind] = [
    FaultKind("mutate-null", .http, .mutate(.null())),
    FaultKind("mutate-missing", .http, .mutate(.missing())),
    FaultKind("mutate-wrong-type", .http, .mutate(.wrongType())),
    FaultKind("mutate-extra", .http, .mutate(.extra())),
    FaultKind("mutate-truncate", .http, .mutate(.truncate())),
    FaultKind("mutate-status", .http, .mutate(.status(nil))),
  ]
}

// MARK: In a scenario's file

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
    let status = try object.int("to", in: Fault.statusRange)
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
