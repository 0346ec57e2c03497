import Mutations
import TestSupport

@testable import WindTunnelCassettes

@Suite struct JSONTests {
  private func parsed(_ text: String) throws -> JSON { try JSON(parsing: text.utf8, source: "a") }

  @Test(arguments: try TestData.rows("awkward-json.json", count: 29) as [String])
  func `an awkward spelling comes back byte for byte`(text: String) throws {
    try expectEqual(parsed(text).bytes(), Array(text.utf8))
  }

  @Test func `a value is what the escapes mean`() throws {
    try expectEqual(parsed(#""\u00e9\/\ud83d\ude00\n""#).stringValue, "é/😀\n")
    try expectEqual(parsed(#""\ud800""#).stringValue, "\u{FFFD}")
    try expectEqual(parsed(#"{"\u0061":1,"a":2}"#)["a"], 1)
  }

  @Test func `numbers are read as what holds them`() throws {
    try expectEqual(parsed("7").intValue, 7)
    try expectNil(parsed("7.0").intValue)
    try expectEqual(parsed("1e3").doubleValue, 1000)
    try expectNil(parsed("99999999999999999999").intValue)
    try expectNil(parsed("\"7\"").intValue)
  }

  @Test(arguments: JSON.Layout.all)
  func `every layout gives its bytes back`(layout: JSON.Layout) throws {
    let json: JSON = ["a": [1, [], [:], ["b": nil]], "c": "d,e: f", "g": ["h": [true, 1.5]]]
    let bytes = json.bytes(layout)
    try expectEqual(JSON(parsing: bytes, source: "a"), json)
    expectEqual(InteractionWriter.structure(.init(bytes))?.1, layout)
    expectEqual(JSON.Layout(name: layout.name), layout)
  }

  @Test func `the layouts look as they are called`() {
    let json: JSON = ["a": [1, 2], "b": [:]]
    let texts = JSON.Layout.Spacing.allCases.map {
      String(decoding: json.bytes(JSON.Layout($0)), as: UTF8.self)
    }
    expectEqual(
      texts,
      [
        #"{"a":[1,2],"b":{}}"#,
        #"{"a": [1, 2], "b": {}}"#,
        "{\n \"a\": [\n  1,\n  2\n ],\n \"b\": {}\n}",
        "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}",
        "{\n    \"a\": [\n        1,\n        2\n    ],\n    \"b\": {}\n}",
        "{\n\t\"a\": [\n\t\t1,\n\t\t2\n\t],\n\t\"b\": {}\n}",
      ]
    )
  }

  @Test func `nesting is bounded and the bound is allowed`() throws {
    let nested = { (count: Int) in
      String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    try expectEqual(parsed(nested(256)).bytes().count, 512)
    expectEqual(
      refusal { try parsed(nested(257)) },
      "a, line 1, column 258: not JSON: nested deeper than 256 levels."
    )
    #expect(refusal { try parsed(String(repeating: "[{\"a\":", count: 100_000)) } != "")
  }

  @Test(arguments: try TestData.rows("not-json.json", count: 16) as [(String, String)])
  func `what is wrong is told by line and column`(text: String, sentence: String) {
    expectEqual(refusal { try parsed(text) }, "a, \(sentence)")
  }

  @Test(arguments: [
    [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0x5C, 0x6E, 0xED, 0xA0, 0x80, 0x22],
  ])
  func `what is not UTF-8 is refused`(bytes: [UInt8]) {
    #expect(
      refusal { try JSON(parsing: bytes, source: "a") }.hasSuffix("the string is not valid UTF-8.")
    )
  }

  @Test func `a byte order mark in front is passed over`() throws {
    try expectEqual(JSON(parsing: [0xEF, 0xBB, 0xBF, 0x31], source: "a"), 1)
  }

  @Test(arguments: [
    (41.2, 3, "41.2"), (43, 3, "43"), (0.0005, 3, "0.001"), (-0.0004, 3, "0"), (-1.25, 2, "-1.25"),
    (1e15, 3, "1000000000000000.0"), (1e16, 3, "1e+16"), (1.0 / 0, 3, "null"), (2.5, 0, "3"),
  ])
  func `a number is written with no more decimals than asked`(
    value: Double,
    places: Int,
    text: String
  ) {
    expectEqual(JSON.number(value, places: places).description, text)
  }

  @Test func `a member is set, added and removed, and a value that is no object stays`() {
    var json: JSON = ["a": 1, "b": [true]]
    json["a"] = "x\(2)"
    json["c"] = 3
    json["b"] = nil
    json["d"] = nil
    expectEqual(json, ["a": "x2", "c": 3])
    json["e"] = ["f": nil]
    json["e"]?["f"] = 1.5
    expectEqual(json["e"], ["f": 1.5])
    var list: JSON = [1]
    list["a"] = 2
    expectEqual(list, [1])
  }

  @Test(arguments: 0..<40)
  func `no mutation of a valid text crashes, and what is accepted stays itself`(seed: Int) throws {
    let valid = Array(
      #"{"a":[1.50,-0,1e3,"\u00e9\ud83d\ude00\/\n"],"b":{"c":null,"d":[true,false,{}]},"é":""}"#
        .utf8
    )
    var generator = Generator(seed: UInt64(seed))
    for _ in 0..<250 {
      let text = generator.mutated(valid)
      // A refused text is what the other half of this test is about.
      guard let json = try? JSON(parsing: text, source: "a") else { continue }
      let layout = generator.pick(JSON.Layout.all)
      try expectEqual(JSON(parsing: json.bytes(layout), source: "a"), json, "seed \(seed)")
      try expectEqual(JSON(parsing: json.fileBytes(), source: "a"), json, "seed \(seed)")
    }
  }
}
