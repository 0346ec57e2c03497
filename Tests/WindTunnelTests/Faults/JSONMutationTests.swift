import Foundation
import Mutations
import TestSupport
import Testing

@testable import WindTunnel

/// What becomes of a JSON text, to the byte.
@Suite struct JSONMutationTests {
  private func mutated(
    _ text: String,
    _ change: Mutation.Change,
    _ place: Mutation.Place
  ) throws(Mutation.Misfit) -> String {
    String(decoding: try JSONMutation(change, place, of: Array(text.utf8)).bytes, as: UTF8.self)
  }

  /// Awkward on purpose: spacing, escapes, number forms and a doubled name.
  static let text = """
    {  "id" : 1.50e0, "na\\u006De":"Ad\\u0061" ,
    \t"tags":[ "a",null , 2 ],"user":{ "id": "7", "on":true }, "id":-0 }
    """

  static let rows: [(Mutation.Change, Mutation.Place, String)] = [
    (.null, .at("$.user"), #"{ "id": "7", "on":true } → null"#),
    (.null, .at("$.name"), #""Ad\u0061" → null"#),
    (.null, .at("$.tags[0]"), #""a" → null"#),
    (.wrongType, .at("$.name"), #""Ad\u0061" → 0"#),
    (.wrongType, .at("$.user.id"), #""7" → 7"#),
    (.wrongType, .at("$.user.on"), #"true → "true""#),
    (.wrongType, .at("$.tags[1]"), #"null → "null""#),
    (.wrongType, .at("$.user"), #"{ "id": "7", "on":true } → [{ "id": "7", "on":true }]"#),
    (.wrongType, .at("$.tags"), #"[ "a",null , 2 ] → { "0":"a","1":null , "2":2 }"#),
    (.missing, .at("$.name"), "\"na\\u006De\":\"Ad\\u0061\" ,\n\t → "),
    (.missing, .at("$.tags[0]"), #""a", → "#),
    (.missing, .at("$.tags[2]"), #" , 2 → "#),
    (.missing, .at("$.tags[*]"), #""a",null , 2 → "#),
    (.missing, .at("$.user.on"), #", "on":true → "#),
    (.extra, .at("$.user"), #""on":true → "on":true, "unexpectedField": "unexpected""#),
    (.extra, .at("$"), #""id":-0 → "id":-0,  "unexpectedField" : "unexpected""#),
    (.null, .drawn(0), "1.50e0 → null"),
    (.null, .drawn(0.5), #"{ "id": "7", "on":true } → null"#),
    (.null, .drawn(1), "-0 → null"),
    (.missing, .drawn(1), #", "id":-0 → "#),
    (.extra, .drawn(0.99), #""on":true → "on":true, "unexpectedField": "unexpected""#),
  ]

  @Test(arguments: rows)
  func `one place is changed and every other byte stays`(
    change: Mutation.Change,
    place: Mutation.Place,
    edit: String
  ) throws {
    let sides = edit.components(separatedBy: " → ")
    let (old, new) = (sides[0], sides[1])
    try #require(Self.text.components(separatedBy: old).count == 2, "\(old) stands there once")
    try expectEqual(
      mutated(Self.text, change, place),
      Self.text.replacingOccurrences(of: old, with: new)
    )
  }

  @Test(arguments: [
    (Mutation.Change.missing, "$..id", #"{"a":[{"b":1},{}],"c":2}"#),
    (.missing, "$.id", #"{"a":[{"id":3,"b":1},{"id":4}],"c":2}"#),
    (.missing, "$.*", "{}"),
    (.missing, "$.a[*]", #"{"id":1,"a":[],"id":{"id":5},"c":2}"#),
    (.null, "$..id", #"{"id":null,"a":[{"id":null,"b":1},{"id":null}],"id":null,"c":2}"#),
    (.wrongType, "$..id", #"{"id":"1","a":[{"id":"3","b":1},{"id":"4"}],"id":[{"id":5}],"c":2}"#),
    (.null, "$", "null"),
    (
      .extra, "$.a[*]",
      #"{"id":1,"a":[{"id":3,"b":1,"unexpectedField":"unexpected"},{"id":4,"unexpectedField":"unexpected"}],"id":{"id":5},"c":2}"#
    ),
  ])
  func `a path means every value that it names`(
    change: Mutation.Change,
    path: JSONPath,
    expected: String
  ) throws {
    let text = #"{"id":1,"a":[{"id":3,"b":1},{"id":4}],"id":{"id":5},"c":2}"#
    try expectEqual(mutated(text, change, .at(path)), expected)
  }

  @Test(arguments: [
    ("7", Mutation.Change.null, Mutation.Place.at("$"), "the body is no JSON object or list"),
    ("{]", .null, .at("$"), "the body is no JSON object or list"),
    ("", .null, .anywhere, "the body is no JSON object or list"),
    (#"{"a":1}"#, .null, .at("$.b"), "the body has nothing at $.b that could be changed so"),
    (#"{"a":null}"#, .null, .drawn(0.5), "the body has nothing in it that could be changed so"),
    (#"{"a":1}"#, .missing, .at("$"), "the body has nothing at $ that could be changed so"),
    (#"{"a":1}"#, .extra, .at("$.a"), "the body has nothing at $.a that could be changed so"),
    ("[1,[2]]", .missing, .drawn(0), "the body has nothing in it that could be changed so"),
  ])
  func `what cannot be changed is told`(
    text: String,
    change: Mutation.Change,
    place: Mutation.Place,
    reason: String
  ) {
    #expect(throws: Mutation.Misfit(reason)) { try mutated(text, change, place) }
  }

  @Test(arguments: try DataFiles.rows("emptied.json", count: 10))
  func `lists or the whole become empty, and every other byte stays`(row: [JSON]) throws {
    let text = try #require(row[0].stringValue)
    let result = Result { () throws(Mutation.Misfit) in
      try EmptiedJSON(Array(text.utf8), listsOnly: row[1] == true).bytes
    }
    switch result {
    case .success(let bytes): expectEqual(.text(String(decoding: bytes, as: UTF8.self)), row[2])
    case .failure(let misfit): expectEqual(.text(misfit.reason), row[2])
    }
  }

  @Test func `an empty object gets a member and a taken name is not doubled`() throws {
    try expectEqual(mutated("{ }", .extra, .drawn(0)), #"{"unexpectedField":"unexpected" }"#)
    let twice = try mutated(try mutated("[{\"a\":1}]", .extra, .drawn(0)), .extra, .drawn(0))
    expectEqual(twice, #"[{"a":1,"unexpectedField":"unexpected","unexpectedField_":"unexpected"}]"#)
  }

  @Test(arguments: 0..<40)
  func `whatever is changed in whatever text, JSON comes out`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    for _ in 0..<20 {
      let text = generator.json(depth: 4)
      let change = generator.pick(Mutation.Change.allCases)
      let place = generator.pick(
        [
          .drawn(Double.random(in: 0...1, using: &generator)), .at("$..a"), .at("$.*"), .at("$..*"),
          .at("$[0]"), .at("$..b[*]"),
        ] as [Mutation.Place]
      )
      // A misfit is what another test is about.
      guard let new = try? JSONMutation(change, place, of: text).bytes else { continue }
      _ = try JSONParser.parse(new)
      #expect(new != text, "seed \(seed)")
    }
  }
}

extension Generator {
  /// A JSON text with spaces wherever they may stand.
  fileprivate mutating func json(depth: Int) -> [UInt8] {
    func space(_ generator: inout Generator) -> String { generator.pick(["", "", " ", "\n\t"]) }
    func value(_ depth: Int, _ generator: inout Generator) -> String {
      let kinds = depth == 0 ? 3 : 5
      let count = Int.random(in: 0...3, using: &generator)
      switch Int.random(in: 0..<kinds, using: &generator) {
      case 0: return generator.pick(["1", "-0.5e3", "0"])
      case 1: return generator.pick(["\"\"", #""a\"]}""#, "\"12\"", #""\u0041""#])
      case 2: return generator.pick(["true", "false", "null"])
      case 3:
        let elements = (0..<count).map { _ in
          space(&generator) + value(depth - 1, &generator) + space(&generator)
        }
        return "[\(elements.isEmpty ? space(&generator) : elements.joined(separator: ","))]"
      default:
        let members = (0..<count).map { _ in
          let name = generator.pick(["\"a\"", "\"b\"", #""\u0061""#, "\"}\""])
          return space(&generator) + name + space(&generator) + ":" + space(&generator)
            + value(depth - 1, &generator) + space(&generator)
        }
        return "{\(members.isEmpty ? space(&generator) : members.joined(separator: ","))}"
      }
    }
    return Array("[\(value(depth, &self))]".utf8)
  }
}
