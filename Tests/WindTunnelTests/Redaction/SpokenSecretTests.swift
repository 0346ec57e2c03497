import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelLink
@testable import WindTunnelRedaction

/// Secrets that a sentence tells, that other spellings hide and that other labels name.
@Suite struct SpokenSecretTests {
  private static func kept(_ body: Body, _ type: String, _ leftOut: inout [String]) -> Body? {
    var redaction = Redaction(continuing: [])
    let response = Response(headers: ["Content-Type": type], body: body)
    let kept = redaction.redact([Interaction(Request("GET", "/"), response)])
    leftOut = redaction.leftOut
    return kept.first?.response?.body
  }

  private static func kept(_ text: String, _ type: String = "text/plain") -> String? {
    var leftOut: [String] = []
    return kept(Body(text), type, &leftOut)?.text
  }

  private static func expected(_ text: String) -> String { text.replacing("*", with: "REDACTED-") }

  @Test(arguments: [
    ("Your password is hunter2-long", "Your password is *password-1"),
    ("Your password is hunter2-long.", "Your password is *password-1."),
    ("The password for Ada is now: hunter2!", "The password for Ada is now: *password-1!"),
    ("Password was reset to \"hunter2x\" today", "Password was reset to \"*password-1\" today"),
    ("your new password has been set to ab#cd", "your new password has been set to *password-1"),
    ("Password is correctHorse", "Password is *password-1"),
    ("your PIN is 4711, keep it", "your PIN is *pin-1, keep it"),
    ("Your verification code is: 123456.", "Your verification code is: *code-1."),
    ("your one-time code is AB-12CD", "your one-time code is *code-1"),
    ("The access token is abcd1234efgh", "The access token is *token-1"),
    ("API key is k9x8w7v6 now", "API key is *key-1 now"),
    ("password: hunter2-long", "password: *password-1"),
    ("Your\npassword is\nhunter2-long\n", "Your\npassword is\n*password-1\n"),
  ])
  func `what a sentence tells goes`(text: String, expected: String) {
    expectEqual(Self.kept(text), Self.expected(expected))
    let json = "{\"message\":\"\(JSON.escaped(text))\"}"
    let expectedJSON = "{\"message\":\"\(JSON.escaped(Self.expected(expected)))\"}"
    expectEqual(Self.kept(json, "application/json"), expectedJSON)
    expectEqual(
      CassetteLint(Cassette([.init(Request("GET", "/"), .text(Body(text)))])).leaks.count,
      1
    )
  }

  @Test func `what a page tells goes`() {
    expectEqual(
      Self.kept("<p>Your password is <b>hunter2-long</b>.</p>", "text/html"),
      Self.expected("<p>Your password is <b>*password-1</b>.</p>")
    )
  }

  @Test(arguments: [
    "Your password is too short", "The password is required.", "Password is 8 characters or more",
    "Your password is base64 encoded", "the token is RS256-signed", "password is SHA-256 hashed",
    "The password is 1024 bytes long", "A password is an 8-character word", "the PIN is wrong",
    "The status code is 404", "error code is E1234", "The primary key is user_id7",
    "Your password is $PASSWORD", "the password is {{password}}", "The password is <password>",
    "the token is expired", "The secret is to begin", "password is not set to expire in 2026",
    "The token is 12345678", "Your password was changed on 2026-11-21",
  ])
  func `what a sentence says about a secret stays`(text: String) {
    expectEqual(Self.kept(text), text)
    expectEqual(CassetteLint(Cassette([.init(Request("GET", "/"), .text(Body(text)))])).leaks, [])
  }

  @Test func `JSON in hexadecimal digits is looked into and spelled again`() {
    func digits(_ text: String) -> String {
      text.utf8.map { String(UInt16($0) + 0x100, radix: 16).suffix(2) }.joined()
    }
    let inner = "{\"password\":\"hunter22\",\"user\":\"ada\"}"
    let replaced = "{\"password\":\"REDACTED-password-1\",\"user\":\"ada\"}"
    expectEqual(Self.kept("{\"blob\":\"\(digits(inner))\"}"), "{\"blob\":\"\(digits(replaced))\"}")
    expectEqual(
      Self.kept("blob=\(digits(inner).uppercased())"),
      "blob=\(digits(replaced).uppercased())"
    )
    let digest = String(repeating: "0123456789abcdef", count: 4)
    expectEqual(Self.kept("{\"digest\":\"\(digest)\"}"), "{\"digest\":\"\(digest)\"}")
  }

