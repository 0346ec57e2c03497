import TestSupport

@testable import WindTunnel

@Suite struct WordSecretTests {
  @Test func `a credential that is a word is kept neither as the whole of a value nor in prose`() {
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([
      Interaction(
        Request("GET", "https://a.test/", headers: ["Authorization": "Bearer pass-phrase"]),
        Response(
          headers: ["X-Seen": "pass-phrase", "Content-Type": "application/json"],
          body: Body(#"{"seen":["pass-phrase"],"hint":"Choose a pass-phrase."}"#)
        )
      )
    ])
    let stand = "REDACTED-authorization-1"
    expectEqual(kept.first?.request.headers["Authorization"], "Bearer \(stand)")
    expectEqual(kept.first?.response?.headers["X-Seen"], stand)
    expectEqual(
      kept.first?.response?.body.text,
      #"{"seen":["\#(stand)"],"hint":"Choose a \#(stand)."}"#
    )
  }

  @Test func `what is kept is not redacted again, and lint finds nothing in it`() throws {
    var redaction = Redaction(continuing: [])
    let text = "You said ab12, hunt and pass-phrase."
    let kept = redaction.redact(
      ["ab12", "hunt", "pass-phrase"].map {
        Interaction(
          Request("GET", "/login", headers: ["Authorization": "Bearer \($0)"]),
          Response(body: Body(text))
        )
      }
    )
    var again = Redaction(continuing: [])
    expectEqual(again.redact(kept), kept)
    expectEqual(CassetteLint(Cassette(kept)).leaks, [])
    #expect(!String(decoding: Cassette(kept).data(), as: UTF8.self).contains("ab12"))
  }
}
