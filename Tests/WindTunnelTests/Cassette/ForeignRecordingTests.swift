import Foundation
import Testing
import WindTunnel

/// Files of other recorders, in the forms that those write.
@Suite struct ForeignRecordingTests {
  @Test(arguments: try DataFiles.texts("ForeignRecordings", count: 16))
  func `a recording of another tool is called by its name`(
    told: String,
    name: String,
    text: String
  ) throws {
    let error = try #require(throws: FormatError.self) {
      try Cassette(data: Data(text.utf8), source: name)
    }
    #expect(
      error.description.hasPrefix("\(name): this is a \(told) and no cassette of WindTunnel's. "),
      "\(error)"
    )
    let stem = name.split(separator: ".").first.map(String.init) ?? name
    let way =
      switch told {
      case "HAR file", "Polly.js recording":
        "To make one of it: windtunnel cassette convert \(stem).har \(stem).json"
      case "mitmproxy flow file":
        "To make one of it: mitmdump -nr \(name) --set hardump=\(stem).har, then "
          + "windtunnel cassette convert \(stem).har \(stem).json"
      default:
        "It is not read here; to record anew: windtunnel record URL --cassette \(stem).json"
      }
    #expect(error.description.hasSuffix(way), "\(error)")
  }

  @Test func `a HAR under another name is to be named so first`() throws {
    let text = #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[]}}"#
    let error = try #require(throws: FormatError.self) {
      try Cassette(data: Data(text.utf8), source: "a.b.json")
    }
    #expect(
      error.description.hasSuffix(
        "Name it a.b.har, and make one of it: windtunnel cassette convert a.b.har a.b.json"
      )
    )
  }

  @Test(arguments: [
    "", "{", "[]", "[1]", "[{}]", "{}", "12:", "12:34", "interactions:", "request:\nuri: x", "a: b",
    #"{"request":{},"response":{}}"#, #"{"data":{}}"#, #"{"interactions":[]}"#,
    #"{"windtunnel":1,"interactions":[{"request":{"uri":"/a"}}]}"#,
    #"{"windtunnel":1,"interactions":["#, #"{"windtunnel":2,"log":{"entries":[]}}"#,
    #"{"windtunnelScenario":1,"name":"a"}"#,
  ])
  func `what is nobody's is called nothing, and ours is told what is wrong with it`(text: String)
    throws
  {
    let error = try #require(throws: FormatError.self) {
      try Cassette(data: Data(text.utf8), source: "a.json")
    }
    #expect(!error.description.contains("no cassette of WindTunnel's"), "\(error)")
  }

  @Test func `the reading of a long text of lines is linear`() {
    // No line of it shows another tool's file.
    for line in ["- request:\n", "interactions:\n", "version: 1\n", "1", "x\n"] {
      let growth = Growth(of: 500 * line.utf8.count) { count in
        let text = Data(String(repeating: line, count: count / line.utf8.count).utf8)
        #expect(throws: FormatError.self) { try Cassette(data: text, source: "a.yaml") }
      }
      #expect(growth.isLinear, "\(line): \(growth)")
    }
  }
}
