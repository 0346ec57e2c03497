import TestSupport
import WindTunnelReports

/// What stands around a replaced value keeps its spelling, so that the same request is found again.
@Suite struct SplicedValueTests {
  static let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
  static let json: HeaderFields = ["Content-Type": "application/json"]

  static func kept(_ requests: [Request]) -> [Request] {
    var redaction = Redaction(continuing: [])
    return redaction.redact(requests.map { Interaction($0, Response()) }).map(\.request)
  }

  @Test(arguments: try DataFiles.redactions("spliced", count: 7))
  func `the rest of a query and of a form stays as it is spelled`(text: String, expected: String) {
    let expected = expected.replacing("*", with: "REDACTED-")
    let kept = Self.kept([
      Request(
        "POST",
        RequestURL("https://a.example/s?\(text)"),
        headers: Self.form,
        body: Body(text)
      )
    ])
    expectEqual(kept.first?.url.query, expected)
    expectEqual(kept.first?.body.text, expected)
  }

  @Test func `the rest of a string of JSON stays as it is spelled`() {
    let text = #"{"next":"https:\/\/a.example\/\u00e4?token=abc1&b=\/"}"#
    let kept = Self.kept([Request("POST", "/", headers: Self.json, body: Body(text))])
    expectEqual(
      kept.first?.body.text,
      #"{"next":"https:\/\/a.example\/\u00e4?token=REDACTED-token-1&b=\/"}"#
    )
  }

  private static func packed(_ secret: String) -> String {
    Data("{\"password\": \"\(secret)\", \"b\": \"€\"}".utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func post(_ number: Int, _ headers: HeaderFields, _ body: String) -> Request {
    Request("POST", RequestURL("https://a.example/\(number)"), headers: headers, body: Body(body))
  }

  private static func requests(_ secret: String, _ pin: Int) -> [Request] {
    let packed = packed(secret)
    let quoted = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
    let twice = quoted.replacing("%", with: "%25")
    return [
      Request("GET", RequestURL("https://a.example/1?state=\(packed)&a=%2F")),
      post(2, json, "{\"blob\":\"\(packed)\"}"),
      post(3, form, "s=\(packed)&x=1"),
      Request("GET", "https://a.example/4", headers: ["X-State": "s=\(packed); a"]),
      post(5, json, "{\"pin\":\(pin),\"a\":[1]}"),
      post(6, json, "{\"otp\":[\(pin)],\"a\":1.0}"),
      Request("GET", RequestURL("https://a.example/7?v=%7B%22pin%22%3A\(pin)%7D")),
      Request("GET", RequestURL("https://a.example/8?next=/x?password=\(quoted)")),
      Request("GET", RequestURL("https://a.example/9?a=1;password=\(quoted)")),
      Request("GET", RequestURL("https://a.example/10?token=\(quoted)")),
      Request(
        "GET",
        RequestURL("https://a.example/11?r=https%3A%2F%2Fx%2Fcb%3Faccess_token%3D\(twice)%26c%3D1")
      ),
      post(12, form, "next=/x%3Fpassword%3D\(quoted)"),
      post(13, json, "{\"j\":\"{\\\"pin\\\":\(pin)}\"}"),
    ]
  }

  @Test(arguments: [BodyRule.json(), BodyRule.bytes, BodyRule(.byType)])
  func `the same requests are found again, and those with other secrets`(rule: BodyRule) {
    var matcher = Matcher.body(rule)
    matcher.headers = ["X-State"]
    let recorded = Self.kept(Self.requests("abkqpx739wq+cd", 123_456))
    for asked in [Self.requests("abkqpx739wq+cd", 123_456), Self.requests("another/7421+xy", 98)] {
      let deck = Deck(Cassette(recorded.map { Interaction($0, Response()) }), matcher: matcher)
      for (place, request) in asked.enumerated() {
        _ = deck.decide(request)
        expectEqual(deck.journal.all.last?.take, .recording(place), "\(request.url)")
      }
    }
  }

  @Test func `what differs beside the secret is not found`() {
    let recorded = Self.kept(Self.requests("abkqpx739wq+cd", 123_456))
    let deck = Deck(Cassette(recorded.map { Interaction($0, Response()) }), matcher: .body(.json()))
    let other = Data(#"{"password": "abkqpx739wq+cd", "c": "€"}"#.utf8).base64EncodedString()
    for request in [
      Request(
        "GET",
        RequestURL("https://a.example/1?state=\(other.replacing("=", with: ""))&a=%2F")
      ),
      Self.post(5, Self.json, "{\"pin\":1,\"a\":[2]}"),
      Self.post(5, Self.json, "{\"pin\":{},\"a\":[1]}"),
    ] {
      _ = deck.decide(request)
      expectEqual(deck.journal.all.last?.take, .unmatched, "\(request.url)")
    }
  }
}
