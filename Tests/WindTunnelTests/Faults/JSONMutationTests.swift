import Mutations
import TestSupport

@testable import WindTunnel

/// What becomes of a JSON text, to the byte.
@Suite struct JSONMutationTests {
  private func mutated(
    _ text: String,
    _ change: String,
    _ place: String
  ) throws -> String {
    let change = try #require(Mutation.Change(rawValue: change))
    let mutation = try JSONMutation(change, self.place(place), of: Array(text.utf8))
    return String(decoding: mutation.bytes, as: UTF8.self)
  }

  /// Awkward on purpose: spacing, escapes, number forms and a doubled name.
  static let text = """
    {  "id" : 1.50e0, "na\\u006De":"Ad\\u0061" ,
    \t"tags":[ "a",null , 2 ],"user":{ "id": "7", "on":true }, "id":-0 }
    """

  /// Returns a place from a path, from a draw, or from nothing, which is anywhere.
  private func place(_ text: String) -> Mutation.Target {
    if text.isEmpty { return .anywhere }
    return Double(text).map { .drawn($0) } ?? .at(JSONPath(stringLiteral: text))
  }

  @Test(
    arguments: try TestData.rows("mutated-places.json", count: 21)
      as [(String, String, String, String)]
  )
  func `one place is changed and every other byte stays`(
    change: String,
    place: String,
    old: String,
    new: String
  ) throws {
    try #require(Self.text.components(separatedBy: old).count == 2, "\(old) stands there once")
    try expectEqual(
      mutated(Self.text, change, place),
      Self.text.replacingOccurrences(of: old, with: new)
    )
  }

  @Test(
    arguments: try TestData.rows("mutated-paths.json", count: 8) as [(String, String, String)]
  )
  func `a path means every value that it names`(
    change: String,
    path: String,
    expected: String
  ) throws {
    let text = #"{"id":1,"a":[{"id":3,"b":1},{"id":4}],"id":{"id":5},"c":2}"#
    try expectEqual(mutated(text, change, path), expected)
  }

  @Test(
    arguments: try TestData.rows("impossible-mutations.json", count: 8)
      as [(String, String, String, String)]
  )
  func `what cannot be changed is told`(
    text: String,
    change: String,
    place: String,
    reason: String
  ) {
    #expect(throws: Mutation.Misfit(reason)) { try mutated(text, change, place) }
  }

  @Test(arguments: try DataFiles.rows("emptied.json", count: 24))
  func `lists, the whole or all values change, and every other byte stays`(row: [JSON]) throws {
    let text = try #require(row[0].stringValue)
    let result = Result { () throws(Mutation.Misfit) in
      let bytes = Array(text.utf8)
      return row[1] == "values"
        ? try ChangedJSON(bytes).bytes : try EmptiedJSON(bytes, listsOnly: row[1] == true).bytes
    }
    switch result {
    case .success(let bytes): expectEqual(.text(String(decoding: bytes, as: UTF8.self)), row[2])
    case .failure(let misfit): expectEqual(.text(misfit.reason), row[2])
    }
  }

  @Test func `an empty object gets a member and a taken name is not doubled`() throws {
    try expectEqual(mutated("{ }", "extra", "0"), #"{"unexpectedField":"unexpected" }"#)
    let twice = try mutated(try mutated("[{\"a\":1}]", "extra", "0"), "extra", "0")
    expectEqual(twice, #"[{"a":1,"unexpectedField":"unexpected","unexpectedField_":"unexpected"}]"#)
  }

  @Test(arguments: 0..<40)
  func `a mutated JSON text is valid JSON and differs from the original`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    for _ in 0..<20 {
      let text = generator.json(depth: 4)
      let change = generator.pick(Mutation.Change.allCases)
      let place = generator.pick(
        [
          .drawn(Double.random(in: 0...1, using: &generator)), .at("$..a"), .at("$.*"), .at("$..*"),
          .at("$[0]"), .at("$..b[*]"),
        ] as [Mutation.Target]
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
