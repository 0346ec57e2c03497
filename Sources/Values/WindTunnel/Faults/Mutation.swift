internal import Foundation

/// A wrong but well-formed response: the message is complete and its length is correct, but its
/// content is not the recorded one.
///
/// A JSON body keeps every byte except the changed value. A body in gzip or deflate is decoded
/// first and sent without its coding. If a mutation is not possible with a response, the response
/// is sent unchanged, and the journal has the reason (``Journal/Record/misfits``).
public enum Mutation: Sendable, Hashable {
  /// A JSON body in which one value is changed, or each value at a path.
  case field(Change, Target)
  /// A body that ends early, at a point within it.
  case cut(Cut)
  /// Another status with the recorded fields and body.
  ///
  /// `nil` is 500 for a recorded success (200 to 299), and 200 for any other recorded status.
  case status(Int?)
  /// A JSON body in which every list is `[]`.
  case emptyLists
  /// The JSON body `{}` instead of an object, and `[]` instead of a list.
  case hollow
  /// A JSON body with the same names, in which every value except `null` is changed to another of
  /// its type.
  case values

  /// A change to a JSON value.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// The value becomes `null`.
    case null
    /// The value is removed, and in an object its name as well.
    case missing
    /// The value becomes a value of another type.
    ///
    /// - A number, `true`, `false` or `null` is put in quotes.
    /// - A string becomes the number that it contains, or otherwise 0.
    /// - An object becomes the only element of a list.
    /// - A list becomes an object with the names `"0"`, `"1"` and so on.
    case wrongType
    /// The value, an object, gets another member at its end, `"unexpectedField": "unexpected"`.
    case extra
  }

  /// The values of a JSON body that are changed.
  public enum Target: Sendable, Hashable {
    /// Each value at a path.
    case at(JSONPath)
    /// One value, drawn by the seed from the members of all objects at any depth; for
    /// ``Change/extra``, from the objects.
    case anywhere
    /// One value by a draw from 0 to 1: 0 is the first in the text, 1 the last.
    case drawn(Double)
  }

  /// The point at which a body ends early.
  public enum Cut: Sendable, Hashable {
    /// After a number of bytes.
    case after(Int)
    /// At a point drawn by the seed.
    case anywhere
    /// At a point by a draw from 0 to 1.
    case drawn(Double)
  }

  /// Replaces each value at a path with `null`; without a path, one value that the seed selects.
  public static func null(at path: JSONPath? = nil) -> Mutation { change(.null, path) }
  /// Removes each value at a path; without a path, one value that the seed selects.
  public static func missing(at path: JSONPath? = nil) -> Mutation { change(.missing, path) }
  /// Changes the type of each value at a path; without a path, of one value that the seed selects.
  public static func wrongType(at path: JSONPath? = nil) -> Mutation { change(.wrongType, path) }
  /// Adds an unexpected member to each object at a path; without a path, to one that the seed
  /// selects.
  public static func extra(at path: JSONPath? = nil) -> Mutation { change(.extra, path) }
  /// Ends the body after a number of bytes; without a number, at a point that the seed selects.
  public static func truncate(afterBodyBytes count: Int? = nil) -> Mutation {
    .cut(count.map { .after($0) } ?? .anywhere)
  }

  private static func change(_ change: Change, _ path: JSONPath?) -> Mutation {
    .field(change, path.map { .at($0) } ?? .anywhere)
  }

  /// Returns the mutation with all random values drawn. The draw is rounded to millionths, as in
  /// files.
  func resolved(_ draw: () -> Double) -> Mutation {
    func drawn() -> Double { (draw() * 1e6).rounded(.down) / 1e6 }
    return switch self {
    case .field(let change, .anywhere): .field(change, .drawn(drawn()))
    case .cut(.anywhere): .cut(.drawn(drawn()))
    case .field, .cut, .status, .emptyLists, .hollow, .values: self
    }
  }

  /// Returns the index that a draw selects among a number of elements.
  fileprivate static func index(of draw: Double, among count: Int) -> Int {
    min(Int(draw * Double(count)), count - 1)
  }

  // MARK: In the catalogue

  /// The catalogue's entries, one for each case except ``emptyingKinds`` and ``valuesKind``.
  static let kinds: [FaultKind] = [
    FaultKind("mutate-null", .http, .mutate(.null())),
    FaultKind("mutate-missing", .http, .mutate(.missing())),
    FaultKind("mutate-wrong-type", .http, .mutate(.wrongType())),
    FaultKind("mutate-extra", .http, .mutate(.extra())),
    FaultKind("mutate-truncate", .http, .mutate(.truncate())),
    FaultKind("mutate-status", .http, .mutate(.status(nil))),
  ]

  /// The entries of bodies without content, which follow all other mutations in a list.
  static let emptyingKinds: [FaultKind] = [
    FaultKind("mutate-empty-lists", .http, .mutate(.emptyLists)),
    FaultKind("mutate-hollow", .http, .mutate(.hollow)),
  ]

  /// The entry of ``values``, the last one of the catalogue.
  static let valuesKind = FaultKind("mutate-values", .http, .mutate(.values))

  // MARK: The effect on a response

  /// The reason why a mutation is not possible with a response.
  struct Misfit: Error, Hashable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// Returns a response with the mutation applied; throws if it is not possible.
  func applied(to response: Response, hasContent: Bool) throws(Misfit) -> Response {
    var response = response
    if case .status(let status) = self {
      let other = 200..<300 ~= response.status ? 500 : 200
      guard status != response.status else {
        throw Misfit("the status is \(response.status) already")
      }
      response.head.status = status ?? other
      return response
    }
    let changed = Data(try change(in: try Self.opened(response, hasContent)))
    response.body = Body(changed)
    response.head.headers.remove("Content-Encoding")
    if response.headers["Content-Length"] != nil {
      response.head.headers["Content-Length"] = String(changed.count)
    }
    return response
  }

  /// Returns a body with the mutation applied.
  private func change(in body: [UInt8]) throws(Misfit) -> [UInt8] {
    switch self {
    case .field(let change, let place): return try JSONMutation(change, place, of: body).bytes
    case .emptyLists, .hollow:
      return try EmptiedJSON(body, listsOnly: self == .emptyLists).bytes
    case .values: return try ChangedJSON(body).bytes
    case .status: return body
    case .cut(let cut):
      let offset =
        switch cut {
        case .after(let count): count
        case .anywhere: Self.index(of: 0.5, among: body.count)
        case .drawn(let draw): Self.index(of: draw, among: body.count)
        }
      guard offset < body.count else {
        throw Misfit("the body has no more than \(body.count) bytes")
      }
      return Array(body.prefix(offset))
    }
  }

  private static func opened(_ response: Response, _ hasContent: Bool) throws(Misfit) -> [UInt8] {
    guard hasContent, !response.body.data.isEmpty else { throw Misfit("the response has no body") }
    let coding = response.headers.values("Content-Encoding").joined(separator: ", ")
    guard let body = Inflate.open(response.body.data, coding: coding) else {
      throw Misfit("the body in \(coding) cannot be decoded")
    }
    return Array(body)
  }
}

