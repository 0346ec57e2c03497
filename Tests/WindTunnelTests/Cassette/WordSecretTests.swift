import Testing

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
    #expect(kept.first?.request.headers["Authorization"] == "Bearer \(stand)")
    #expect(kept.first?.response?.headers["X-Seen"] == stand)
    #expect(
      kept.first?.response?.body.text
        == #"{"seen":["\#(stand)"],"hint":"Choose a \#(stand)."}"#
    )
  }
}
