import TestSupport

@testable import WindTunnel
@testable import WindTunnelHAR

/// One small text in the manner of each exporter, and the whole cassette that comes of it.
@Suite struct HARExporterTests {
  /// A row has a name, an entry, its interaction as a cassette has it, and the warnings.
  @Test(arguments: try DataFiles.rows("HAR/exported.json", count: 27))
  func `an entry is the interaction that it stands for`(row: [JSON]) throws {
    let entry = String(decoding: row[1].bytes(.compact), as: UTF8.self)
    let result = try HARImport(har(entry), source: "a.har")
    let cassette: JSON = ["windtunnel": 1, "interactions": [row[2]]]
    let expected = try Cassette(data: Data(cassette.bytes(.compact)), source: "exported.json")
    expectEqual(result.cassette, expected, "\(row[0])")
    expectEqual(result.warnings, row[3].elements.compactMap(\.stringValue), "\(row[0])")
  }

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
}
