import Foundation
import Testing
import WindTunnel

/// Files of other recorders, in the forms that those write.
@Suite struct ForeignRecordingTests {
  static let recordings: [(name: String, told: String, text: String)] = [
    (
      "users.yaml", "vcrpy cassette",
      """
      interactions:
      - request:
          body: '{"url": "a"}'
          headers:
            Accept: ['*/*']
          method: GET
          uri: http://httpbin.org/get
        response:
          body: {string: '{}'}
          headers: {Content-Length: ['2']}
          status: {code: 200, message: OK}
      version: 1
      """
    ),
    (
      "users.json", "vcrpy cassette",
      #"{"version": 1, "interactions": [{"request": {"method": "GET", "uri": "http://a.test/", "body": null, "headers": {}}, "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": ""}}}]}"#
    ),
    (
      "users.yml", "VCR (Ruby) cassette",
      """
      ---
      http_interactions:
      - request:
          method: get
          uri: http://example.com/
          body:
            encoding: US-ASCII
            string: ''
        response:
          status:
            code: 200
            message: OK
        recorded_at: Tue, 01 Nov 2011 04:58:44 GMT
      recorded_with: VCR 6.0.0
      """
    ),
    (
      "users.json", "VCR (Ruby) cassette",
      #"{"http_interactions":[{"request":{"method":"get","uri":"http://a.test/"},"response":{}}],"recorded_with":"VCR 6.1.0"}"#
    ),
    (
      "users.json", "Betamax (Python) cassette",
      #"{"http_interactions": [{"request": {"body": {"string": ""}, "headers": {}, "method": "GET", "uri": "http://a.test/"}, "response": {}, "recorded_at": "2015-06-21T19:22:54"}], "recorded_with": "betamax/0.4.2"}"#
    ),
    (
      "users.yaml", "Betamax (JVM) tape",
      """
      !tape
      name: users
      interactions:
      - recorded: 2011-08-23T20:24:33.000Z
        request:
          method: GET
          uri: http://a.test/
        response:
          status: 200
      """
    ),
    (
      "users.yaml", "go-vcr cassette",
      """
      ---
      version: 2
      interactions:
          - id: 0
            request:
              proto: HTTP/1.1
              proto_major: 1
              content_length: 0
              host: a.test
              body: ""
              form: {}
              headers: {}
              url: http://a.test/
              method: GET
            response:
              body: "{}"
              status: 200 OK
              code: 200
              duration: 42ms
      """
    ),
    (
      "users.yaml", "go-vcr cassette",
      """
      ---
      version: 1
      interactions:
      - request:
          body: ""
          form: {}
          headers: {}
          url: http://a.test/
          method: GET
        response:
          body: ok
      """
    ),
    (
      "recording.har", "Polly.js recording",
      #"{"log":{"_recordingName":"users","creator":{"name":"Polly.JS","version":"6.0.5"},"entries":[],"pages":[],"version":"1.2"}}"#
    ),
    (
      "site.har", "HAR file",
      #"{"log":{"version":"1.2","creator":{"name":"Firefox","version":"130"},"entries":[]}}"#
    ),
    (
      "users.json", "WireMock mapping",
      #"{"id":"8c5db8b0","request":{"urlPath":"/users","method":"GET"},"response":{"status":200,"body":"x"}}"#
    ),
    (
      "mappings.json", "WireMock mapping",
      #"{"mappings":[{"request":{"url":"/a"},"response":{"status":200}}],"meta":{"total":1}}"#
    ),
    (
      "sim.json", "Hoverfly simulation",
      #"{"data":{"pairs":[{"request":{},"response":{}}],"globalActions":{"delays":[]}},"meta":{"schemaVersion":"v5.2"}}"#
    ),
    (
      "nock.json", "nock recording",
      #"[{"scope":"http://a.test:80","method":"GET","path":"/","body":"","status":200,"response":"ok","rawHeaders":[]}]"#
    ),
    (
      "traffic.mitm", "mitmproxy flow file",
      "1803:9:websocket;0:~8:response;445:6:reason,2:OK,11:status_code;3:200#"
    ),
    ("flows", "mitmproxy flow file", "2053:7:request;375:4:path,4:/get,"),
  ]

  @Test(arguments: recordings)
  func `a recording of another tool is called by its name`(
    name: String,
    told: String,
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

  @Test func `a long text of lines costs no more than its length`() throws {
    // Whatever is looked for comes too late or never.
    for line in ["- request:\n", "interactions:\n", "version: 1\n", "1", "x\n"] {
      let text = Data(String(repeating: line, count: 300_000).utf8)
      let clock = ContinuousClock()
      let time = clock.measure {
        #expect(throws: FormatError.self) { try Cassette(data: text, source: "a.yaml") }
      }
      #expect(time < .seconds(60), "\(line)")
    }
  }
}
