import TestSupport

@testable import WindTunnelHAR

/// Which bytes a text of a HAR stands for.
@Suite struct HARBodyTests {
  private func answer(_ content: String, type: String, status: Int = 200) -> String {
    entry(
      response: """
        "status": \(status), "headers": [{"name": "Content-Type", "value": "\(type)"}],
        "content": {\(content), "mimeType": "\(type)"}
        """
    )
  }

  private func question(_ text: String, type: String, bodySize: Int) -> String {
    entry(
      method: "POST",
      request: """
        "headers": [{"name": "Content-Type", "value": "\(type)"}], "bodySize": \(bodySize),
        "postData": {"mimeType": "\(type)", "text": \(text)}
        """
    )
  }

  /// mitmproxy has as many characters as there are bytes; a size may count characters, or neither.
  @Test(
    arguments: try TestData.rows("HAR/answer-bytes.json", count: 7) as [(String, String, [UInt8])]
  )
  func `the bytes of an answer without a charset are as many as its size says`(
    content: String,
    type: String,
    bytes: [UInt8]
  ) throws {
    try expectEqual(imported(answer(content, type: type))?.response?.body.data, Data(bytes))
  }

  /// Firefox has the bytes of UTF-8, each as a character.
  @Test(
    arguments: try TestData.rows("HAR/sent-bytes.json", count: 6)
      as [(String, String, Int, [UInt8])]
  )
  func `what is known to be UTF-8 is sent in it`(
    text: String,
    type: String,
    bodySize: Int,
    bytes: [UInt8]
  ) throws {
    let interaction = try imported(question(text, type: type, bodySize: bodySize))
    expectEqual(interaction?.request.body.data, Data(bytes))
  }

  @Test(
    arguments: [
      (#""size": 0, "text": """#, 1, nil), (#""size": 0"#, 20, nil),
      (#""size": 7"#, 0, "the body of 7 bytes is missing; an empty one is played."),
      (#""size": -1"#, 7, "the body of 7 bytes is missing; an empty one is played."),
    ] as [(String, Int, String?)]
  )
  func `a body is missing where its size says that there was one`(
    content: String,
    bodySize: Int,
    warning: String?
  ) throws {
    let text = entry(
      response: #""status": 200, "bodySize": \#(bodySize), "content": {\#(content)}"#
    )
    let place = "log.entries[0], GET https://api.example.test/a: "
    try expectEqual(
      HARImport(har(text), source: "a.har").warnings,
      [warning].compactMap { $0 }.map {
        place + $0
      }
    )
  }

  @Test func `the cached copy that a browser shows for a 304 is no flaw`() throws {
    let read = try HARImport(
      har(answer(#""size": 4, "text": "copy""#, type: "text/plain", status: 304)),
      source: "a.har"
    )
    expectEqual(read.cassette.interactions.first?.response?.body, Body("copy"))
    expectEqual(read.warnings.count, 1)
    expectEqual(read.cassette.flaws, [])
    // Of the answers that have no content none but this has a copy.
    let empty = Interaction(Request("GET", "/"), Response(status: 204, body: Body("copy")))
    expectEqual(Cassette([empty]).flaws.count, 1)
  }

  @Test(arguments: [
    (#"{"a": 1}"#, #"{"a":1}"#), ("[1, null]", "[1,null]"), ("5", "5"), ("true", "true"),
  ])
  func `a body that stands as JSON and not as a text is its text`(json: String, text: String) throws
  {
    let entry = question(json, type: "application/json", bodySize: -1)
    try expectEqual(imported(entry)?.request.body.text, text)
  }
}
