import TestSupport
import WindTunnel
import WindTunnelHAR

@Suite struct HARRedactionTests {
  @Test func `no credential of a HAR reaches the cassette`() throws {
    let result = try importing(
      "https://ada:passphrase1@api.example.test/a",
      request: """
        "headers": [{"name": "AUTHORIZATION", "value": ["Bearer token-of-ada"]},
          {"name": "Proxy-Authorization ", "value": "Basic YWRhOnBhc3NwaHJhc2Uy"},
          {"name": "Cookie", "value": "sid=session-of-ada"}],
        "cookies": [{"name": "sid", "value": "session-of-ada"}]
        """,
      response: """
        "status": 200, "headers": [
          {"name": "Set-Cookie", "value": "sid=session-of-ada; Path=/\\nb=cookie-of-bob"}],
        "cookies": [{"name": "b", "value": "cookie-of-bob"}], "content": {"size": 0}
        """,
      more: #""_from": ["https://ada:passphrase1@www.example.test/"]"#
    )
    var expected = Interaction(
      Request(
        "GET",
        "https://REDACTED-userinfo-1@api.example.test/a",
        headers: [
          "AUTHORIZATION": "Bearer REDACTED-authorization-1",
          "Proxy-Authorization": "Basic REDACTED-proxy-authorization-1",
          "Cookie": "sid=REDACTED-sid-1",
        ]
      ),
      Response(
        headers: ["Set-Cookie": "sid=REDACTED-sid-1; Path=/", "Set-Cookie": "b=REDACTED-b-1"]
      )
    )
    expected.notes = [JSON.Member("_from", ["https://REDACTED-userinfo-1@www.example.test/"])]
    expectEqual(result.cassette, Cassette([expected]))
    expectEqual(result.warnings, [])
  }

  @Test(arguments: [
    (#""content": {"size": 16, "text": "hello token-of-ada"}"#, ""),
    (
      #""content": {"size": 0}"#,
      #""_webSocketMessages": [{"type": "send", "time": 1, "opcode": 1, "data": "token-of-ada"}]"#
    ),
    (#""content": {"size": 0}"#, #""_seen": {"by": ["token-of-ada!"]}"#),
  ])
  func `what repeats a credential is kept without it`(content: String, more: String) throws {
    let result = try HARImport(
      har(
        entry(
          "https://api.example.test/login",
          request: #""headers": [{"name": "Authorization", "value": "Bearer token-of-ada"}]"#
        ),
        entry(response: #""status": 200, "headers": [], \#(content)"#, more: more)
      ),
      source: "a.har"
    )
    expectEqual(result.cassette.interactions.map(\.request.url.path), ["/login", "/a"])
    expectEqual(result.warnings, [])
    let text = String(decoding: result.cassette.data(), as: UTF8.self)
    #expect(!text.contains("token-of-ada"))
    expectEqual(text.ranges(of: "REDACTED-authorization-1").count, 2)
  }

  @Test func `warnings show neither user info nor query`() throws {
    let result = try HARImport(
      har(entry("https://ada:secret@api.example.test/a?key=other", response: #""status": 0"#)),
      source: "a.har"
    )
    expectEqual(
      result.warnings,
      [
        "log.entries[0], GET https://api.example.test/a: there is no response and no reason; it is "
          + "stored as \"unknown\"."
      ]
    )
  }
}
