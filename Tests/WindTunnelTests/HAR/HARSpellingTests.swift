import Foundation
import TestSupport
import Testing

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
    let round = try #require(try turnedRound(text))
    expectEqual(round["time"], 30.5)
    expectEqual(round["timings"], ["send": 1, "wait": 20.25, "receive": 9])
    expectEqual(round["response"]?["headersSize"], 10)
  }

  @Test(arguments: [
    ("2024-02-31T10:00:00Z", "2024-03-02T10:00:00.000Z"),
    ("2024-05-01T24:00:00Z", "2024-05-02T00:00:00.000Z"),
    ("2024-05-01T10:59:60Z", "2024-05-01T11:00:00.000Z"),
    ("2024-05-01t10:00:00z", "2024-05-01T10:00:00.000Z"),
    ("2023-02-29T10:00:00+01:00", "2023-03-01T09:00:00.000Z"),
  ])
  func `a date that no calendar has is written as the one it comes to`(old: String, new: String)
    throws
  {
    let round = try turnedRound(entry(started: old))
    expectEqual(round?["startedDateTime"], .text(new))
    expectEqual(round?["_startedDateTime"], .text(old))
  }

  @Test(arguments: ["2024-02-29T23:59:59.1234567-00:00", "2000-02-29T00:00:00+05:45"])
  func `a date that one has stays as it is spelled`(date: String) throws {
    let round = try turnedRound(entry(started: date))
    expectEqual(round?["startedDateTime"], .text(date))
    expectNil(round?["_startedDateTime"])
  }

  @Test func `entries are in order by dates in any spelling`() throws {
    let dates = [
      "Wed, 01 May 2024 10:00:02 GMT", "0001-01-01T00:00:00Z", "2024-05-01T10:00:01.000Z",
    ]
    let entries = dates.map { entry(started: $0) }.joined(separator: ",")
    let round = try turnedRound(Data(#"{"log": {"entries": [\#(entries)]}}"#.utf8))
    expectEqual(
      round.file["log"]?["entries"]?.elements.map { $0["startedDateTime"] },
      ["0001-01-01T00:00:00Z", "2024-05-01T10:00:01.000Z", "2024-05-01T10:00:02.000Z"]
    )
    expectEqual(round.warnings, [])
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
    #expect(refusal { try imported(own) }.contains("stands here twice"))
  }
}
