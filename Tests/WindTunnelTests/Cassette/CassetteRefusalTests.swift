import Foundation
import Testing

@testable import WindTunnel

@Suite struct CassetteRefusalTests {
  private func sentence(_ text: String) -> String { refusal { try Cassette(text) } }

  private func interaction(_ text: String) -> String {
    sentence(#"{"windtunnel":1,"interactions":[\#(text)]}"#)
  }

  @Test(arguments: [
    ("[]", "a.json: an object should stand here."),
    (
      "{}",
      "a.json: not a cassette: the key \"windtunnel\" is missing. A cassette begins with { \"windtunnel\": 1, …"
    ),
    (
      #"{"windtunnel":2,"interactions":{}}"#,
      "a.json: this is a version 2 cassette, and this windtunnel reads version 1. Update windtunnel."
    ),
    (#"{"windtunnel":0}"#, "a.json, windtunnel: 0 is no version of a cassette."),
    (#"{"windtunnel":"1"}"#, "a.json, windtunnel: \"1\" is no version of a cassette."),
    (#"{"windtunnel":1}"#, "a.json, interactions: a list of interactions should stand here."),
    (#"{"windtunnel":1,"interactions":{}}"#, "a.json, interactions: a list should stand here."),
    (
      #"{"windtunnel":1,"interactions":[],"interaction":[]}"#,
      "a.json, interaction: unknown key. Did you mean \"interactions\"?"
    ),
    (
      #"{"windtunnel":1,"interactions":[],"windtunnel":1}"#,
      "a.json: \"windtunnel\" stands here twice."
    ),
    (
      "{\"windtunnel\":1,\n\"interactions\":[}",
      "a.json, line 2, column 17: not JSON: '}' cannot begin a value."
    ),
  ])
  func `a cassette that is none is refused in a sentence`(text: String, expected: String) {
    #expect(sentence(text) == expected)
  }

  @Test(arguments: [
    ("7", ": an object should stand here."),
    ("{}", ".request: the request is missing."),
    (#"{"request":{}}"#, ".request.url: the URL is missing."),
    (#"{"request":{"url":"/"}}"#, ".response: a \"response\" or a \"failure\" is missing."),
    (#"{"request":{"url":7},"response":{}}"#, ".request.url: a string should stand here."),
    (
      #"{"request":{"url":"/","methd":"GET"},"response":{}}"#,
      ".request.methd: unknown key. Did you mean \"method\"?"
    ),
    (
      #"{"request":{"url":"/","method":"GET /x"},"response":{}}"#,
      ".request.method: \"GET /x\" is no method (RFC 9110 §9.1)."
    ),
    (
      #"{"request":{"url":"/"},"response":{"status":42}}"#,
      ".response.status: 42 is not a whole number from 100 to 999."
    ),
    (
      #"{"request":{"url":"/"},"response":{"json":1,"text":"1"}}"#,
      ".response.json: a body is one of \"json\", \"text\", \"base64\" and \"file\"."
    ),
    (
      #"{"request":{"url":"/"},"response":{"text":"","layout":"tab"}}"#,
      ".response.layout: \"tab\" lays out a \"json\" body, and there is none."
    ),
    (
      #"{"request":{"url":"/"},"response":{"json":1,"layout":"wide"}}"#,
      ".response.layout: \"wide\" is no layout. Layouts: compact, spaced, indent1, indent2, indent4, tab, compact+newline, spaced+newline, indent1+newline, indent2+newline, indent4+newline, tab+newline."
    ),
    (
      #"{"request":{"url":"/"},"response":{"base64":"*"}}"#,
      ".response.base64: not base64 (RFC 4648 §4)."
    ),
    (
      #"{"request":{"url":"/"},"response":{"headers":[["A"]]}}"#,
      ".response.headers: [\"A\"] is no pair of a name and a value."
    ),
    (
      #"{"request":{"url":"/"},"response":{"headers":{"A":1}}}"#,
      ".response.headers: the value of \"A\" is no string."
    ),
    (
      #"{"request":{"url":"/"},"response":{"headers":"A: 1"}}"#,
      ".response.headers: a list of [name, value] should stand here."
    ),
    (
      #"{"request":{"url":"/"},"response":{"headers":[["A","1\r\nSet-Cookie: b=2"]]}}"#,
      ".response.headers: the value of A breaks its line (RFC 9110 §5.5)."
    ),
    (
      #"{"request":{"url":"/"},"response":{"headers":[["A: 1\r\nB","2"]]}}"#,
      ".response.headers: \"A: 1\\r\\nB\" is no field name (RFC 9110 §5.1)."
    ),
    (#"{"request":{"url":"/"},"failure":{}}"#, ".failure.symptom: the symptom is missing."),
    (
      #"{"request":{"url":"/"},"response":{},"then":"repeats"}"#,
      ".then: \"repeats\" is none of fail, repeat, cycle. Did you mean \"repeat\"?"
    ),
    (
      #"{"request":{"url":"/"},"response":{},"timing":{"chunks":[[-1,2]]}}"#,
      ".timing.chunks: [-1,2] is no [bytes, milliseconds]."
    ),
    (
      #"{"request":{"url":"/"},"response":{},"timing":{"chunks":[[1,1],[4294967297,2]]}}"#,
      ".timing.chunks: [4294967297,2] is a piece of 4294967297 bytes; at most 4294967296 are played."
    ),
    (
      #"{"request":{"url":"/"},"response":{},"timing":{"firstByteMilliseconds":-1}}"#,
      ".timing.firstByteMilliseconds: -1 is not a number from 0.0 to 1000000000000.0."
    ),
    (
      #"{"request":{"url":"/"},"response":{},"messages":[{"text":"a"}]}"#,
      ".messages[0].from: \"client\" or \"server\" should stand here."
    ),
    (
      #"{"request":{"url":"/"},"messages":[{"from":"client"},{"from":"server","after":2}]}"#,
      ".messages[1].after: 2 is not a whole number from 0 to 1."
    ),
    (
      #"{"request":{"url":"/"},"messages":[{"from":"server"},{"from":"server","after":1}]}"#,
      ".messages[1].after: 1 is no number of a message that a client sent before. Messages are counted "
        + "from 1; 0 is the handshake. Only a server's has a cause."
    ),
    (
      #"{"request":{"url":"/"},"messages":[{"from":"server","close":1015}]}"#,
      ".messages[0].close: 1015 may stand in no close frame (RFC 6455 §7.4)."
    ),
    (
      #"{"request":{"url":"/"},"messages":[{"from":"server","close":1000,"base64":"AA=="}]}"#,
      ".messages[0].close: the reason of a close is a \"text\" (RFC 6455 §5.5.1)."
    ),
    (
      #"{"request":{"url":"/"},"response":{"file":"../../etc/passwd"}}"#,
      "a.json: the body in side file \"../../etc/passwd\" cannot be read: the cassette is not a file."
    ),
  ])
  func `an interaction that is none is refused with its place`(text: String, expected: String) {
    let place = expected.hasPrefix("a.json") ? "" : "a.json, interactions[0]"
    #expect(interaction(text) == place + expected)
  }

  @Test func `an unknown failure is refused with the nearest that exists`() {
    let text = interaction(#"{"request":{"url":"/"},"failure":{"symptom":"timeOut"}}"#)
    #expect(
      text.hasPrefix("a.json, interactions[0].failure.symptom: \"timeOut\" is none of timedOut, ")
    )
    #expect(text.hasSuffix(". Did you mean \"timedOut\"?"))
  }

  @Test func `an unknown key that is near to nothing is told what exists`() {
    #expect(
      interaction(#"{"request":{"url":"/"},"failure":{"symptom":"timedOut","weather":1}}"#)
        == "a.json, interactions[0].failure.weather: unknown key. Known here: symptom, text."
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
}
