import TestSupport

@testable import WindTunnelHAR

/// What is spelled in a HAR as the specification does not wish: dates, numbers and texts.
@Suite struct HARSpellingTests {
  @Test func `numbers that are written as texts are numbers`() throws {
    let text = entry(
      response: """
        "status": "200", "headersSize": "10", "content": {"size": "5", "text": "hello"}
        """,
      more: #""time": "30.5", "timings": {"send": "1", "wait": "20.25", "receive": "9"}"#
    )
    let interaction = try imported(text)
    expectEqual(
      interaction?.timing,
      Timing(firstByte: .microseconds(20_250), lastByte: .microseconds(29_250))
    )
  }

  @Test func `entries are in order by dates in any spelling`() throws {
    let dates = [
      "Wed, 01 May 2024 10:00:02 GMT", "0001-01-01T00:00:00Z", "2024-05-01T10:00:01.000Z",
    ]
    let entries = dates.enumerated().map { entry("https://a.test/\($0)", started: $1) }
    let read = try HARImport(har(entries.joined(separator: ",")), source: "a.har")
    expectEqual(read.cassette.interactions.map(\.request.url.path), ["/1", "/2", "/0"])
    expectEqual(read.warnings, [])
  }

  @Test func `a text that is spelled with escapes stands on the cassette once`() throws {
    let escaped = String(repeating: #"\u00e9"#, count: 100)
    let text = entry(
      response: """
        "status": 200, "headers": [{"name": "Content-Type", "value": "text/plain"}],
        "content": {"size": 200, "mimeType": "text/plain", "text": "\(escaped)"}
        """
    )
    let read = try HARImport(har(text), source: "a.har", keepingSecrets: true).cassette
    let file = String(decoding: read.data(), as: UTF8.self)
    let plain = String(repeating: "é", count: 100)
    expectEqual(file.ranges(of: plain).count, 1)
    #expect(!file.contains(#"\u00e9"#))
    try expectEqual(turnedRound(text)?["response"]?["content"]?["text"], .text(plain))
  }

  @Test func `of members with one name the last counts`() throws {
    let twice = entry().replacing(
      #""method": "GET""#,
      with: #""method": "POST", "method": "GET", "bodySize": 3, "bodySize": 0"#
    )
    let read = try turnedRound(har(twice))
    expectEqual(read.cassette.interactions.map(\.request.method), ["GET"])
    expectEqual(read.file["log"]?["entries"]?.elements.first?["request"]?["bodySize"], 0)
    // What is ours is written once.
    let own = entry(more: #""_windtunnel": {"then": "fail", "then": "cycle"}"#)
    #expect(refusal { try imported(own) }.contains("occurs twice"))
  }
}
