import Foundation
import Symptoms
import Testing

@testable import WindTunnel

@Suite struct RedactionTests {
  private func redacted(
    _ headers: HeaderFields,
    answered: HeaderFields = [:],
    url: RequestURL = "https://api.example.com/"
  ) -> Interaction {
    var redaction = Redaction(continuing: [])
    return redaction.redact([
      Interaction(Request("GET", url, headers: headers), Response(headers: answered))
    ])[0]
  }

  @Test(arguments: [
    ("Authorization", "Bearer abc.def-ghi", "Bearer REDACTED-authorization-1"),
    ("Authorization", "opaque-token", "REDACTED-authorization-1"),
    (
      "AUTHORIZATION", "Digest username=\"u\", response=\"6629\"", "Digest REDACTED-authorization-1"
    ),
    ("Proxy-Authorization", "Basic dTpw", "Basic REDACTED-proxy-authorization-1"),
    ("Cookie", "sid=abc; theme=dark", "sid=REDACTED-sid-1; theme=REDACTED-theme-1"),
    ("Cookie", "sid=a=b==", "sid=REDACTED-sid-1"),
    ("Cookie", "nameless", "REDACTED-cookie-1"),
    ("cookie", "sid=\"quoted value\";", "sid=REDACTED-sid-1"),
    ("Accept", "text/html", "text/html"),
    ("Referer", "https://u:p@a.example/x", "https://REDACTED-userinfo-1@a.example/x"),
    ("Referer", "https://u:p@ss@a.example/x@y", "https://REDACTED-userinfo-1@a.example/x@y"),
  ])
  func `a request's credentials are replaced`(name: String, value: String, expected: String) {
    #expect(redacted([name: value]).request.headers == [name: expected])
  }

