import TestSupport

@testable import WindTunnel

/// Secrets that a sentence tells, that other spellings hide and that other labels name.
@Suite struct SpokenSecretTests {
  private static func expected(_ text: String) -> String { text.replacing("*", with: "REDACTED-") }

  @Test(arguments: try DataFiles.redactions("told", count: 28))
  func `a secret in a sentence is redacted`(text: String, expected: String) {
    expectEqual(keptText(text), Self.expected(expected))
    let json = "{\"message\":\"\(JSON.escaped(text))\"}"
    let expectedJSON = "{\"message\":\"\(JSON.escaped(Self.expected(expected)))\"}"
    expectEqual(keptText(json, "application/json"), expectedJSON)
    expectEqual(leaks(in: Body(text)).count, 1)
  }

  @Test func `a secret in an HTML page is redacted`() {
    expectEqual(
      keptText("<p>Your password is <b>hunter2-long</b>.</p>", "text/html"),
      Self.expected("<p>Your password is <b>*password-1</b>.</p>")
    )
  }

  @Test func `JSON in hexadecimal digits is looked into and spelled again`() {
    func digits(_ text: String) -> String {
      text.utf8.map { String(UInt16($0) + 0x100, radix: 16).suffix(2) }.joined()
    }
    let inner = "{\"password\":\"hunter22\",\"user\":\"ada\"}"
    let replaced = "{\"password\":\"REDACTED-password-1\",\"user\":\"ada\"}"
    expectEqual(keptText("{\"blob\":\"\(digits(inner))\"}"), "{\"blob\":\"\(digits(replaced))\"}")
    expectEqual(
      keptText("blob=\(digits(inner).uppercased())"),
      "blob=\(digits(replaced).uppercased())"
    )
    let digest = String(repeating: "0123456789abcdef", count: 4)
    expectEqual(keptText("{\"digest\":\"\(digest)\"}"), "{\"digest\":\"\(digest)\"}")
  }

  @Test func `JSON in base64 of either alphabet is looked into and spelled again`() {
    let inner = "{\"password\":\"hunter22\",\"user\":\"ada>>>???\"}"
    let replaced = "{\"password\":\"REDACTED-password-1\",\"user\":\"ada>>>???\"}"
    func base64(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    expectEqual(keptText("{\"blob\":\"\(base64(inner))\"}"), "{\"blob\":\"\(base64(replaced))\"}")
  }

  @Test func `what is replaced within hexadecimal digits matches what is asked again`() throws {
    let digits = "{\"password\":\"hunter22\"}".utf8.map {
      String(UInt16($0) + 0x100, radix: 16).suffix(2)
    }.joined()
    let request = Request("POST", "/a", body: Body("{\"blob\":\"\(digits)\"}"))
    let kept = redacted(Interaction(request, .text(Body("yes"))))
    #expect(kept.first?.request.body != request.body)
    var matcher = Matcher.url
    matcher.body = BodyRule(.byType)
    let deck = Deck(Cassette(kept), matcher: matcher)
    _ = deck.decide(request)
    expectEqual(deck.journal.all.last?.take, .recording(0))
  }

  @Test func `a key of a session that was drawn by lot goes`() {
    expectEqual(
      keptText("{\"sessionKey\":\"k3Jd8\"}", "application/json"),
      Self.expected("{\"sessionKey\":\"*sessionkey-1\"}")
    )
  }

  @Test func `a text with a zero in it loses its secret and nothing else`() {
    expectEqual(
      keptText("a\0b\npassword=hunter22\n", "text/plain"),
      Self.expected("a\0b\npassword=*password-1\n")
    )
  }

  @Test func `binary content with a secret in it is left out by name`() {
    let bytes = Body(Data([0, 1, 2] + Array("password=hunter22".utf8) + [0, 0xFF]))
    let kept = keptBody(bytes, "application/octet-stream")
    expectNil(kept.body)
    expectEqual(kept.leftOut, ["GET /: a body that is not text has a credential"])
    expectEqual(leaks(in: bytes).map(\.kind), ["password"])
  }

  @Test(arguments: ["application/octet-stream", "image/png", "application/wasm"])
  func `binary content without one stays`(type: String) {
    let bytes = Body(
      Data([0, 1, 2] + Array("password=%s token=abcdefgh123 a picture".utf8) + [0, 0xFF])
    )
    let kept = keptBody(bytes, type)
    expectEqual(kept.body, bytes)
    expectEqual(kept.leftOut, [])
  }
}
