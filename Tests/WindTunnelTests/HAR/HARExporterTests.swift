import TestSupport
import WindTunnelHAR
import WindTunnelSymptoms

/// One small text in the manner of each exporter, and the whole cassette that comes of it.
@Suite struct HARExporterTests {
  @Test func `Chrome's pseudo-fields, call stacks and opened gzip do not reach the cassette`()
    throws
  {
    let text = TestData.text("chrome.har")
    var expected = Interaction(
      Request("GET", "https://api.example.test/users/7?full=1", headers: ["accept": "*/*"]),
      Response(
        headers: ["content-type": "application/json", "Content-Length": "8"],
        body: Body(#"{"id":7}"#)
      )
    )
    expected.timing = Timing(firstByte: .microseconds(41_125), lastByte: .microseconds(42_625))
    expected.notes = [JSON.Member("_priority", "High"), JSON.Member("_resourceType", "fetch")]
    expected.innerNotes = [
      "response": [JSON.Member("_transferSize", 310)],
      "timing": [JSON.Member("_blocked_queueing", 0.5)],
    ]
    let result = try HARImport(Data(text.utf8), source: "chrome.har")
    expectEqual(result.cassette, Cassette([expected]))
    expectEqual(result.warnings, [])
  }

  @Test func `Chrome's answer that never came is the failure it names`() throws {
    let interaction = try imported(
      entry(response: #""status": 0, "headers": [], "_error": "net::ERR_NAME_NOT_RESOLVED""#)
    )
    expectEqual(
      interaction?.result,
      .failure(Failure(.hostNotFound, text: "net::ERR_NAME_NOT_RESOLVED"))
    )
  }

  @Test func `an answer whose connection broke keeps the length it had announced`() throws {
    let interaction = try importing(
      response: """
        "status": 200, "headers": [{"name": "Content-Length", "value": "9"}],
        "content": {"size": 4, "text": "half"}, "_error": "net::ERR_CONTENT_LENGTH_MISMATCH"
        """
    ).interaction
    let failure = Failure(.truncated, text: "net::ERR_CONTENT_LENGTH_MISMATCH")
    let response = Response(headers: ["Content-Length": "9"], body: Body("half"))
    expectEqual(interaction?.result, .cut(response, failure))
  }

  @Test func `Firefox's missing bodies are named and its binary uploads are bytes again`() throws {
    let result = try importing(
      method: "POST",
      request: """
        "headers": [{"name": "Content-Length", "value": "3"}], "bodySize": 3,
        "postData": {"mimeType": "application/octet-stream", "params": [], "text": "\\u0000\\u00ff\\u00c0"}
        """,
      response: """
        "status": 200, "headers": [{"name": "Content-Type", "value": "image/png"}],
        "content": {"mimeType": "image/png", "comment": "not included"}, "redirectURL": "",
        "bodySize": -1
        """
    )
    var interaction = Interaction(
      Request(
        "POST",
        "https://api.example.test/a",
        headers: ["Content-Length": "3"],
        body: Body(Data([0, 0xFF, 0xC0]))
      ),
      Response(headers: ["Content-Type": "image/png"])
    )
    interaction.innerNotes = ["response": [JSON.Member("_bodyMissing", true)]]
    expectEqual(result.cassette, Cassette([interaction]))
    expectEqual(
      result.warnings,
      [
        "log.entries[0], POST https://api.example.test/a: there is no body and no size; "
          + "an empty one is played."
      ]
    )
  }

  @Test func `Safari's pictures from memory have bytes, though their size is nought`() throws {
    let interaction = try importing(
      response: """
        "status": 200, "headers": [{"name": "Content-Length", "value": "4"}],
        "content": {"size": 0, "compression": 0, "mimeType": "image/png", "encoding": "base64",
          "text": "iVBORw=="}, "redirectURL": null, "bodySize": -1
        """,
      more:
        #""_fetchType": "Memory Cache", "timings": {"blocked": -1, "wait": -1, "receive": -1}"#
    ).interaction
    var expected = Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(headers: ["Content-Length": "4"], body: Body(Data([0x89, 0x50, 0x4E, 0x47])))
    )
    expected.notes = [JSON.Member("_fetchType", "Memory Cache")]
    expectEqual(interaction, expected)
  }

  @Test func `Charles's chunked answer gets a length in the place of its chunks`() throws {
    let interaction = try importing(
      response: """
        "_charlesStatus": "COMPLETE", "status": 200, "headers": [
          {"name": "Transfer-Encoding", "value": "chunked"}, {"name": "Trailer", "value": "X"},
          {"name": "Content-Type", "value": "text/html; charset=ISO-8859-1"}],
        "content": {"size": 5, "mimeType": "text/html", "text": "gr\\u00fcn", "encoding": "UTF-8"}
        """
    ).interaction
    let expected = Response(
      headers: ["Content-Type": "text/html; charset=ISO-8859-1", "Content-Length": "4"],
      body: Body(Data([0x67, 0x72, 0xFC, 0x6E]))
    )
    expectEqual(interaction?.result, .response(expected))
  }

  @Test func `Insomnia's empty form is no body`() throws {
    let interaction = try imported(
      entry(request: #""headers": [], "postData": {"mimeType": "", "params": [], "text": ""}"#)
    )
    expectEqual(interaction?.request, Request("GET", "https://api.example.test/a"))
  }

  @Test func `Fiddler's byte order mark and seven decimals are read`() throws {
    let mark = Data([0xEF, 0xBB, 0xBF])
    let text = har(
      entry(started: "2024-05-01T12:00:00.1234568+02:00"),
      entry("https://api.example.test/b", started: "2024-05-01T12:00:00.1234567+02:00")
    )
    let result = try HARImport(mark + text, source: "fiddler.har")
    expectEqual(result.cassette.interactions.map(\.request.url.path), ["/b", "/a"])
    expectEqual(result.warnings, [])
  }

  @Test func `mitmproxy's WebSocket messages are messages`() throws {
    let interaction = try importing(
      "wss://api.example.test/feed",
      response: #""status": 101, "headers": [{"name": "Upgrade", "value": "websocket"}]"#,
      more: """
        "timings": {"connect": 100, "ssl": 60, "send": 0, "wait": 400, "receive": 5},
        "_resourceType": "websocket", "_webSocketMessages": [
          {"type": "receive", "time": 1714557600.75, "opcode": 1, "data": "hello"},
          {"type": "send", "time": 1714557601.5, "opcode": 2, "data": "AAE="},
          {"type": "receive", "time": 1714557602, "opcode": 8, "data": ""}]
        """
    ).interaction
    expectEqual(interaction?.request.url, "https://api.example.test/feed")
    expectEqual(
      interaction?.messages,
      [
        WebSocketMessage(from: .server, Body("hello"), isText: true, offset: .milliseconds(250)),
        WebSocketMessage(from: .client, Body(Data([0, 1])), isText: false, offset: .seconds(1)),
      ]
    )
    expectEqual(interaction?.notes, [JSON.Member("_resourceType", "websocket")])
  }

  @Test func `Playwright's WebSocket messages bear milliseconds, or lie in a file`() throws {
    func feed(_ content: String, _ more: String) throws -> HARImport {
      try importing(
        "wss://api.example.test/feed",
        response: #""status": 101, "headers": [], "content": \#(content)"#,
        more: #""timings": {"send": 0, "wait": 20, "receive": 1} \#(more)"#
      )
    }
    let told = try feed(
      #"{"size": 0}"#,
      """
      , "_webSocketMessages": [
        {"type": "send", "time": 1714557600500.25, "opcode": 1, "data": "a"},
        {"type": "receive", "time": 1714557600900.5, "opcode": 1, "data": "b"}]
      """
    )
    let offsets = told.cassette.interactions.flatMap(\.messages).map(\.offset)
    // A double of seconds since 1970 is good for a microsecond.
    expectEqual(offsets.map { ($0 / .milliseconds(1)).rounded() }, [480, 881])
    expectEqual(told.warnings, [])
    let attached = try feed(#"{"size": -1, "mimeType": "x-unknown", "_file": "c4751.jsonl"}"#, "")
    expectEqual(
      attached.warnings,
      [
        "log.entries[0], GET https://api.example.test/feed: the list of WebSocket messages is in the "
          + "file \"c4751.jsonl\", which was not read."
      ]
    )
  }

  @Test func `Polly's lists of values are fields, joined but for Set-Cookie`() throws {
    let interaction = try importing(
      request:
        #""headers": [{"name": "accept", "value": ["text/html", "*/*"]}, {"name": "dnt", "value": 1}]"#,
      response: """
        "status": 204, "headers": [{"name": "set-cookie", "value": ["a=longvalue", "b=other1"]},
          {"name": "vary", "value": null}], "content": {"size": 0}
        """,
      more: #""_id": "f00d", "_order": 0"#
    ).interaction
    var expected = Interaction(
      Request(
        "GET",
        "https://api.example.test/a",
        headers: ["accept": "text/html, */*", "dnt": "1"]
      ),
      Response(
        status: 204,
        headers: ["set-cookie": "a=REDACTED-a-1", "set-cookie": "b=REDACTED-b-1", "vary": ""]
      )
    )
    expected.notes = [JSON.Member("_id", "f00d"), JSON.Member("_order", 0)]
    expectEqual(interaction, expected)
  }
}
