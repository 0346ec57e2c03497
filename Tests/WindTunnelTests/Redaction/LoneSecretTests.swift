import TestSupport

@testable import WindTunnel

/// Credentials that are short, or words that name secrets.
@Suite struct LoneSecretTests {
  private static let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
  private static let json: HeaderFields = ["Content-Type": "application/json"]

  /// An exchange as it is kept when another has told the secret.
  private static func kept(
    _ request: Request,
    _ response: Response = Response(),
    beside login: Request
  ) throws -> Interaction {
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([Interaction(request, response), Interaction(login, Response())])
    expectEqual(redaction.leftOut, [])
    return try #require(kept.first)
  }

  private static func bearer(_ secret: String) -> Request {
    Request("GET", "/login", headers: ["Authorization": "Bearer \(secret)"])
  }

  private static func body(
    _ text: String,
    _ headers: HeaderFields = [:],
    beside secret: String
  ) throws -> String? {
    let response = Response(headers: headers, body: Body(text))
    return try kept(Request("GET", "/a"), response, beside: bearer(secret)).response?.body.text
  }

  static let stand = "REDACTED-authorization-1"

  @Test(arguments: ["ab12", "x9-z", "hunt", "p@ss", "7421", "pass-phrase", "API-Key", "password"])
  func `it goes where it is the whole of a value`(secret: String) throws {
    let request = Request(
      "POST",
      RequestURL("https://a.test/x?seen=\(secret)&page=2"),
      headers: Self.form,
      body: Body("seen=\(secret)&page=2")
    )
    let kept = try Self.kept(
      request,
      Response(
        headers: ["Content-Type": "application/json", "X-Seen": secret],
        body: Body("{\"seen\":\"\(secret)\",\"all\":[\"\(secret)\",\"b\"]}")
      ),
      beside: Self.bearer(secret)
    )
    expectEqual(kept.request.url.description, "https://a.test/x?seen=\(Self.stand)&page=2")
    expectEqual(kept.request.body.text, "seen=\(Self.stand)&page=2")
    expectEqual(kept.response?.headers["X-Seen"], Self.stand)
    expectEqual(
      kept.response?.body.text,
      "{\"seen\":\"\(Self.stand)\",\"all\":[\"\(Self.stand)\",\"b\"]}"
    )
  }

  @Test(arguments: try TestData.rows("lone-secrets.json", count: 14) as [(String, String, String?)])
  func `in prose a known secret is redacted only as a separate word`(
    secret: String,
    text: String,
    expected: String?
  ) throws {
    let expected = expected?.replacing("*", with: Self.stand) ?? text
    try expectEqual(Self.body(text, beside: secret), expected)
  }