/// A JSON text in which some values are changed and all others keep their spelling.
struct JSONMutation {
  /// The text after the change.
  private(set) var bytes: [UInt8]
  private let change: Mutation.Change
  private let path: JSONPath?
  private var way: [JSONPath.Step] = []
  private var spots: [Spot] = []

  /// A value that may be changed, and its position.
  private struct Spot {
    var value: JSONSpan
    /// The ranges of all elements or members of its list or object, and its index among them.
    var siblings: [Range<Int>] = []
    var number = 0
  }

  /// Changes a text. If a path matches a value and parts of it, only the whole value is changed.
  init(
    _ change: Mutation.Change,
    _ place: Mutation.Target,
    of text: [UInt8]
  ) throws(Mutation.Misfit) {
    (bytes, self.change) = (text, change)
    path = if case .at(let path) = place { path } else { nil }
    guard let whole = JSONText(Bytes(text)) else {
      throw Mutation.Misfit("the body is not a JSON object or list")
    }
    visit(Spot(value: whole.whole), isMember: false, in: whole)
    guard !spots.isEmpty else {
      let words = path.map { "at \($0)" } ?? "in it"
      throw Mutation.Misfit("the body has nothing \(words) that this can change")
    }
    switch place {
    case .at: break
    case .anywhere: spots = [spots[0]]
    case .drawn(let draw): spots = [spots[Mutation.index(of: draw, among: spots.count)]]
    }
    let edits =
      change == .missing ? removals : spots.flatMap { replacements(in: $0.value, of: whole) }
    bytes = Array(Edit.applied(edits, to: whole.bytes))
  }

