import Foundation
import TestSupport
import Testing

@testable import WindTunnelHAR

/// What comes back of a HAR where its secrets are kept, though no exchange of a cassette says it.
@Suite struct HARKeptTests {
  @Test func `entries that no HTTP was spoken for stay at their places, and nobody plays them`()
    throws
  {
    func url(_ url: String, _ second: Int) -> String {
      entry(url, started: "2024-05-01T10:00:0\(second).000Z")
    }
    let entries = [
      url("data:text/plain,hello", 1), url("https://api.example.test/1", 2),
      url("blob:https://api.example.test/2", 3), url("about:blank", 4),
      entry("api.example.test:443", method: "CONNECT", started: "2024-05-01T10:00:05.000Z"),
      url("https://api.example.test/3", 6),
      entry(started: "2024-05-01T10:00:07.000Z", response: #""status": 1000, "_a": [1]"#),
    ]
    let text = #"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#
    let round = try turnedRound(Data(text.utf8))
    expectEqual(round.cassette.interactions.map(\.request.url.path), ["/1", "/3"])
    let written = round.file["log"]?["entries"]?.elements ?? []
    expectEqual(
      written.compactMap { $0["request"]?["url"]?.stringValue },
      [
        "data:text/plain,hello", "https://api.example.test/1", "blob:https://api.example.test/2",
        "about:blank", "api.example.test:443", "https://api.example.test/3",
        "https://api.example.test/a",
      ]
    )
    expectEqual(written.last?["response"]?["status"], 1000)
    expectEqual(written.last?["response"]?["_a"], [1])
    expectEqual(round.warnings.count, 5)
    expectEqual(
      round.warnings.first,
      "log.entries[0]: its URL (data…) is none that HTTP goes to; it is kept for a HAR, and "
        + "never played."
    )
    // Without the secrets they go, and the words say so.
    let plain = try HARImport(Data(text.utf8), source: "a.har")
    expectEqual(plain.cassette.notes, [])
    #expect(plain.warnings.allSatisfy { $0.hasSuffix("; the entry is left out.") })
    let export = HARExport(round.cassette)
    #expect(!String(decoding: export.data, as: UTF8.self).contains("hello"))
    expectEqual(export.interactionCount, 2)
  }

  @Test func `an entry behind the last interaction stays the last where interactions were added`()
    throws
  {
    let read = try HARImport(
      har(entry(), entry("data:,b", started: "2024-05-01T10:00:09.000Z")),
      source: "a.har",
      keepingSecrets: true
    )
    var cassette = read.cassette
    cassette.interactions = []
    let file = try JSON(parsing: HARExport(cassette, keepingSecrets: true).data, source: "b.har")
    expectEqual(file["log"]?["entries"]?.elements.map { $0["request"]?["url"] }, ["data:,b"])
  }

  @Test func `a cookie or a field without a value does not take the others with it`() throws {
    let cookies =
      #"[{"name": "a", "value": "1", "comment": "c"}, {"name": "b", "value": null}, null]"#
    let round = try #require(
      try turnedRound(
        entry(
          response:
            #""status": 200, "headers": \#(cookies), "cookies": \#(cookies), "content": {"size": 0}"#
        )
      )
    )
    let kept: JSON = [["name": "a", "value": "1", "comment": "c"], ["name": "b", "value": ""]]
    expectEqual(round["response"]?["cookies"], kept)
    expectEqual(round["response"]?["headers"], kept)
  }

  @Test func `pages without a date begin with their entries, and their ids may be numbers`() throws
  {
    let text = """
      {"log": {"version": "1.2", "creator": {"name": "only"}, "browser": {"name": "one"}, "pages": [
        {"id": "p", "title": "Home"}, {"id": 2, "startedDateTime": "soon"}], "entries": [
        \(entry(started: "2024-05-01T10:00:01.000Z", more: #""pageref": "p", "connection": 443"#)),
        \(entry(started: "2024-05-01T10:00:02.000Z", more: #""pageref": 2"#))]},
       "_meta": {"a": 1}, "extra": 2}
      """
    let file = try turnedRound(Data(text.utf8)).file
    expectEqual(file["_meta"], ["a": 1])
    expectEqual(file["extra"], 2)
    let log = try #require(file["log"])
    expectEqual(log["creator"], ["name": "only", "version": ""])
    expectEqual(log["browser"], ["name": "one", "version": ""])
    expectEqual(
      log["pages"],
      [
        [
          "id": "p", "title": "Home", "startedDateTime": "2024-05-01T10:00:01.000Z",
          "pageTimings": [:],
        ],
        [
          "id": "2", "startedDateTime": "2024-05-01T10:00:02.000Z", "_startedDateTime": "soon",
          "title": "", "pageTimings": [:],
        ],
      ]
    )
    expectEqual(log["entries"]?.elements.map { $0["pageref"] }, ["p", "2"])
    expectEqual(log["entries"]?.elements.first?["connection"], "443")
  }

  @Test func `a header that none is does not take the rest of its entry with it`() throws {
    let text = entry(
      response: """
        "status": 200, "statusText": "Fine", "headers": [{"name": "A", "value": "1"}, "B: 2"],
        "content": {"size": 0}
        """,
      more: #""serverIPAddress": "192.0.2.1""#
    )
    let round = try #require(try turnedRound(text))
    expectEqual(round["response"]?["headers"], [["name": "A", "value": "1"]])
    expectEqual(round["response"]?["statusText"], "Fine")
    expectEqual(round["serverIPAddress"], "192.0.2.1")
  }

  @Test func `fields of a form without a boundary have an empty text beside them`() throws {
    let post = #"{"mimeType": "multipart/form-data", "params": [{"name": "a", "value": "1"}]}"#
    let round = try turnedRound(
      entry(method: "POST", request: #""headers": [], "postData": \#(post)"#)
    )
    expectEqual(
      round?["request"]?["postData"],
      ["mimeType": "multipart/form-data", "params": [["name": "a", "value": "1"]], "text": ""]
    )
  }
}
