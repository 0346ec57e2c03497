import TestSupport

@testable import WindTunnel

/// Values under a secret's name that are none.
@Suite struct HarmlessNamesTests {
  /// A table of texts, the number of its rows and their type.
  @Test(arguments: [
    ("harmless", 24, "application/json"), ("unlabelled", 7, "application/json"),
    ("untold", 38, "text/plain"),
  ])
  func `it stays, and lint says nothing`(table: String, count: Int, type: String) throws {
    for (text, kept) in try DataFiles.redactions(table, count: count) {
      expectEqual(keptText(text, type), kept)
      expectEqual(leaks(in: Body(text)), [])
    }
  }

  @Test func `a code that is exchanged for a token goes, and no other`() {
    let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
    for (query, expected) in [
      (
        "grant_type=authorization_code&code=abc1",
        "grant_type=authorization_code&code=REDACTED-code-1"
      ),
      ("code=abcdefgh1&state=x", "code=REDACTED-code-1&state=x"),
      ("code=CA&state=US", "code=CA&state=US"),
      ("code=abcdefgh1", "code=abcdefgh1"), ("code=404&error=x", "code=404&error=x"),
    ] {
      let request = Request("POST", "/", headers: form, body: Body(query))
      expectEqual(SplicedValueTests.kept([request]).first?.body.text, expected)
    }
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact(
      ["/cb?code=abcdefgh1", "/error?code=404"].map {
        Interaction(Request("GET", "/"), Response(status: 302, headers: ["Location": $0]))
      }
    )
    expectEqual(
      kept.map { $0.response?.headers["Location"] },
      [
        "/cb?code=REDACTED-code-1", "/error?code=404",
      ]
    )
  }

  @Test func `fields of credentials by other names go`() {
    let request = Request(
      "GET",
      "/",
      headers: ["Authentication": "Bearer abc1", "Cookie2": "sid=abc2", "X-Title": "abc"]
    )
    expectEqual(
      SplicedValueTests.kept([request]).first?.headers,
      [
        "Authentication": "Bearer REDACTED-authentication-1", "Cookie2": "sid=REDACTED-sid-1",
        "X-Title": "abc",
      ]
    )
  }

  @Test func `a part with a file's name under a secret's name goes where it is a word`() {
    func text(_ secret: String) -> String {
      "--B\r\nContent-Disposition: form-data; filename=\"p; name=x.txt\"; name=\"password\"\r\n\r\n\(secret)\r\n--B--\r\n"
    }
    let request = Request(
      "POST",
      "/",
      headers: ["Content-Type": "multipart/form-data; boundary=B"],
      body: Body(text("abc1"))
    )
    expectEqual(SplicedValueTests.kept([request]).first?.body.text, text("REDACTED-password-1"))
  }
}
