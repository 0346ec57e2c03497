import TestSupport
import WindTunnelHAR

@Suite struct HARMessageTests {
  @Test func `redirects stay as they are, hop by hop, in the order of their dates`() throws {
    func hop(_ number: Int, at date: String) -> String {
      entry(
        "https://api.example.test/\(number)",
        started: date,
        response: """
          "status": 302, "headers": [{"name": "Location", "value": "/\(number + 1)"}],
          "content": {"size": 0}, "redirectURL": null
          """
      )
    }
    let cassette = try Cassette(
      har: har(
        hop(3, at: "2024-05-01T12:00:00.30+02:00"),
        hop(1, at: "2024-05-01T10:00:00Z"),
        hop(4, at: "2024-05-01T10:00:00.3000000Z"),
        hop(5, at: "yesterday"),
        hop(2, at: "2024-05-01T10:00:00.007-00:00")
      ),
      source: "a.har"
    )
    expectEqual(cassette.interactions.map(\.request.url.path), ["/1", "/2", "/3", "/4", "/5"])
    expectEqual(
      cassette.interactions.compactMap { $0.response?.headers["Location"] },
      ["/2", "/3", "/4", "/5", "/6"]
    )
  }

  @Test(arguments: try TestData.rows("HAR/forms.json", count: 6) as [(String, String)])
  func `a form's body is what was sent`(postData: String, body: String) throws {
    let interaction = try importing(
      method: "POST",
      request: #""postData": {"mimeType": "application/x-www-form-urlencoded", \#(postData)}"#
    ).interaction
    expectEqual(interaction?.request.body.text, body)
  }

  @Test func `what does not travel by HTTP is left out and named`() throws {
    let result = try HARImport(
      har(
        entry("data:text/plain,hello"),
        entry("api.example.test:443", method: "CONNECT"),
        entry("http://api.example.test:443", method: "CONNECT"),
        entry(response: #""status": 42"#)
      ),
      source: "a.har"
    )
    expectEqual(result.cassette, Cassette())
    expectEqual(
      result.warnings,
      [
        "log.entries[0]: its URL (data…) is not an HTTP URL; the entry is omitted.",
        "log.entries[1]: its URL (api…) is not an HTTP URL; the entry is omitted.",
        "log.entries[2], CONNECT http://api.example.test:443/: a tunnel has no data about its "
          + "content; the entry is omitted.",
        "log.entries[3], GET https://api.example.test/a: 42 is not an HTTP status; the entry is "
          + "omitted.",
      ]
    )
  }
}
