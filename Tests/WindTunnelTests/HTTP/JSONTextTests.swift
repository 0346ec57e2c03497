import Mutations
import TestSupport

@testable import WindTunnelHTTP

/// A JSON text that is walked where it stands: the same values as a parser builds, at their places.
@Suite struct JSONTextTests {
  private struct NoName: Error {}

  /// A value as it stands, with what it holds.
  private static func read(_ span: JSONSpan, _ walked: JSONText) throws -> JSON {
    switch span {
    case .array: .array(try walked.elements(of: span).map { try read($0, walked) })
    case .object:
      .object(
        try walked.members(of: span).map { name, value in
          guard case .string(let text) = try JSONParser.parse(walked.bytes[name]) else {
            throw NoName()
          }
          return JSON.Member(text, try read(value, walked))
        }
      )
    case .string(let range), .number(let range), .word(let range):
      try JSONParser.parse(walked.bytes[range])
    }
  }

  static let texts = [
    "[]", "{}", "[[],{}]", " [ 1 , -2.5e3 ,true,null, false ] ", "\u{FEFF}[1]",
    #"{"a":{"b":[{"c":"]}\\"},"\"{["]},"":0}"#, #"{"ä\u00e4":"\ud83d\ude00","a":1,"a":2}"#,
    "[\(String(repeating: "[1,2,3],", count: 40))[]]",
    "{\"a\":\(String(repeating: "[", count: 90))\(String(repeating: "]", count: 90)),\"b\":[{}]}",
    "[\(String(repeating: "{\"k\":\"} ]\\\"\"},", count: 30))0]",
  ]

  @Test(arguments: texts) func `the walk meets what the parser reads`(text: String) throws {
    let bytes = Array(text.utf8)
    let walked = try #require(JSONText(Bytes(bytes)))
    try expectEqual(Self.read(walked.whole, walked), JSONParser.parse(bytes))
  }

  @Test(arguments: ["", "1", "\"a\"", "null", "{", "[1", "[1,]", "{\"a\"}", "[1] x", "x[1]"])
  func `what is no object and no list is none`(text: String) {
    expectNil(JSONText(Bytes(text.utf8)))
  }

  @Test func `JSONText reads the same values as the parser, from damaged texts as well`() throws {
    var draw = Generator(seed: 20)
    for text in Self.texts {
      for _ in 0..<300 {
        var bytes = Array(text.utf8)
        let place = Int.random(in: bytes.indices, using: &draw)
        let letters = Array("[]{}\",:\\ 0ae-".utf8)
        bytes[place] = letters[Int.random(in: letters.indices, using: &draw)]
        guard let walked = JSONText(Bytes(bytes)) else {
          let parsed = try? JSONParser.parse(bytes)
          #expect(parsed?.isScalar ?? true, "\(String(decoding: bytes, as: UTF8.self))")
          continue
        }
        try expectEqual(Self.read(walked.whole, walked), JSONParser.parse(bytes))
      }
    }
  }
}

extension JSON {
  fileprivate var isScalar: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }
}
