import TestSupport

@testable import WindTunnelDrill

/// The things that attempts sent, as numbers, in process and on the wire.
@Suite(.timeLimit(.minutes(5))) struct SentTests {
  private static let secret = "s3cretW0rd-of-some-length"

  private static let tape = Cassette([
    Interaction(
      Request(
        "POST",
        "http://a.example/pay",
        headers: ["Content-Type": "application/json"],
        body: Body(#"{"to":"a-recorded-name-of-length"}"#)
      ),
      Response(body: Body("{}"))
    )
  ])

  /// Sends a request twice: after a status that says nothing about what was done.
  @Sendable private static func ask(
    _ call: DrillCall,
    _ change: @Sendable (inout URLRequest, Int) -> Void
  ) async throws {
    for attempt in 0..<2 {
      var request = call.urlRequest
      change(&request, attempt)
      let status = await call.session.result(of: request).response?.statusCode
      if status == 200 { return }
    }
    throw URLError(.badServerResponse)
  }

  private func run(
    _ stage: Stage,
    _ change: @escaping @Sendable (inout URLRequest, Int) -> Void
  ) async throws -> Report {
    let once = Scenario("s", rules: [.on("* /**", .first(1), .status(500))])
    let drill = Drill(Self.tape, [once], calls: 4, atOnce: 4, seconds: 60, on: stage)
    return try await drill.run { try await Self.ask($0, change) }
  }

  private func findings(_ report: Report) -> [String] {
    report.findings.map(\.finding).filter { $0.rule == "repeats-post" }.map(\.seen)
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `a new Idempotency-Key for each attempt is found, and no value is told`(stage: Stage)
    async throws
  {
    let report = try await run(stage) { request, _ in
      request.setValue("\(Self.secret)-\(UUID())", forHTTPHeaderField: "Idempotency-Key")
      request.setValue("Bearer \(Self.secret)", forHTTPHeaderField: "Authorization")
    }
    let found = findings(report)
    #expect(found.count == 1 && found[0].hasSuffix(", and the Idempotency-Key had changed."))
    let calls = try #require(report.scenarios.first?.subjects.first).observations
    let sent = calls.flatMap(\.attempts).compactMap(\.sent)
    #expect(sent.count == 8 && sent.allSatisfy { $0.marks == [] })
    for call in calls where call.attempts.contains(where: { $0.sent != nil }) {
      let sent = call.attempts.compactMap(\.sent)
      expectEqual(Set(sent.compactMap(\.key)).count, sent.count)
      expectEqual(Set(sent.flatMap(\.credentials)).count, 1)
    }
    let text = String(decoding: report.data(), as: UTF8.self)
    #expect(!text.contains(Self.secret))
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `a key that stays is none, wherever it stands`(stage: Stage) async throws {
    let kept = try await run(stage) { request, _ in
      // On the wire the address is the call's own.
      request.setValue("key \(request.url?.path ?? "")", forHTTPHeaderField: "Idempotency-Key")
    }
    expectEqual(findings(kept), [])
    let plain = try await run(stage) { _, _ in }
    let found = findings(plain)
    #expect(
      found.count == 1 && found.allSatisfy { $0.hasPrefix("After a 500 it sent POST /pay again") }
    )
  }

  private func values(_ request: Request) -> SentValues {
    let interaction = Self.tape.interactions[0]
    let deck = Deck(Self.tape, options: PlaybackOptions(matcher: .pathAndQuery, then: .repeat))
    var outcome = deck.decide(request)
    outcome.source = .recording(interaction, place: 0)
    return SentValues(of: outcome)
  }

  @Test func `a request without a body has a content, and one whose body is unseen has none`() {
    func content(_ headers: HeaderFields, _ body: Body = Body(), isWhole: Bool) -> String? {
      var outcome = Deck(Self.tape).decide(Request("POST", "http://a.example/pay"))
      outcome.request.headers = headers
      outcome.request.body = body
      return SentValues(of: outcome, isWhole: isWhole).content
    }
    let empty = content([:], isWhole: true)
    #expect(empty != nil && content(["Content-Length": "0"], isWhole: false) == empty)
    let full = content([:], Body("x"), isWhole: true)
    #expect(full != nil && full != empty)
    expectNil(content([:], isWhole: false))
    expectNil(content(["Content-Length": "9"], isWhole: true))
  }

  @Test(arguments: try TestData.rows("deeds.json", count: 19) as [(String, String, Bool)])
  func `only times and random values make no other deed`(one: String, other: String, isOne: Bool) {
    func deed(_ body: String) -> String? {
      let type = body.hasPrefix("{") ? "application/json" : "application/x-www-form-urlencoded"
      let fields: HeaderFields = ["Content-Type": type]
      return values(Request("POST", "http://a.example/pay", headers: fields, body: Body(body))).deed
    }
    expectEqual(deed(one) != nil && deed(one) == deed(other), isOne)
  }

  @Test func `a long value of the client's own marks a request`() {
    func body(_ text: String, _ headers: HeaderFields = [:]) -> Request {
      Request("POST", "http://a.example/pay", headers: headers, body: Body(text))
    }
    let own = body(#"{"to":"a-recorded-name-of-length","id":["own-value-of-length"]}"#)
    expectEqual(values(own).marks, ["mark own-value-of-length"])
    expectEqual(values(body(#"{"id":"short","at":"2026-11-23T10:00:00Z"}"#)).marks, [])
    let numbered = #"{"order":123456789012,"at":1767225600123}"#
    expectEqual(values(body(numbered)).marks, ["mark 123456789012"])
    let query = "request=own-query-value&at=1767225600&n=1"
    let asked = Request("POST", RequestURL("http://a.example/pay?\(query)"), body: Body("x"))
    expectEqual(values(asked).marks, ["mark own-query-value"])
    let fields: HeaderFields = [
      "X-Request-Id": "id-of-enough-length", "User-Agent": "client of enough length",
      "X-Api-Key": "key-of-enough-length", "Traceparent": "00-0123456789abcdef",
    ]
    let headed = values(body("x", fields))
    expectEqual(headed.marks, ["mark id-of-enough-length"])
    expectEqual(headed.apiKeys, ["credential x-api-key: key-of-enough-length"])
    // A company's own names for it.
    let ofCompany = values(
      Request(
        "GET",
        "/pay",
        headers: ["X-Acme-Session": "a", "Acme-Client-Secret": "b", "X-Acme-Token": "c"]
      )
    )
    expectEqual(
      ofCompany.apiKeys,
      [
        "credential x-acme-session: a", "credential acme-client-secret: b",
        "credential x-acme-token: c",
      ]
    )
    // It may well be there to tell requests apart.
    let token = values(body("x", ["X-Request-Token": "token-of-enough-length"]))
    #expect(token.apiKeys == [] && token.marks == ["mark token-of-enough-length"])
    let signed = values(Request("GET", "/pay", headers: ["authorization": "a", "Cookie": "b"]))
    expectEqual(signed.credentials, ["credential authorization: a", "credential cookie: b"])
    #expect(values(body("x")).content != values(body("y")).content)
    expectNil(values(body("", ["Content-Length": "9"])).content)
    expectEqual(values(Request("GET", "/pay", headers: fields)).marks, [])
  }

  @Test func `a parameter of the client's own is one that no recorded request has`() {
    let recorded = SentValues.queries(
      of: Cassette([Interaction(Request("GET", "/a?page=1&token=x"), Response())])
    )
    func names(_ url: RequestURL) -> String {
      var sent = Observation.Sent()
      sent.takeParameters(of: Request("GET", url), recorded: recorded)
      return sent.addsParameters ? "adds \(sent.secretParameters)" : "adds none"
    }
    expectEqual(names(RequestURL("/a?page=2&token=12345678")), "adds none")
    expectEqual(
      names(RequestURL("/a?api_key=12345678&Sig=1234567890123456")),
      #"adds ["api_key", "Sig"]"#
    )
    expectEqual(names(RequestURL("/a?key=name&size=12345678")), "adds []")
    expectEqual(
      names(RequestURL("/a?jsessionid=12345678&acme_api_key=12345678&PHPSESSID=12345678")),
      #"adds ["jsessionid", "acme_api_key", "PHPSESSID"]"#
    )
    expectEqual(names(RequestURL("/a?page_token=12345678&sid=12345678")), "adds []")
    expectEqual(names(RequestURL("/a?sid=1234567890123456")), #"adds ["sid"]"#)
    expectEqual(names(RequestURL("/b?token=12345678")), "adds none")
    expectEqual(names(RequestURL("/a?to%0Aken=12345678")), "adds []")
  }

  @Test func `equal values have equal numbers, and calls have none in common`() {
    var (numbers, one, other) = (ValueNumbers(), 0, 0)
    let first = numbers.number(of: "a", in: 0, &one)
    let second = numbers.number(of: "b", in: 0, &one)
    #expect(first != second && numbers.number(of: "a", in: 3, &other) == first && other == 0)
    let third = numbers.number(of: "c", in: 3, &other)
    var (again, count) = (ValueNumbers(), 0)
    #expect(again.number(of: "z", in: 0, &count) != third)
    // What is in use is not forgotten when there are many.
    for round in 0..<(1 << 17) {
      var counted = 0
      _ = numbers.number(of: "\(round)", in: 1_000_000, &counted)
      if round % 1000 == 0 { expectEqual(numbers.number(of: "a", in: 4, &other), first) }
    }
  }
}
