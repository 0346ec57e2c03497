import TestSupport

@testable import WindTunnel

/// Error texts that repeat the secret that they are about.
@Suite struct NamedByWordsTests {
  /// `*` stands for a secret that is drawn, and for its pseudonym behind its name.
  private static let drawn = [
    "9f8e7d6c5b4a39281706", "k3Jd8vQ1mZp7Xr2T", "tok-live_A1b2C3d4E5f6", "abcdefgh12345678",
    "550e8400-e29b-41d4-a716-446655440000", "Zm9vYmFyMTIzNDU2Nzg5MA==",
  ]

  @Test(arguments: try DataFiles.redactions("named", count: 21))
  func `a secret that a sentence names is redacted, with any words between`(
    text: String,
    name: String
  ) {
    for secret in Self.drawn {
      let told = text.replacing("*", with: secret)
      let expected = text.replacing("*", with: "REDACTED-\(name)-1")
      expectEqual(keptText(told), expected)
      let json = "{\"error\":{\"message\":\"\(JSON.escaped(told))\"}}"
      let kept = "{\"error\":{\"message\":\"\(JSON.escaped(expected))\"}}"
      expectEqual(keptText(json, "application/json"), kept)
      expectEqual(leaks(in: Body(told)).count, 1, "\(told)")
      expectEqual(leaks(in: Body(expected)), [])
    }
  }

  @Test(arguments: [
    ("loginToken 'x7k2' not accepted", "loginToken 'REDACTED-logintoken-1' not accepted"),
    ("apiKey \"ab12\" is unknown", "apiKey \"REDACTED-apikey-1\" is unknown"),
    ("token 'k3Jd8vQ1' expired", "token 'REDACTED-token-1' expired"),
    ("secret `k3Jd8` does not fit", "secret `REDACTED-secret-1` does not fit"),
  ])
  func `in quotation marks right behind its name a short one goes, too`(
    text: String,
    expected: String
  ) {
    expectEqual(keptText(text), expected)
    expectEqual(leaks(in: Body(text)).count, 1)
  }

  @Test(arguments: try DataFiles.redactions("unnamed", count: 36))
  func `a sentence that tells none stays to the byte`(text: String, kept: String) {
    expectEqual(keptText(text), kept)
    expectEqual(leaks(in: Body(text)), [])
    let json = "{\"message\":\"\(JSON.escaped(text))\"}"
    expectEqual(keptText(json, "application/json"), json)
  }

  @Test func `a name of one's own names in sentences, too`() {
    let rules = RedactionRules(names: ["floorCode"])
    let kept = keptText("floorCode 9f8e7d6c5b4a39281706 is wrong", by: rules)
    expectEqual(kept, "floorCode REDACTED-floorcode-1 is wrong")
  }

  @Test func `a script is no sentence`() {
    let script = "let token = await k3Jd8vQ1mZp7Xr2T0 ; return token k3Jd8vQ1mZp7Xr2T0 ;"
    expectEqual(keptText(script, "text/javascript"), script)
  }
}
