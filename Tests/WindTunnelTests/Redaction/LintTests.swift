import TestSupport
import WindTunnelReports
import WindTunnelSymptoms

@Suite struct LintTests {
  /// Keys of providers by their looks; put together here so that nobody takes them for real ones.
  private static let shapes: [(kind: String, text: String)] = [
    ("aws-key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("github-token", "ghp" + "_" + String(repeating: "a1B2", count: 9)),
    ("slack-token", "xox" + "b-" + "123456789012-abcdefghij"),
    ("google-key", "AI" + "za" + String(repeating: "a1B2_", count: 7)),
    ("stripe-key", "sk" + "_live_" + String(repeating: "a1B2", count: 6)),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiJhZGEifQ." + "c2lnbmF0dXJl"),
    ("bearer", "Bearer " + "abcdef0123456789"), ("basic", "Basic " + "YWRhOmxvdmVsYWNl"),
    ("private-key", "-----BEGIN " + "PRIVATE KEY-----\nMIIBVwIBADAN\n-----END PRIVATE KEY-----"),
    ("entropy", "kJ8sWq2" + "ZpT5vXr9LmB3nHc7YdF"),
  ]

  @Test(arguments: shapes.indices)
  func `a secret is known by its looks, in any place`(index: Int) {
    let (kind, text) = Self.shapes[index]
    let places = [
      Interaction(Request("GET", "/"), .text(Body("It is \(text)"))),
      Interaction(Request("GET", "/"), .text(Body("{\"a\":\"\(JSON.escaped(text))\"}"))),
      Interaction(Request("GET", "/"), .text(Body("<p>\(text)</p>"))),
      Interaction(Request("GET", "/"), .failure(Failure(.timedOut, text: "After \(text)."))),
    ]
    for (number, place) in places.enumerated() {
      let leaks = CassetteLint(Cassette([place])).leaks
      expectEqual(leaks.map(\.kind), [kind], "\(number)")
      #expect(leaks.allSatisfy { !$0.description.contains(text.suffix(8)) })
    }
  }

  @Test func `what the redaction of personal data wrote is no finding, and a mail beside it is`() {
    let token = [#"{"alg":"HS256"}"#, #"{"email":"a@b.test","name":"Ada","exp":1}"#, "a signature"]
      .map { Data($0.utf8).base64EncodedString().replacing("=", with: "") }.joined(separator: ".")
    let texts: JSON = [
      "id_token": .text(token), "to": "to%3Aada%40calc.test", "js": #"\x3cada@calc.test"#,
      "email": "ada@calc.test", "phone": "+44 20 7946 0958",
    ]
    var redaction = Redaction(continuing: [], rules: .personalData)
    var cassette = Cassette(redaction.redact([Interaction(Request("GET", "/"), .json(texts))]))
    expectEqual(CassetteLint(cassette, rules: .personalData).leaks, [])
    cassette.interactions.append(Interaction(Request("GET", "/b"), .text(Body("to b@calc.test"))))
    expectEqual(CassetteLint(cassette, rules: .personalData).leaks.map(\.kind), ["email"])
  }

  @Test func `a review keeps the one cookie, and not all of them`() {
    let cookies: HeaderFields = [
      "Set-Cookie": "theme_v2=REDACTED-theme-v2-1; Path=/",
      "Set-Cookie": "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=REDACTED-b-1",
    ]
    let request = Request(
      "GET",
      "/",
      headers: ["Cookie": "lang=REDACTED-lang-1; REDACTED-cookie-1"]
    )
    let review = CassetteReview(Cassette([Interaction(request, Response(headers: cookies))]))
    expectEqual(review.placeholders.map(\.keep), ["lang", "cookie", "theme_v2", "b"])
  }

  @Test func `what is shipped is clean`() throws {
    for folder in ["examples", "format"] {
      for file in try shipped(folder)
      where file.lastPathComponent.hasPrefix("cassette") || folder == "examples" {
        let leaks = CassetteLint(try Cassette(contentsOf: file)).leaks
        // A public key and signatures are drawn as secrets are, and are none.
        let isSigned = file.lastPathComponent == "startup.json"
        let known = isSigned ? Array(repeating: "entropy", count: 6) : []
        expectEqual(leaks.map(\.kind), known, "\(file.lastPathComponent): \(leaks)")
      }
    }
  }

  @Test func `ids, hashes, paths and long data are no secrets`() {
    let texts = [
      "0d9c6f4e-8a0b-4b1e-9d2a-5f6c7e8d9a0b", String(repeating: "0123456789abcdef", count: 4),
      "/api/v2/Customers/Orders/ShippingAddress1/Lines22", "TheQuickBrownFoxJumpsOverTheLazyDog",
      "-----BEGIN PUBLIC KEY-----\nkJ8sWq2ZpT5vXr9LmB3nHc7YdF\n-----END PUBLIC KEY-----",
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPq1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1 ada@x",
      "2026-11-21T07:14:03.123456Z", String(repeating: "aB3dE5gH7jK9mN1p", count: 20),
    ]
    for text in texts {
      expectEqual(CassetteLint(Cassette([.init(Request("GET", "/"), .text(Body(text)))])).leaks, [])
    }
    // The end of another key is not that of a truncated one, behind which a secret stands.
    let torn =
      "-----BEGIN PUBLIC KEY-----\nkJ8s\n\(Self.shapes[Self.shapes.count - 1].text)\n\(texts[4])"
    let cassette = Cassette([.init(Request("GET", "/"), .text(Body(torn)))])
    expectEqual(CassetteLint(cassette).leaks.map(\.kind), ["entropy"])
  }

  @Test func `a boundary of parts is no secret, in its field and wherever it parts`() {
    let boundary = "----WebKitFormBoundary7MA4YWxk" + "TrZu0gWq"
    let type = "multipart/form-data; boundary=\(boundary)"
    func lint(_ type: String, _ body: String) -> [CassetteLeak] {
      let request = Request("POST", "/", headers: ["Content-Type": type], body: Body(body))
      // A server that shows what it was sent.
      let echo = Interaction(request, .text(Body("Content-Type: \(type)\n--\(boundary)--\n")))
      return CassetteLint(Cassette([echo])).leaks
    }
    let body = "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
    expectEqual(lint(type, "\(body)1\r\n--\(boundary)--\r\n"), [])
    // What a part holds is looked at as ever, and so is such a word where nothing is parted.
    let (_, secret) = Self.shapes[Self.shapes.count - 1]
    expectEqual(lint(type, "\(body)\(secret)\r\n--\(boundary)--\r\n").map(\.kind), ["entropy"])
    #expect(!lint("text/plain; boundary=\(boundary)", "").isEmpty)
  }

  @Test
  func `digests and addresses of reports are drawn by lot, and a named secret in one is found`() {
    let word = Self.shapes[Self.shapes.count - 1].text
    let url = "https://reports.example.test/v4?s=\(word)"
    let headers: HeaderFields = [
      "Digest": "SHA-256=\(word)", "Repr-Digest": "sha-256=:\(word):", "Content-MD5": word,
      "Report-To": #"{"endpoints":[{"url":"\#(url)"}],"group":"g"}"#,
      "Reporting-Endpoints": #"g="\#(url)""#, "NEL": #"{"report_to":"\#(word)"}"#,
    ]
    func lint(_ headers: HeaderFields) -> [CassetteLeak] {
      CassetteLint(Cassette([.init(Request("GET", "/"), Response(headers: headers))])).leaks
    }
    expectEqual(lint(headers), [])
    expectEqual(lint(["X-Other": word]).map(\.kind), ["entropy"])
    let named = #"{"endpoints":[{"url":"https://a.test/?api_key=\#(word)"}]}"#
    expectEqual(lint(["Report-To": named]).map(\.kind), ["api-key"])
  }

  @Test func `a leak states its position, its name and its length`() {
    let interaction = Interaction(
      Request("GET", "/?api_key=abcdefgh", headers: ["X-Auth-Token": "ijklmnop"]),
      .text(Body(#"{"user":{"password":"qrstuvwx"}}"#))
    )
    let leaks = CassetteLint(Cassette([interaction])).leaks.map(\.description)
    expectEqual(
      leaks,
      [
        "#1 request URL query api-key: api-key, 8 bytes",
        "#1 request header X-Auth-Token: x-auth-token, 8 bytes",
        "#1 response body JSON password: password, 8 bytes",
      ]
    )
  }

  @Test func `a body that nobody can open is named and no leak`() {
    let headers: HeaderFields = ["Content-Encoding": "zstd"]
    let lint = CassetteLint(
      Cassette([.init(Request("GET", "/"), Response(headers: headers, body: Body("???")))])
    )
    expectEqual(lint.leaks, [])
    expectEqual(lint.unopened, ["#1 response body: in zstd, which cannot be decoded here"])
  }

  @Test func `a charset that nobody here reads is named`() {
    let words: [UInt8] = [0xF0, 0xC1, 0xD2, 0xCF, 0xCC, 0xD8, 0x3A, 0x20, 0x61, 0x31]
    let headers: HeaderFields = ["Content-Type": "text/plain; charset=koi8-r"]
    let response = Response(headers: headers, body: Body(Data(words)))
    let lint = CassetteLint(Cassette([.init(Request("GET", "/"), response)]))
    expectEqual(lint.unopened, ["#1 response body: in koi8-r, which cannot be decoded here"])
  }

  @Test(arguments: [
    "text/plain; charset=binary", "application/octet-stream; charset=binary",
    "text/plain; charset=utf8", "image/png; charset=koi8-r",
  ])
  func `what names no charset of a text is not told of`(type: String) {
    let words: [UInt8] = [0xF0, 0xC1, 0xD2, 0xCF, 0xCC, 0xD8, 0x3A, 0x20, 0x61, 0x31]
    let response = Response(headers: ["Content-Type": type], body: Body(Data(words)))
    expectEqual(CassetteLint(Cassette([.init(Request("GET", "/"), response)])).unopened, [])
  }
}
