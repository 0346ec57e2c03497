import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelRedaction

/// Error texts that repeat the secret that they are about.
@Suite struct NamedByWordsTests {
  private static func kept(_ text: String, _ type: String = "text/plain") -> String? {
    var redaction = Redaction(continuing: [])
    let response = Response(headers: ["Content-Type": type], body: Body(text))
    return redaction.redact([Interaction(Request("GET", "/"), response)]).first?.response?.body.text
  }

  private static func leaks(_ text: String) -> [CassetteLeak] {
    CassetteLint(Cassette([.init(Request("GET", "/"), .text(Body(text)))])).leaks
  }

  /// `*` stands for a secret that is drawn, and for its pseudonym behind its name.
  private static let drawn = [
    "9f8e7d6c5b4a39281706", "k3Jd8vQ1mZp7Xr2T", "tok-live_A1b2C3d4E5f6", "abcdefgh12345678",
    "550e8400-e29b-41d4-a716-446655440000", "Zm9vYmFyMTIzNDU2Nzg5MA==",
  ]

  @Test(arguments: [
    ("Incorrect API key provided: *.", "key"), ("The API key * is invalid", "key"),
    ("token * expired", "token"), ("loginToken '*' not accepted", "logintoken"),
    ("Invalid access token *", "token"), ("refresh_token * was revoked", "refresh-token"),
    ("Could not verify signature *", "signature"), ("No session with id *", "session"),
    ("Session ID * is unknown", "id"), ("Invalid credentials provided: *", "credentials"),
    ("client secret \"*\" is wrong", "secret"),
    ("The client_secret * does not match", "client-secret"),
    ("You sent the token (*) twice", "token"), ("Token `*` has been used already", "token"),
    ("The API key you sent, *, is unknown", "key"),
    ("authorization code * has expired", "code"), ("the key you gave: API key “*”", "key"),
    ("api-key * rejected", "api-key"), ("Password * rejected!", "password"),
    ("We got secret <*>", "secret"), ("error\ntoken\n*\n", "token"),
  ])
  func `what a sentence names goes, whatever stands between`(text: String, name: String) {
    for secret in Self.drawn {
      let told = text.replacing("*", with: secret)
      let expected = text.replacing("*", with: "REDACTED-\(name)-1")
      expectEqual(Self.kept(told), expected)
      let json = "{\"error\":{\"message\":\"\(JSON.escaped(told))\"}}"
      let kept = "{\"error\":{\"message\":\"\(JSON.escaped(expected))\"}}"
      expectEqual(Self.kept(json, "application/json"), kept)
      expectEqual(Self.leaks(told).count, 1, "\(told)")
      expectEqual(Self.leaks(expected), [])
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
    expectEqual(Self.kept(text), expected)
    expectEqual(Self.leaks(text).count, 1)
  }

  @Test(arguments: [
    "Unexpected token < in JSON at position 0", "Unexpected token 'export'",
    "Unexpected token 'x1y2z3w4' in line 7", "Unexpected token `a1`",
    "token 'user_id7' is new here",
    "The token endpoint is /oauth2/v1/authorize",
    "The token endpoint /oauth2/v1/authorize123456 is",
    "Invalid token. Request 8f3a9c2e1b7d4f60a1b2 failed",
    "Invalid token, request 8f3a9c2e1b7d4f60a1b2",
    "bad session; trace 4bf92f3577b34da6a3ce929d0e0e4736",
    "token expired for user 507f1f77bcf86cd799439011",
    "the token of client 507f1f77bcf86cd799439011",
    "The password must contain 16 characters",
    "session opened by trace 4bf92f3577b34da6a3ce929d0e0e4736",
    "Use the API key from https://example.test/keys/a1b2c3d4e5f6a7b8c9",
    "primary key 507f1f77bcf86cd799439011 not found", "object key 507f1f77bcf86cd799439011",
    "The status code 507f1f77bcf86cd799439011 is none",
    "Commit 9f8e7d6c5b4a39281706 adds a token", "The token bucket-refill-interval-v2 is full",
    "signature algorithm rsa-pss-rsae-sha256 is not supported",
    "The token type urn:ietf:params:oauth:token-type:jwt is unknown",
    "secret arn:aws:secretsmanager:eu-west-1:123456789012:secret:a is locked",
    "token com.example.app2.session.store", "session recorded at 2026-11-21T10:00:00Z",
    "session 2026-11-21-recording-1 was cut", "the token count 1234567890123456",
    "token createHash256Function2 is no function", "A password of 16 or more letters",
    "The pin 9f8e7d6c5b4a39281706 of the map", "please sign 9f8e7d6c5b4a39281706 here",
    "token REDACTED-token-1 expired",
    "token {{access_token_2026_11_21}} expired", "session storage key user_preferences_v2_2026",
    "Two tokens 9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706 is a token",
  ])
  func `a sentence that tells none stays to the byte`(text: String) {
    expectEqual(Self.kept(text), text)
    expectEqual(Self.leaks(text), [])
    let json = "{\"message\":\"\(JSON.escaped(text))\"}"
    expectEqual(Self.kept(json, "application/json"), json)
  }

  @Test func `a name of one's own names in sentences, too`() {
    var redaction = Redaction(continuing: [], rules: RedactionRules(names: ["floorCode"]))
    let body = Body("floorCode 9f8e7d6c5b4a39281706 is wrong")
    let kept = redaction.redact([Interaction(Request("GET", "/"), .text(body))])
    expectEqual(kept.first?.response?.body.text, "floorCode REDACTED-floorcode-1 is wrong")
  }

  @Test func `a script is no sentence`() {
    let script = "let token = await k3Jd8vQ1mZp7Xr2T0 ; return token k3Jd8vQ1mZp7Xr2T0 ;"
    expectEqual(Self.kept(script, "text/javascript"), script)
  }
}