  @Test func `JSON in base64 of either alphabet is looked into and spelled again`() {
    let inner = "{\"password\":\"hunter22\",\"user\":\"ada>>>???\"}"
    let replaced = "{\"password\":\"REDACTED-password-1\",\"user\":\"ada>>>???\"}"
    func base64(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    expectEqual(Self.kept("{\"blob\":\"\(base64(inner))\"}"), "{\"blob\":\"\(base64(replaced))\"}")
  }

  @Test func `what is replaced within hexadecimal digits matches what is asked again`() throws {
    let digits = "{\"password\":\"hunter22\"}".utf8.map {
      String(UInt16($0) + 0x100, radix: 16).suffix(2)
    }.joined()
    let request = Request("POST", "/a", body: Body("{\"blob\":\"\(digits)\"}"))
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([Interaction(request, .text(Body("yes")))])
    #expect(kept.first?.request.body != request.body)
    var matcher = Matcher.url
    matcher.body = BodyRule(.byType)
    let deck = Deck(Cassette(kept), matcher: matcher)
    _ = deck.decide(request)
    expectEqual(deck.journal.all.last?.take, .recording(0))
  }

  @Test(arguments: [
    ("{\"id\":\"token\",\"content\":\"abc123\"}", "{\"id\":\"token\",\"content\":\"*token-1\"}"),
    (
      "{\"label\":\"Password\",\"text\":\"hunter22\"}",
      "{\"label\":\"Password\",\"text\":\"*password-1\"}"
    ),
    ("{\"field\":\"apiKey\",\"val\":\"hunter\"}", "{\"field\":\"apiKey\",\"val\":\"*apikey-1\"}"),
    (
      "{\"type\":\"password\",\"value\":\"hunter\"}",
      "{\"type\":\"password\",\"value\":\"*password-1\"}"
    ),
    ("{\"name\":\"token\",\"value\":\"abc1\"}", "{\"name\":\"token\",\"value\":\"*token-1\"}"),
  ])
  func `a pair of name and value goes by any labels`(text: String, expected: String) {
    expectEqual(Self.kept(text, "application/json"), Self.expected(expected))
  }

  @Test(arguments: [
    "{\"id\":\"password\",\"text\":\"Password\"}", "{\"id\":\"session\",\"content\":\"Keynote\"}",
    "{\"field\":\"password\",\"text\":\"is too short\"}", "{\"type\":\"token\",\"value\":\"foo\"}",
    "{\"id\":\"7\",\"content\":\"abc123\"}", "{\"sessionKey\":\"cart\"}", "{\"accessKey\":\"s\"}",
  ])
  func `a label, a message and a key of a store stay`(text: String) {
    expectEqual(Self.kept(text, "application/json"), text)
    let lint = CassetteLint(Cassette([.init(Request("GET", "/"), .text(Body(text)))]))
    expectEqual(lint.leaks, [])
  }

  @Test func `a key of a session that was drawn by lot goes`() {
    expectEqual(
      Self.kept("{\"sessionKey\":\"k3Jd8\"}", "application/json"),
      Self.expected("{\"sessionKey\":\"*sessionkey-1\"}")
    )
  }

  @Test func `a text with a zero in it loses its secret and nothing else`() {
    expectEqual(
      Self.kept("a\0b\npassword=hunter22\n", "text/plain"),
      Self.expected("a\0b\npassword=*password-1\n")
    )
  }

  @Test func `binary content with a secret in it is left out by name`() {
    var leftOut: [String] = []
    let bytes = Body(Data([0, 1, 2] + Array("password=hunter22".utf8) + [0, 0xFF]))
    expectNil(Self.kept(bytes, "application/octet-stream", &leftOut))
    expectEqual(leftOut, ["GET /: a body that is no text holds a credential"])
    let lint = CassetteLint(Cassette([.init(Request("GET", "/"), .text(bytes))]))
    expectEqual(lint.leaks.map(\.kind), ["password"])
  }

  @Test(arguments: ["application/octet-stream", "image/png", "application/wasm"])
  func `binary content without one stays`(type: String) {
    var leftOut: [String] = []
    let bytes = Body(
      Data([0, 1, 2] + Array("password=%s token=abcdefgh123 a picture".utf8) + [0, 0xFF])
    )
    expectEqual(Self.kept(bytes, type, &leftOut), bytes)
    expectEqual(leftOut, [])
  }
}
