import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelHAR

/// What is left of a HAR that becomes a cassette with its secrets and a HAR again, where an exporter
/// has written what the specification has no room for.
@Suite struct HARRoundTripTests {
  /// The first entry of a HAR, turned round.
  private func turnedRound(_ entry: String) throws -> JSON {
    let text =
      #"{"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[\#(entry)]}}"#
    var data = Data(text.utf8)
    // Twice, so that what is put back stays.
    for _ in 1...2 {
      let read = try HARImport(data, source: "a.har", keepingSecrets: true)
      data = HARExport(read.cassette, keepingSecrets: true).data
    }
    let json = try JSON(parsing: data, source: "b.har")
    #expect(HARSchema.problems(in: json).isEmpty)
    return try #require(json["log"]?["entries"]?.elements.first)
  }

  private func entry(_ more: String, headers: String = "[]") -> String {
    #"{"request":{"method":"GET","url":"https://a.example/x","headers":[]},"#
      + #""response":{"status":200,"headers":\#(headers),"content":{"size":2,"#
      + #""mimeType":"text/plain","text":"ok"}},\#(more)}"#
  }

  @Test func `fields whose values are lists come back as they were`() throws {
    let headers =
      #"[{"name":"transfer-encoding","value":"chunked"},{"name":"set-cookie","value":["a=1","b=2"]},"#
      + #"{"name":"vary","value":["a","b"]},{"name":"set-cookie","value":[]}]"#
    let round = try turnedRound(
      entry(#""startedDateTime":"2024-05-01T10:00:00.000Z""#, headers: headers)
    )
    expectEqual(
      round["response"]?["headers"],
      [
        ["name": "transfer-encoding", "value": "chunked"], ["name": "set-cookie", "value": "a=1"],
        ["name": "set-cookie", "value": "b=2"], ["name": "vary", "value": "a, b"],
      ]
    )
  }

  @Test(arguments: [
    (#""2026-01-01 00:00:00 +0000""#, "2026-01-01T00:00:00.000Z"),
    ("1767225600000", "2026-01-01T00:00:00.000Z"),
    (#""2026-01-01T01:00:00+0100""#, "2026-01-01T00:00:00.000Z"),
  ])
  func `a date in another spelling is that date`(written: String, date: String) throws {
    try expectEqual(
      turnedRound(entry(#""startedDateTime":\#(written)"#))["startedDateTime"],
      .text(date)
    )
  }

  @Test func `a type of content of which none was sent stays, with a text for those who want one`()
    throws
  {
    let round = try turnedRound(
      entry(#""startedDateTime":"2024-05-01T10:00:00.000Z""#)
        .replacing(#""headers":[]},"#, with: #""headers":[],"postData":{"mimeType":"a/b"}},"#)
    )
    expectEqual(round["request"]?["postData"], ["mimeType": "a/b", "text": ""])
  }

  @Test func `what no HAR may say is kept under a name that is anybody's`() throws {
    let cache = #"{"afterRequest":{"expires":"4294967295","fetchCount":""}}"#
    let round = try turnedRound(
      entry(
        #""startedDateTime":"1/2/2026, 3:04 PM","serverIPAddress":"2001:db8::1.443","cache":\#(cache)"#
      )
    )
    expectEqual(round["_startedDateTime"], "1/2/2026, 3:04 PM")
    expectEqual(round["serverIPAddress"], "2001:db8::1")
    expectEqual(round["_serverIPAddress"], "2001:db8::1.443")
    expectEqual(round["cache"], ["_afterRequest": ["expires": "4294967295", "fetchCount": ""]])
  }

  @Test(
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("192.0.2.1.443", "192.0.2.1"), ("192.0.2.1:443", "192.0.2.1"),
      ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1.443", "2001:db8::1"),
      ("192.0.2.256", nil), ("192.0.2.1.70000", nil), ("a.example", nil), ("2001:db8::1.x", nil),
    ] as [(String, String?)]
  )
  func `an address is read with a port behind it, and nothing else`(text: String, found: String?) {
    expectEqual(HARSanitizer.value(.text(text), of: "serverIPAddress"), found.map { .text($0) })
  }

  @Test func `a cookie's flags are read as words, too`() throws {
    let round = try turnedRound(
      #"{"startedDateTime":"2024-05-01T10:00:00.000Z","request":{"method":"GET","#
        + #""url":"https://a.example/x","headers":[]},"response":{"status":204,"headers":[],"#
        + #""cookies":[{"name":"a","value":"1","httpOnly":"true","expires":""}]}}"#
    )
    expectEqual(round["response"]?["cookies"], [["name": "a", "value": "1", "httpOnly": true]])
  }
}
