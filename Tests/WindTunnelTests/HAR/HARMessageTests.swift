import TestSupport
import WindTunnelHAR
import WindTunnelSymptoms

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

  @Test func `fields that were handed out undecoded are not encoded twice`() throws {
    let interaction = try importing(
      method: "POST",
      request: """
        "bodySize": 5, "postData": {"mimeType": "application/x-www-form-urlencoded",
          "params": [{"name": "a", "value": "%20"}]}
        """
    ).interaction
    expectEqual(interaction?.request.body.text, "a=%20")
  }

  @Test func `a form of parts is put together with the boundary it announced`() throws {
    let result = try importing(
      method: "POST",
      request: """
        "postData": {"mimeType": "multipart/form-data; boundary=xx", "params": [
          {"name": "a", "value": "1"},
          {"name": "f", "fileName": "a.txt", "contentType": "text/plain"}]}
        """
    )
    let text =
      "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
      + "--xx\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n"
      + "Content-Type: text/plain\r\n\r\n\r\n--xx--\r\n"
    expectEqual(result.cassette.interactions.first?.request.body.text, text)
    expectEqual(
      result.warnings,
      [
        "log.entries[0], POST https://api.example.test/a: the form was built from its fields; 1 "
          + "files in it are empty."
      ]
    )
  }

  @Test func `a body that is still packed keeps the name of its packing`() throws {
    let packed = "H4sIAAAAAAACA8tIzcnJ11EoSEzOTk1RKM8vykkBAEjvLswTAAAA"
    let interaction = try importing(
      response: """
        "status": 200, "headers": [{"name": "Content-Encoding", "value": "gzip"},
          {"name": "Transfer-Encoding", "value": "chunked"}],
        "content": {"size": 9, "encoding": "base64", "text": "\(packed)"}
        """
    ).interaction
    let response = try #require(interaction?.response)
    expectEqual(response.headers, ["Content-Encoding": "gzip", "Content-Length": "39"])
    expectEqual(response.body.data.prefix(2), Data([0x1F, 0x8B]))
  }

  @Test func `answers without content keep the length of what they stand for`() throws {
    func answer(_ method: String, _ status: Int) throws -> Response? {
      try importing(
        method: method,
        response: """
          "status": \(status), "headers": [{"name": "Content-Length", "value": "78258"},
            {"name": "Transfer-Encoding", "value": "chunked"}], "content": {"size": 78258}
          """
      ).interaction?.response
    }
    try expectEqual(answer("HEAD", 200), Response(headers: ["Content-Length": "78258"]))
    try expectEqual(answer("GET", 304), Response(status: 304, headers: ["Content-Length": "78258"]))
    try expectEqual(answer("GET", 204), Response(status: 204))
    try expectEqual(answer("GET", 200), Response(headers: ["Content-Length": "0"]))
  }

  @Test func `a charset that cannot be written becomes UTF-8, and the warning says so`() throws {
    let result = try importing(
      response: """
        "status": 200,
        "headers": [{"name": "Content-Type", "value": "text/plain; charset=Shift_JIS; a=b"}],
        "content": {"size": 3, "text": "\u{65E5}"}
        """
    )
    expectEqual(
      result.cassette.interactions.first?.response,
      Response(headers: ["Content-Type": "text/plain; charset=utf-8; a=b"], body: Body("\u{65E5}"))
    )
    expectEqual(
      result.warnings,
      [
        "log.entries[0], GET https://api.example.test/a: the text cannot be written in shift_jis; "
          + "its charset becomes utf-8."
      ]
    )
  }

  @Test func `a value with line feeds is several fields and never a forged one`() throws {
    let interaction = try importing(
      response: """
        "status": 200, "headers": [{"name": "Warning", "value": "one\\ntwo\\r\\n\\u0000X: 3"},
          {"name": "Bad Name", "value": "1"}], "content": {"size": 0}
        """
    ).interaction
    expectEqual(
      interaction?.response?.headers,
      ["Warning": "one", "Warning": "two", "Warning": "X: 3"]
    )
  }

  @Test func `braces in a recorded path are no template`() throws {
    let interaction = try imported(entry("https://api.example.test/{id} x?q={a}"))
    expectEqual(interaction?.request.url, "https://api.example.test/%7Bid%7D%20x?q={a}")
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

  @Test(arguments: [
    ("net::ERR_CONNECTION_REFUSED", Symptom.connectionRefused),
    ("net::ERR_CONNECTION_TIMED_OUT", .timedOut),
    ("net::ERR_CONNECTION_RESET", .connectionLost),
    ("net::ERR_EMPTY_RESPONSE", .emptyAnswer),
    ("net::ERR_CERT_AUTHORITY_INVALID", .serverCertificateHasUnknownRoot),
    ("net::ERR_CERT_COMMON_NAME_INVALID", .serverCertificateUntrusted),
    ("[Errno 111] Connect call failed ('192.0.2.1', 80)", .connectionRefused),
    ("[Errno -2] Name or service not known", .hostNotFound),
    ("something else", .unknown),
  ])
  func `a failure's text has a symptom`(text: String, symptom: Symptom) throws {
    let interaction = try imported(entry(response: #""status": 0, "_failureText": "\#(text)""#))
    expectEqual(interaction?.result, .failure(Failure(symptom, text: text)))
  }
}
