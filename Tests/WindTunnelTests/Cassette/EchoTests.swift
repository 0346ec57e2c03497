import TestSupport

@testable import WindTunnel

@Suite struct EchoTests {
  static let secret = "tok-SECRET-12345"

  private func recorded(_ response: Response, _ request: Request? = nil) -> (
    cassette: Cassette, leftOut: [String], text: String
  ) {
    let login = Request(
      "GET",
      "https://ada:love-lace@api.example.com/login",
      headers: ["Authorization": "Bearer \(Self.secret)", "Cookie": "sid=cookie/value"]
    )
    var redaction = Redaction(continuing: [])
    // The echo stands in front of the request that tells the secret.
    let kept = redaction.redact([
      Interaction(request ?? Request("GET", "https://api.example.com/echo"), response),
      Interaction(login, .text(Body("welcome"))),
    ])
    let text = String(decoding: Cassette(kept).data(), as: UTF8.self)
    return (Cassette(kept), redaction.leftOut, text)
  }

  static let base64 = Data(secret.utf8).base64EncodedString()

  @Test(arguments: [
    "{\"token\":\"\(secret)\"}", "love-lace", "ada:love-lace", "cookie/value",
    #"["cookie\/value"]"#,
    "cookie%2Fvalue", base64,
  ])
  func `a body that repeats a credential is kept without it`(body: String) {
    let (cassette, leftOut, text) = recorded(Response(body: Body(body)))
    expectEqual(cassette.interactions.map(\.request.url.path), ["/echo", "/login"])
    expectEqual(leftOut, [])
    #expect(!text.contains(body))
    expectEqual(cassette.interactions[0].response?.body.text?.isEmpty, false)
  }

  @Test func `binary content that repeats a credential is left out and named`() {
    let body = Body(Data([0, 1, 2]) + Data(Self.secret.utf8))
    let (cassette, leftOut, _) = recorded(Response(body: body))
    expectEqual(cassette.interactions.map(\.request.url.path), ["/login"])
    expectEqual(leftOut, ["GET https://api.example.com/echo: a body repeats a credential"])
  }

  @Test func `a packed body that repeats a credential is kept opened`() throws {
    let body = try #require(Data(base64Encoded: Self.gzipped))
    for coding in ["gzip", "X-GZIP"] {
      let headers: HeaderFields = [
        "Content-Encoding": coding, "Content-Length": "\(body.count)", "Content-MD5": "of the body",
      ]
      let (cassette, leftOut, _) = recorded(Response(headers: headers, body: Body(body)))
      let text = #"{"token":"REDACTED-token-1"}"#
      expectEqual(leftOut, [])
      expectEqual(
        cassette.interactions[0].response,
        Response(headers: ["Content-Length": "\(text.utf8.count)"], body: Body(text))
      )
    }
  }

  // {"token":"tok-SECRET-12345"}, and {"ok":true}.
  static let gzipped = "H4sIAAAAAAACA6tWKsnPTs1TsgLRusGuzkGuIbqGRsYmpkq1AFcCEPscAAAA"
  static let gzippedHarmless = "H4sIAAAAAAACA6tWys9WsiopKk2tBQCQX9SnCwAAAA=="

  @Test(arguments: [
    (
      "H4sIAAAAAAACA6tWys9W", ["gzip"], "a body in gzip cannot be decoded to search for credentials"
    ),
    (gzipped, ["br"], "a body in br cannot be decoded to search for credentials"),
    (gzipped, ["gzip", "br"], "a body in gzip, br cannot be decoded to search for credentials"),
  ])
  func `an encoded body that cannot be opened is left out and named`(
    base64: String,
    codings: [String],
    reason: String
  ) throws {
    let body = try #require(Data(base64Encoded: base64))
    let headers = HeaderFields(codings.map { HeaderField("Content-Encoding", $0) })
    let (cassette, leftOut, _) = recorded(Response(headers: headers, body: Body(body)))
    expectEqual(cassette.interactions.count, 1)
    expectEqual(leftOut, ["GET https://api.example.com/echo: \(reason)"])
  }