  @Test(arguments: [
    ("ab12", #"{"ab12":1,"ab123":2,"xab12":3}"#, #"{"*":1,"ab123":2,"xab12":3}"#),
    ("pass-phrase", #"{"pass-phrase":true,"passphrase":false}"#, #"{"*":true,"passphrase":false}"#),
    // Letters alone are names, and a client looks them up.
    ("hunt", #"{"hunt":1}"#, nil),
    ("password", #"{"password":true,"errors":{"password":[]}}"#, nil),
    // A number that is short is a number like any other.
    ("7421", #"{"total":7421,"at":"2024-07-21T07:42:17421Z"}"#, nil),
  ])
  func `a key that is the secret goes, unless it may be a name`(
    secret: String,
    text: String,
    expected: String?
  ) throws {
    let expected = expected?.replacing("*", with: Self.stand) ?? text
    try expectEqual(Self.body(text, Self.json, beside: secret), expected)
  }

  @Test func `names of fields and parameters are looked at, too`() throws {
    let request = Request(
      "POST",
      "https://a.test/of/ab12/hunt?ab12=1&tok-SECRET-123=2",
      headers: ["Content-Type": "application/x-www-form-urlencoded", "Cookie": "ab12=1"],
      body: Body("ab12=&tok-SECRET-123=1&hunt=2")
    )
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([
      Interaction(request, Response()), Interaction(Self.bearer("ab12"), Response()),
      Interaction(Self.bearer("hunt"), Response()),
      Interaction(Self.bearer("tok-SECRET-123"), Response()),
    ])
    let (short, long) = (Self.stand, "REDACTED-authorization-3")
    expectEqual(
      kept.first?.request.url.description,
      "https://a.test/of/\(short)/hunt?\(short)=1&\(long)=2"
    )
    expectEqual(kept.first?.request.headers["Cookie"], "\(short)=REDACTED-ab12-1")
    expectEqual(kept.first?.request.body.text, "\(short)=&\(long)=1&hunt=2")
  }

  @Test func `the head of a part is looked at, too`() throws {
    let type = "multipart/form-data; boundary=wind"
    func text(_ name: String) -> String {
      "--wind\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\(name).txt\"\r\n\r\nx\r\n--wind--\r\n"
    }
    try expectEqual(
      Self.body(text("tok-SECRET-123"), ["Content-Type": type], beside: "tok-SECRET-123"),
      text(Self.stand)
    )
  }

  @Test func `what the protocol reads stays whole`() throws {
    let headers: HeaderFields = [
      "Content-Type": "text/html", "Content-Length": "4", "Cache-Control": "html",
      "Date": "Tue, 02 Jan 2024 10:00:00 GMT", "ETag": "\"html\"",
    ]
    for secret in ["html", "2024"] {
      let kept = try Self.kept(
        Request("GET", "/a"),
        Response(headers: headers, body: Body("htm ")),
        beside: Self.bearer(secret)
      )
      expectEqual(kept.response?.headers, headers)
    }
  }

  @Test func `a page keeps the names in its markup and loses what is no name`() throws {
    let page = "<input type=\"password\" name='hunt'><p>ab12</p>"
    let type: HeaderFields = ["Content-Type": "text/html"]
    try expectEqual(Self.body(page, type, beside: "password"), page)
    try expectEqual(Self.body(page, type, beside: "hunt"), page)
    try expectEqual(
      Self.body(page, type, beside: "ab12"),
      "<input type=\"password\" name='hunt'><p>\(Self.stand)</p>"
    )
  }

  @Test func `a value under a name with harmless values is replaced there and looked for nowhere`()
    throws
  {
    for name in ["token", "sign", "session"] {
      let login = Request("GET", RequestURL("https://a.test/?\(name)=USDC&access_token=ab12"))
      let response = Response(headers: Self.json, body: Body(#"["USDC","ab12"]"#))
      let kept = try Self.kept(Request("GET", "/a"), response, beside: login)
      expectEqual(kept.response?.body.text, #"["USDC","REDACTED-access-token-1"]"#)
    }
    let login = Request("GET", "/", headers: ["Cookie": "lang=engl; sid=ab12; theme=dark"])
    let response = Response(headers: Self.json, body: Body(#"["engl","dark","ab12"]"#))
    let kept = try Self.kept(Request("GET", "/a"), response, beside: login)
    expectEqual(kept.response?.body.text, #"["engl","dark","REDACTED-sid-1"]"#)
  }

  @Test func `a short password of Basic credentials goes, and its base64 with it`() throws {
    let pair = Data("ada:ab12".utf8).base64EncodedString()
    let login = Request("GET", "/", headers: ["Authorization": "Basic \(pair)"])
    let text = "ab12 \(Data("ab12".utf8).base64EncodedString()) ada:ab12 ab123"
    let kept = try Self.kept(Request("GET", "/a"), Response(body: Body(text)), beside: login)
    let stand = "REDACTED-password-1"
    expectEqual(kept.response?.body.text, "\(stand) \(stand) \(Self.stand) ab123")
  }

  @Test func `base64 of a secret that is too short to be taken for base64 goes`() throws {
    let text = "seen \(Data("hunter22".utf8).base64EncodedString()) and aHVudGVyMjI"
    try expectEqual(Self.body(text, beside: "hunter22"), "seen \(Self.stand) and \(Self.stand)")
  }
}
