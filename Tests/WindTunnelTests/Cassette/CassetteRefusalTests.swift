import TestSupport

@testable import WindTunnel

@Suite struct CassetteRefusalTests {
  private func sentence(_ text: String) -> String { refusal { try Cassette(text) } }

  private func interaction(_ text: String) -> String {
    sentence(#"{"windtunnel":1,"interactions":[\#(text)]}"#)
  }

  @Test(arguments: try DataFiles.refusals("cassette", count: 10))
  func `a cassette that is none is refused in a sentence`(text: String, expected: String) {
    expectEqual(sentence(text), expected)
  }

  @Test(arguments: try DataFiles.refusals("interaction", count: 43))
  func `an interaction that is none is refused with its place`(text: String, expected: String) {
    let place = expected.hasPrefix("a.json") ? "" : "a.json, interactions[0]"
    expectEqual(interaction(text), place + expected)
  }

  @Test func `an unknown failure is refused with the nearest that exists`() {
    let text = interaction(#"{"request":{"url":"/"},"failure":{"symptom":"timeOut"}}"#)
    #expect(
      text.hasPrefix("a.json, interactions[0].failure.symptom: \"timeOut\" is none of timedOut, ")
    )
    #expect(text.hasSuffix(". Did you mean \"timedOut\"?"))
  }

  @Test func `an unknown key that is near to nothing is told what exists`() {
    expectEqual(
      interaction(#"{"request":{"url":"/"},"failure":{"symptom":"timedOut","weather":1}}"#),
      "a.json, interactions[0].failure.weather: unknown key. Known here: symptom, text, stream."
    )
  }

  @Test
  func `a refusal tells the beginning and the end of what is long, and nothing to a terminal`() {
    let long = String(repeating: "x", count: 20_000)
    let sentences = [
      refusal { try Cassette(#"{"windtunnel":1,"interactions":[],"\#(long)end":1}"#) },
      refusal { try Cassette(#"{"windtunnel":"\#(long)end","interactions":[]}"#) },
    ]
    for sentence in sentences {
      #expect(sentence.count < 600)
      #expect(sentence.contains("xxx…xxx") && sentence.contains("end"), "\(sentence)")
    }
    let bell = refusal { try Cassette(#"{"windtunnel":1,"interactions":[],"\u001b[2J\n":1}"#) }
    #expect(!bell.unicodeScalars.contains { $0.value < 0x20 })
    #expect(bell.contains(#"\u{1b}[2J\u{a}"#), "\(bell)")
  }

  @Test func `an interaction that is too deep for a cassette is refused in a sentence`() throws {
    let deep = String(repeating: "[", count: 253) + String(repeating: "]", count: 253)
    let json = try JSON(parsing: Data(#"{"response":{"json":\#(deep)}}"#.utf8), source: "a.json")
    let sentence = refusal {
      try Interaction(onCassette: json, source: "a.json", path: "[0]") { _ in .empty }
    }
    expectEqual(sentence, "a.json, [0]: not JSON: nested deeper than 256 levels.")
  }
}