  @Test func `a harmless encoded body is kept as it came`() throws {
    let body = Body(try #require(Data(base64Encoded: Self.gzippedHarmless)))
    let response = Response(headers: ["Content-Encoding": "gzip"], body: body)
    expectEqual(recorded(response).cassette.interactions[0].response, response)
  }

  @Test(arguments: [
    ("gzip", gzippedHarmless), ("deflate", "y0jNyclXyECQAA=="),
    ("deflate", "eJzLSM3JyVfIQJAAOi4GfQ=="),
  ])
  func `gzip and both forms of deflate are decompressed`(coding: String, base64: String) throws {
    let opened = Inflate.open(try #require(Data(base64Encoded: base64)), coding: coding)
    expectEqual(opened, Data((coding == "gzip" ? "{\"ok\":true}" : "hello hello hello").utf8))
  }

  @Test func `no spelling of a secret is in what is written`() {
    let (cassette, leftOut, text) = recorded(
      Response(
        status: 302,
        headers: [
          "Location": "/?t=\(Self.secret)", "X-Echo": Self.base64, "Set-Cookie": "s=\(Self.secret)",
        ]
      ),
      Request("GET", "https://api.example.com/a?t=1", headers: ["X-Token": Self.secret])
    )
    expectEqual(cassette.interactions.count, 2)
    expectEqual(leftOut, [])
    let secrets = [Self.secret, "love-lace", "ada:", "cookie/value"]
    for secret in secrets.flatMap({ [$0, Data($0.utf8).base64EncodedString()] }) {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(text.contains("/?t=REDACTED-"))
  }

  @Test func `an address that repeats a credential is kept without it`() {
    let (cassette, leftOut, _) = recorded(
      .text(Body("x")),
      Request("GET", RequestURL("https://api.example.com/of/love%2Dlace/a?t=\(Self.secret)"))
    )
    expectEqual(leftOut, [])
    expectEqual(
      cassette.interactions[0].request.url,
      "https://api.example.com/of/REDACTED-password-1/a?t=REDACTED-authorization-1"
    )
  }

  @Test func `a host that repeats a credential is left out and named`() {
    let url = RequestURL("https://\(Self.secret.lowercased()).example.com/")
    let long = Request("GET", url, headers: ["X-Api-Key": Self.secret.lowercased()])
    let (cassette, leftOut, _) = recorded(.text(Body("x")), long)
    expectEqual(cassette.interactions.count, 1)
    expectEqual(leftOut.count, 1)
    expectEqual(leftOut.first?.hasSuffix("/: its host repeats a credential"), true)
    expectEqual(leftOut.first?.contains(Self.secret.lowercased()), false)
  }

  @Test func `a message of a WebSocket that repeats a credential is kept without it`() {
    var interaction = Interaction(
      Request("GET", "/ws", headers: ["Authorization": Self.secret]),
      Response(status: 101)
    )
    interaction.messages = [
      WebSocketMessage(from: .client, Body("auth \(Self.secret)"), isText: true, offset: .zero)
    ]
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([interaction])
    expectEqual(kept.first?.messages.first?.body.text, "auth REDACTED-authorization-1")
    interaction.messages[0].body = Body(Data([0]) + Data(Self.secret.utf8))
    let terminated = redaction.redact([interaction]).first?.messages.first?.body.text
    expectEqual(terminated, "\0REDACTED-authorization-1")
    // Lengths may stand before it that nobody knows.
    interaction.messages[0] = WebSocketMessage(
      from: .client,
      Body(Data([0xFF, 0]) + Data(Self.secret.utf8)),
      isText: false,
      offset: .zero
    )
    expectEqual(redaction.redact([interaction]), [])
    expectEqual(redaction.leftOut, ["GET /ws: a WebSocket message repeats a credential"])
  }
}