  @Test(arguments: [
    (
      "sid=abc; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT; HttpOnly; SameSite=Lax",
      "sid=REDACTED-sid-1; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT; HttpOnly; SameSite=Lax"
    ),
    (
      "a=secret1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=secret2; Path=/, c=",
      "a=REDACTED-a-1; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=REDACTED-b-1; Path=/, c="
    ),
    ("sid=", "sid="), ("", ""), (";", ";"),
  ])
  func `a cookie that is set keeps its attributes`(value: String, expected: String) {
    #expect(
      redacted([:], answered: ["Set-Cookie": value]).response?.headers["Set-Cookie"] == expected
    )
  }

  @Test func `what leads into a URL is taken out of URL, Location and failure`() {
    var redaction = Redaction(continuing: [])
    let request = Request("GET", "https://ada:lovelace@api.example.com/x")
    let kept = redaction.redact([
      Interaction(
        request,
        Response(status: 302, headers: ["Location": "https://ada:lovelace@b.example/"])
      ),
      Interaction(
        request,
        .failure(Failure(.timedOut, text: "No answer from https://ada:lovelace@api.example.com/x."))
      ),
    ])
    #expect(kept[0].request.url == "https://REDACTED-userinfo-1@api.example.com/x")
    #expect(kept[0].response?.headers["Location"] == "https://REDACTED-userinfo-1@b.example/")
    #expect(
      kept[1].failure?.text == "No answer from https://REDACTED-userinfo-1@api.example.com/x."
    )
  }

  @Test func `equal values bear equal ordinals and other ones others`() {
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact(
      ["one-token", "two-token", "one-token"].map {
        Interaction(
          Request("GET", "/", headers: ["Authorization": "Bearer \($0)", "Cookie": "sid=\($0)"]),
          Response(headers: ["Set-Cookie": "sid=\($0)"])
        )
      }
    )
    #expect(
      kept.map { $0.request.headers["Authorization"] } == [
        "Bearer REDACTED-authorization-1", "Bearer REDACTED-authorization-2",
        "Bearer REDACTED-authorization-1",
      ]
    )
    #expect(
      kept.map { $0.response?.headers["Set-Cookie"] } == kept.map { $0.request.headers["Cookie"] }
    )
  }

  @Test func `the ordinals of a cassette go on`() {
    let old = [
      Interaction(
        Request("GET", "/", headers: ["Authorization": "Bearer REDACTED-authorization-3"]),
        Response(headers: ["Set-Cookie": "my-sid=REDACTED-my-sid-2; Path=/"])
      ),
      Interaction(
        Request("GET", "/"),
        .failure(Failure(.timedOut, text: "https://REDACTED-userinfo-4@a.example/"))
      ),
    ]
    var redaction = Redaction(continuing: old)
    let new = redaction.redact([
      Interaction(
        Request(
          "GET",
          "https://u:secret@a.example/",
          headers: ["Authorization": "Bearer new-token", "Cookie": "my-sid=new-cookie"]
        ),
        Response()
      )
    ])
    #expect(
      new[0].request
        == Request(
          "GET",
          "https://REDACTED-userinfo-5@a.example/",
          headers: [
            "Authorization": "Bearer REDACTED-authorization-4",
            "Cookie": "my-sid=REDACTED-my-sid-3",
          ]
        )
    )
  }

  @Test func `what was redacted once is left as it is`() {
    let once = redacted(["Authorization": "Bearer token-1234", "Cookie": "a=secret-5678"])
    var redaction = Redaction(continuing: [once])
    #expect(redaction.redact([once]) == [once])
  }
}

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
  func `a body that repeats a credential is left out and named`(body: String) {
    let (cassette, leftOut, text) = recorded(Response(body: Body(body)))
    #expect(cassette.interactions.map(\.request.url.path) == ["/login"])
    #expect(leftOut == ["GET https://api.example.com/echo: a body repeats a credential"])
    #expect(!text.contains(body))
  }

  // {"token":"tok-SECRET-12345"}, and {"ok":true} with and without it as a second member.
  static let gzipped = "H4sIAAAAAAACA6tWKsnPTs1TsgLRusGuzkGuIbqGRsYmpkq1AFcCEPscAAAA"
  static let gzippedHarmless = "H4sIAAAAAAACA6tWys9WsiopKk2tBQCQX9SnCwAAAA=="
  static let gzippedTwice =
    "H4sIAAAAAAACA6tWys9WsiopKk2tBQCQX9SnCwAAAB+LCAAAAAAAAgOrVirJz07NU7IC0brBrs5BriG6hkbGJqZKtQBXAhD7HAAAAA=="

  @Test(arguments: [
    (gzipped, ["gzip"], "a body repeats a credential"),
    (gzipped, ["X-GZIP"], "a body repeats a credential"),
    (gzippedTwice, ["gzip"], "a body in gzip cannot be opened to look for credentials"),
    (gzipped, ["br"], "a body in br cannot be opened to look for credentials"),
    (
      gzipped, ["identity", "gzip"],
      "a body in identity, gzip cannot be opened to look for credentials"
    ),
  ])
  func `an encoded body is opened, and left out where it cannot be`(
    base64: String,
    codings: [String],
    reason: String
  ) throws {
    let body = try #require(Data(base64Encoded: base64))
    let headers = HeaderFields(codings.map { HeaderField("Content-Encoding", $0) })
    let (cassette, leftOut, _) = recorded(Response(headers: headers, body: Body(body)))
    #expect(cassette.interactions.count == 1)
    #expect(leftOut == ["GET https://api.example.com/echo: \(reason)"])
  }

  @Test func `a harmless encoded body is kept as it came`() throws {
    let body = Body(try #require(Data(base64Encoded: Self.gzippedHarmless)))
    let response = Response(headers: ["Content-Encoding": "gzip"], body: body)
    #expect(recorded(response).cassette.interactions[0].response == response)
  }

  @Test(arguments: [
    ("gzip", gzippedHarmless), ("deflate", "y0jNyclXyECQAA=="),
    ("deflate", "eJzLSM3JyVfIQJAAOi4GfQ=="),
  ])
  func `what zlib packs is opened, whichever deflate it is`(coding: String, base64: String) throws {
    let opened = Inflate.open(try #require(Data(base64Encoded: base64)), coding: coding)
    #expect(opened == Data((coding == "gzip" ? "{\"ok\":true}" : "hello hello hello").utf8))
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
    #expect(cassette.interactions.count == 2)
    #expect(leftOut == [])
    let secrets = [Self.secret, "love-lace", "ada:", "cookie/value"]
    for secret in secrets.flatMap({ [$0, Data($0.utf8).base64EncodedString()] }) {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(text.contains("/?t=REDACTED-"))
  }

  @Test func `an address that repeats a credential is named without it`() {
    let (cassette, leftOut, _) = recorded(
      .text(Body("x")),
      Request("GET", RequestURL("https://api.example.com/a?t=\(Self.secret)"))
    )
    #expect(cassette.interactions.count == 1)
    #expect(
      leftOut == [
        "GET https://api.example.com/a?t=REDACTED-authorization-1: its address repeats a credential"
      ]
    )
  }

  @Test func `a message of a WebSocket that repeats a credential is not kept`() {
    var interaction = Interaction(
      Request("GET", "/ws", headers: ["Authorization": Self.secret]),
      Response(status: 101)
    )
    interaction.messages = [
      WebSocketMessage(from: .client, Body("auth \(Self.secret)"), isText: true, offset: .zero)
    ]
    var redaction = Redaction(continuing: [])
    #expect(redaction.redact([interaction]) == [])
    #expect(redaction.leftOut == ["GET /ws: a WebSocket message repeats a credential"])
  }
}
