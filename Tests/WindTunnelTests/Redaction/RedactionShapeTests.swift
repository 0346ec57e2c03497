import PlantedSecrets
import TestSupport

@testable import WindTunnel

/// What a replaced value looks like, and what stays around it.
@Suite struct RedactionShapeTests {
  @Test(arguments: [("layout", 11), ("plain", 8)])
  func `a JSON body keeps its layout around what is replaced, and is as it was without`(
    table: String,
    count: Int
  ) throws {
    for (text, expected) in try DataFiles.redactions(table, count: count) {
      expectEqual(keptText(text, ""), expected, "\(table)")
    }
  }

  @Test func `scripts keep their code and lose what is quoted`() {
    let text = "var token=a.b;fetch('/x?token=abc1');let o={password:'abc def'}"
    expectEqual(
      keptText(text, "text/javascript; charset=utf-8"),
      "var token=a.b;fetch('/x?token=REDACTED-token-1');let o={password:'REDACTED-password-1'}"
    )
  }

  @Test func `a web token still decodes, and keeps its dates`() throws {
    let token = [
      #"{"alg":"RS256","kid":"key-of-ada"}"#, #"{"sub":"ada","exp":1700000000,"n":7,"ok":true}"#,
      "signature",
    ].map {
      Data($0.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
    }.joined(separator: ".")
    let text = try #require(keptText(#"{"id_token":"\#(token)"}"#, ""))
    let json = try JSON(parsing: text.utf8, source: "a.json")
    let parts = try #require(json["id_token"]?.stringValue).split(separator: ".")
    let decoded = parts.prefix(2).map {
      Base64Text.decoded(Array($0.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
    expectEqual(decoded[0], #"{"alg":"RS256","kid":"REDACTED-kid"}"#)
    expectEqual(decoded[1], #"{"sub":"REDACTED-sub","exp":1700000000,"n":0,"ok":true}"#)
    expectEqual(parts[2], "REDACTED-id-token-1")
    expectEqual(keptText(text, ""), text)
  }

  @Test func `one value bears one ordinal in all places`() {
    let secret = "t0ken/of+ada"
    let login = Interaction(
      Request("POST", "/login?x=1"),
      .text(Body(#"{"access_token":"\#(secret)"}"#))
    )
    let use = Interaction(
      Request(
        "GET",
        "/me?access_token=t0ken%2Fof%2Bada",
        headers: ["Authorization": "Bearer \(secret)", "Cookie": "at=\(secret)"]
      ),
      .text(Body("Hello t0ken\\/of+ada"))
    )
    let kept = redacted(login, use)
    let stand = "REDACTED-access-token-1"
    expectEqual(kept[0].response?.body.text, #"{"access_token":"\#(stand)"}"#)
    expectEqual(kept[1].request.url.query, "access_token=\(stand)")
    expectEqual(kept[1].request.headers["Authorization"], "Bearer \(stand)")
    expectEqual(kept[1].request.headers["Cookie"], "at=\(stand)")
    expectEqual(kept[1].response?.body.text, "Hello \(stand)")
  }

  @Test func `ordinals go on behind those in bodies, packed ones too`() {
    let old = [
      Interaction(Request("GET", "/"), .text(Body(#"{"token":"REDACTED-token-4"}"#))),
      Interaction(
        Request("GET", "/"),
        Response(
          headers: ["Content-Encoding": "gzip"],
          body: Body(Packed.gzip(#"{"pwd":"REDACTED-pwd-2"}"#))
        )
      ),
    ]
    var redaction = Redaction(continuing: old)
    let new = redaction.redact([
      Interaction(Request("GET", "/"), .text(Body(#"{"token":"new1-abc1","pwd":"other"}"#)))
    ])
    expectEqual(new[0].response?.body.text, #"{"token":"REDACTED-token-5","pwd":"REDACTED-pwd-3"}"#)
  }

  @Test func `a rule adds to the defaults and takes none away`() {
    let text = #"{"token":"abc1","Floor-Code":"x1","a":[{"b":"y1"}],"mail":"ada@example.org"}"#
    let rules = RedactionRules(names: ["floorCode", "$.a[*].b"])
    expectEqual(
      keptText(text, "", by: rules),
      #"{"token":"REDACTED-token-1","Floor-Code":"REDACTED-floor-code-1","#
        + #""a":[{"b":"REDACTED-b-1"}],"mail":"ada@example.org"}"#
    )
  }

  @Test func `personal data is one word to switch on`() {
    let text =
      #"{"name":"Ada","email":"ada@example.org","text":"Call +49 30 1234567, ada@example.org"}"#
    expectEqual(keptText(text, ""), text)
    expectEqual(
      keptText(text, "", by: RedactionRules(personalData: true)),
      #"{"name":"REDACTED-name-1","email":"REDACTED-email-1@example.test","#
        + #""text":"Call REDACTED-phone-1, REDACTED-email-1@example.test"}"#
    )
  }

  @Test func `pieces of a stream still end where its lines do`() {
    let lines = ["data: {\"token\":\"abc1\"}\n\n", "data: {\"a\":1}\n\n"]
    var interaction = Interaction(Request("GET", "/"), .text(Body(lines.joined())))
    var timing = Timing(firstByte: .zero, lastByte: .milliseconds(2))
    timing.chunks = lines.map { Timing.Chunk(bytes: $0.utf8.count, offset: .zero) }
    interaction.timing = timing
    let kept = redacted(interaction)
    expectEqual(
      kept[0].timing?.chunks.map(\.bytes),
      [lines[0].utf8.count + 12, lines[1].utf8.count]
    )
  }

  @Test(arguments: [
    ("image/png", true), ("font/woff2", true), ("application/json", false), ("", false),
  ])
  func `what cannot be opened is kept only where it can hold no secret`(type: String, isKept: Bool)
  {
    var redaction = Redaction(continuing: [])
    let headers: HeaderFields = ["Content-Encoding": "br", "Content-Type": type]
    let response = Response(headers: headers, body: Body(Data([0x8B, 1, 2, 0x80])))
    let kept = redaction.redact([Interaction(Request("GET", "/"), response)])
    expectEqual(kept.count, (isKept ? 1 : 0))
    expectEqual(
      redaction.leftOut,
      (isKept ? [] : ["GET /: a body in br cannot be decoded to search for credentials"])
    )
  }
}
