import TestSupport
import WindTunnel

/// Files of other tools in place of a cassette.
@Suite struct ForeignRecordingTests {
  @Test(arguments: [
    ("site.har", "Convert it: windtunnel cassette convert site.har site.json"),
    (
      "a.b.json",
      "Rename it to a.b.har, and convert it: windtunnel cassette convert a.b.har a.b.json"
    ),
  ])
  func `a HAR is called by its name, with the way from there`(name: String, fix: String) throws {
    let text = #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}"#
    let error = try #require(throws: FormatError.self) {
      try Cassette(data: Data(text.utf8), source: name)
    }
    expectEqual(error.description, "\(name): this is a HAR file, not a cassette. \(fix)")
  }

  @Test(arguments: [
    "", "{", "[]", "[1]", "[{}]", "{}", "12:", "12:34", "interactions:", "request:\nuri: x", "a: b",
    #"{"request":{},"response":{}}"#, #"{"data":{}}"#, #"{"interactions":[]}"#,
    #"{"windtunnel":1,"interactions":[{"request":{"uri":"/a"}}]}"#,
    #"{"windtunnel":1,"interactions":["#, #"{"windtunnel":2,"log":{"entries":[]}}"#,
    #"{"windtunnelScenario":1,"name":"a"}"#,
  ])
  func `unknown files and broken cassettes are not reported as HAR files`(text: String)
    throws
  {
    let error = try #require(throws: FormatError.self) {
      try Cassette(data: Data(text.utf8), source: "a.json")
    }
    #expect(!error.description.contains("a HAR file, not a cassette"), "\(error)")
  }
}