  /// Collects the matching values, in the order of the text.
  private mutating func visit(_ spot: Spot, isMember: Bool, in text: JSONText) {
    if let path {
      if path.covers(way) {
        if canChange(spot) { spots.append(spot) }
        return
      }
    } else if isMember || change == .extra, canChange(spot) {
      spots.append(spot)
    }
    switch spot.value {
    case .string, .number, .word: break
    case .array:
      let elements = text.elements(of: spot.value)
      let stretches = change == .missing ? elements.map(\.range) : []
      for (number, element) in elements.enumerated() {
        way.append(.index(number))
        visit(Spot(value: element, siblings: stretches, number: number), isMember: false, in: text)
        way.removeLast()
      }
    case .object:
      let members = text.members(of: spot.value)
      let stretches =
        change == .missing ? members.map { $0.name.lowerBound..<$0.value.range.upperBound } : []
      for (number, member) in members.enumerated() {
        way.append(.name(path == nil ? "" : text.text(member.name)))
        let spot = Spot(value: member.value, siblings: stretches, number: number)
        visit(spot, isMember: true, in: text)
        way.removeLast()
      }
    }
  }

  private func canChange(_ spot: Spot) -> Bool {
    let isNull = bytes[spot.value.range.lowerBound] == UInt8(ascii: "n")
    return switch change {
    case .null: !isNull
    case .missing: !spot.siblings.isEmpty
    case .wrongType: path != nil || !isNull
    case .extra: if case .object = spot.value { true } else { false }
    }
  }

  private func replacements(in value: JSONSpan, of text: JSONText) -> [Edit] {
    let range = value.range
    let (first, last) = (
      range.lowerBound..<range.lowerBound + 1, range.upperBound - 1..<range.upperBound
    )
    switch (change, value) {
    case (.missing, _): return []
    case (.null, _): return [Edit(range, Array("null".utf8))]
    case (.extra, .object): return [addition(to: value, of: text)]
    case (.extra, _): return []
    case (.wrongType, .string): return [Edit(range, number(in: range))]
    case (.wrongType, .number), (.wrongType, .word):
      return [Edit(range, [UInt8(ascii: "\"")] + bytes[range] + [UInt8(ascii: "\"")])]
    case (.wrongType, .object):
      return [Edit(range, [UInt8(ascii: "[")] + bytes[range] + [UInt8(ascii: "]")])]
    case (.wrongType, .array):
      let names = text.elements(of: value).enumerated().map { number, element in
        Edit(element.range.lowerBound..<element.range.lowerBound, Array("\"\(number)\":".utf8))
      }
      return [Edit(first, [UInt8(ascii: "{")])] + names + [Edit(last, [UInt8(ascii: "}")])]
    }
  }

  /// Returns the number that a string contains, or 0.
  private func number(in range: Range<Int>) -> [UInt8] {
    let inner = Array(bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
    // A text that is not JSON is not a number, regardless of the error.
    guard case .number(let digits)? = try? JSONParser.parse(inner) else {
      return [UInt8(ascii: "0")]
    }
    return Array(digits.utf8)
  }

  /// Returns an edit that adds a member, with the spacing of the first one.
  private func addition(to object: JSONSpan, of text: JSONText) -> Edit {
    let members = Array(text.members(of: object))
    let range = object.range
    let names = members.map { text.text($0.name) }
    var name = "unexpectedField"
    while names.contains(name) { name += "_" }
    guard let first = members.first, let last = members.last else {
      let place = range.lowerBound + 1
      return Edit(place..<place, Array("\"\(name)\":\"unexpected\"".utf8))
    }
    let space = bytes[range.lowerBound + 1..<first.name.lowerBound]
    let colon = bytes[first.name.upperBound..<first.value.range.lowerBound]
    let place = last.value.range.upperBound
    return Edit(
      place..<place,
      [UInt8(ascii: ",")] + space + Array("\"\(name)\"".utf8) + colon + Array("\"unexpected\"".utf8)
    )
  }

  /// The edits that remove the values.
  ///
  /// A removed element before the last remaining one is removed up to the next element. An element
  /// after it is removed together with the comma before it.
  private var removals: [Edit] {
    Dictionary(grouping: spots, by: \.siblings.first).values.flatMap { spots -> [Edit] in
      guard let siblings = spots.first?.siblings else { return [] }
      let gone = Set(spots.map(\.number))
      let last = siblings.indices.last { !gone.contains($0) } ?? -1
      var edits = gone.filter { $0 < last }.map { number in
        Edit(siblings[number].lowerBound..<siblings[number + 1].lowerBound, [])
      }
      if last + 1 < siblings.count {
        let start = last < 0 ? siblings[0].lowerBound : siblings[last].upperBound
        edits.append(Edit(start..<siblings[siblings.count - 1].upperBound, []))
      }
      return edits
    }
  }
}
