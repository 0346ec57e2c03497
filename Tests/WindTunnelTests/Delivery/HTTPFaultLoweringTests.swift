import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// Answers in good form, and nearly so, that are not the recorded ones.
@Suite struct HTTPFaultLoweringTests {
  private func play(
    _ faults: [Fault],
    _ interactions: [Interaction] = [recorded("hello")],
    at now: Date? = nil,
    on stage: Stage = .onTheWire
  ) -> Played {
    Deck(Cassette(interactions), scenario: [.on("GET /a", .always, faults)])
      .play(Request("GET", "/a?b=c"), at: now, on: stage)
  }

  private static func recorded(_ body: String, _ headers: HeaderFields = [:]) -> Interaction {
    Interaction(Request("GET", "/a?b=c"), Response(headers: headers, body: Body(body)))
  }

  private func steps(_ faults: [Fault], on stage: Stage = .onTheWire) -> [Delivery.Step] {
    play(faults, on: stage).steps
  }

  private func head(_ faults: [Fault], at now: Date? = nil) -> ResponseHead? {
    play(faults, at: now).head
  }

  @Test(arguments: [
    (RetryAfter.seconds(7), ["7"]), (.zero, ["0"]), (.milliseconds(1001), ["2"]),
    (.date(inSeconds: 90), ["Tue, 14 Nov 2023 22:14:50 GMT"]),
    (.pastDate, ["Sun, 06 Nov 1994 08:49:37 GMT"]), (.huge, ["99999999999999999999"]),
    (.garbage, ["soon"]), (.negative, ["-1"]), (.twoFields, ["1", "60"]),
  ])
  func `Retry-After is spelled so`(spelling: RetryAfter, values: [String]) {
    let now = Date(timeIntervalSince1970: 1_700_000_000.9)
    let head = head([.status(503, retryAfter: spelling)], at: now)
    expectEqual(head?.headers.values("Retry-After"), values)
  }

  @Test func `without a clock a date is its seconds`() {
    let head = head([.status(503, retryAfter: .date(inSeconds: 90))])
    expectEqual(head?.headers.values("Retry-After"), ["90"])
  }

  @Test func `an answer in the recorded one's place`() {
    let proxy = head([.answer(.proxyAuthentication)])
    expectEqual(proxy?.status, 407)
    expectEqual(proxy?.headers["Proxy-Authenticate"], "Basic realm=\"proxy\"")
    let loop = ResponseHead(status: 302, headers: ["Content-Length": "0", "Location": "/a?b=c"])
    expectEqual(steps([.answer(.redirectLoop)]), [.head(loop), .finish])
    let nowhere = ResponseHead(status: 302, headers: ["Content-Length": "0"])
    expectEqual(steps([.answer(.redirectWithoutLocation)]), [.head(nowhere), .finish])
  }

  @Test
  func `the captive portal's page is served at its address, but only in scenarios with a portal`() {
    let request = Request("GET", RequestURL("http://a.test" + ReplacementResponse.portalPath))
    let rules: [FaultRule] = [.on("GET /a", .always, .answer(.captivePortalRedirect))]
    let deck = Deck(Cassette(), scenario: Scenario("s", rules: rules))
    let outcome = deck.decide(request)
    expectEqual(outcome.decision.faults, [.answer(.captivePortalPage)])
    expectEqual(outcome.source, .computed(Response()))
    #expect(deck.mismatches.isEmpty)
    let page = deck.delivery(of: outcome, on: .inProcess).whole
    expectEqual(page?.head.headers["Content-Type"], "text/html; charset=utf-8")
    expectEqual(page.map { String(decoding: $0.body, as: UTF8.self) }?.contains("<form"), true)
    expectEqual(Deck(Cassette()).decide(request).decision.faults, [])
  }

  @Test(arguments: [
    (ResponseEdit.Content.duplicated, "hellohello"), (.empty, ""), (.invalidJSON, "hello]"),
    (.large, "hello" + String(repeating: " ", count: 1 << 20)),
  ])
  func `another body has its own length`(content: ResponseEdit.Content, body: String) {
    let recorded = Self.recorded("hello", ["Content-Length": "5"])
    let whole = play([.alter(.body(content))], [recorded]).delivery.whole
    expectEqual(whole?.body, Data(body.utf8))
    expectEqual(whole?.head, ResponseHead(headers: ["Content-Length": "\(body.utf8.count)"]))
  }

  @Test(arguments: [
    ("text/event-stream", "data: 1\n\ndata: 2\n\ndata: 3\n\n", "data: 1\n\nevent: error\ndata: "),
    ("text/event-stream", "data: 1\n\n", "event: error\ndata: "),
    ("application/x-ndjson", "1\n2\n3\n4\n", "1\n2\n"),
    ("application/json-seq", "\u{1E}1\n\u{1E}2\n", "\u{1E}1\n\u{1E}"),
  ])
  func `an error takes the place of the second half of a stream`(
    type: String,
    events: String,
    half: String
  ) throws {
    let recorded = Self.recorded(events, ["Content-Type": type])
    let whole = play([.alter(.body(.errorEvent))], [recorded]).delivery.whole
    let body = try #require(whole.map { String(decoding: $0.body, as: UTF8.self) })
    let error =
      #"{"type":"error","error":{"type":"overloaded_error","message":"The server is overloaded."}}"#
    expectEqual(body, half + error + (type == "text/event-stream" ? "\n\n" : "\n"))
    expectEqual(whole?.head.status, 200)
  }

  @Test func `an error takes no place in what streams no events`() {
    let recorded = Self.recorded("{}", ["Content-Type": "application/json"])
    let played = play([.alter(.body(.errorEvent))], [recorded])
    expectEqual(played.delivery.whole?.body, Data("{}".utf8))
    expectEqual(played.misfits.first?.contains("has no event stream"), true)
  }

  @Test(
    arguments: [
      (2, nil), (1, "the body is that of recording 1 already"),
      (3, "recording 3 has no whole body"), (4, "the cassette has no recording 4"),
    ] as [(Int, String?)],
    Stage.allCases
  )
  func `another recording's body comes with its type`(row: (Int, String?), stage: Stage) {
    let packed: HeaderFields = ["Content-Type": "text/x", "Content-Encoding": "gzip", "B": "b"]
    let other = Response(status: 404, headers: packed, body: Body(MutationLoweringTests.gzip))
    let played = play(
      [.alter(.bodyOf(recording: row.0))],
      [
        Self.recorded("hello", ["ETag": "1"]), Interaction(Request("GET", "/b"), other),
        Interaction(Request("GET", "/c"), .failure(Failure(.timedOut))),
      ],
      on: stage
    )
    let whole = played.delivery.whole
    let type: HeaderFields = row.1 == nil ? ["Content-Type": "text/x"] : [:]
    expectEqual(whole?.head, ResponseHead(headers: HeaderFields([HeaderField("ETag", "1")] + type)))
    expectEqual(whole?.body, Data((row.1 == nil ? "0123456789" : "hello").utf8))
    expectEqual(
      played.misfits,
      row.1.map { [#"{"bodyOf":\#(row.0)} was not done: \#($0)."#] } ?? []
    )
  }

  private static let named =
    "\u{FEFF}: hi\n\nid: 1\nretry: 500\ndata: a\n\nid: 2\ndata: b\n\nid\r\ndata: c\r\n\r\nid:4\n\n"

  @Test(arguments: [
    (ResponseEdit.Content.retryZero, "0"), (.retryNegative, "-1"),
    (.retryHuge, "99999999999999999999"), (.retryGarbage, "soon"),
  ])
  func `a client is told to wait a time that is none`(content: ResponseEdit.Content, time: String) {
    expectEqual(
      body(content, Self.named),
      "\u{FEFF}retry: \(time)\n: hi\n\nid: 1\nretry: \(time)\ndata: a\n\nid: 2\ndata: b\n\n"
        + "id\r\ndata: c\r\n\r\nid:4\n\n"
    )
  }

  @Test func `ids are lost or empty behind the first`() {
    expectEqual(
      body(.missingEventIDs, Self.named),
      "\u{FEFF}: hi\n\nid: 1\nretry: 500\ndata: a\n\ndata: b\n\ndata: c\r\n\r\n\n"
    )
    expectEqual(
      body(.emptyEventIDs, Self.named),
      "\u{FEFF}: hi\n\nid: 1\nretry: 500\ndata: a\n\nid: \ndata: b\n\nid\r\ndata: c\r\n\r\nid:\n\n"
    )
  }

  private func body(_ content: ResponseEdit.Content, _ text: String) -> String? {
    let recorded = Self.recorded(text, ["Content-Type": "text/event-stream"])
    let played = play([.alter(.body(content))], [recorded])
    expectEqual(played.misfits, [])
    return played.delivery.whole.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test(arguments: [
    ("application/x-ndjson", "1\n2\n", "has no server-sent events"),
    ("text/event-stream", "id: 1\ndata: 1\n\n", "has no event with an id after the first"),
  ])
  func `where no id can be lost that is said`(type: String, text: String, reason: String) {
    for content in [ResponseEdit.Content.missingEventIDs, .emptyEventIDs] {
      let recorded = Self.recorded(text, ["Content-Type": type])
      let played = play([.alter(.body(content))], [recorded])
      expectEqual(played.delivery.whole?.body, Data(text.utf8))
      expectEqual(
        played.misfits,
        [#"{"body":"\#(content.rawValue)"} was not done: the response \#(reason)."#]
      )
    }
  }

  @Test func `fields say what is not so`() {
    expectEqual(head([.alter(.contentType("text/html"))])?.headers, ["Content-Type": "text/html"])
    expectEqual(head([.alter(.contentEncoding(.gzip))])?.headers, ["Content-Encoding": "gzip"])
    expectEqual(
      head([.alter(.moreFields(3))])?.headers.map(\.name),
      (1...3).map { "X-Filler-\($0)" }
    )
    expectEqual(head([.alter(.longField(bytes: 9))])?.headers["X-Filler"], "fffffffff")
  }

  @Test func `names of fields in small letters keep their values and their order`() {
    let faults: [Fault] = [
      .alter(.contentType("Text/HTML")), .alter(.moreFields(1)), .alter(.lowercaseFieldNames),
    ]
    expectEqual(
      head(faults)?.headers.map { "\($0.name): \($0.value)" },
      ["content-type: Text/HTML", "x-filler-1: filler", "content-length: 5"]
    )
  }

  @Test func `a stale answer is the take before the due one, and its age is told`() {
    let takes = [Self.recorded("one"), Self.recorded("two"), Self.recorded("three")]
    let scenario: Scenario = [.on("GET /a", .every(2), .alter(.stale(seconds: 60)))]
    let deck = Deck(Cassette(takes), scenario: scenario)
    let seen = (1...5).map { _ -> String in
      let whole = deck.play(Request("GET", "/a?b=c")).delivery.whole
      let age = whole?.head.headers["Age"] ?? "-"
      return "\(String(decoding: whole?.body ?? Data(), as: UTF8.self)) \(age)"
    }
    expectEqual(seen, ["one -", "one 60", "two -", "two 60", "three -"])
    expectEqual(
      deck.journal.all.map(\.take),
      [.recording(0), .withheld(0), .recording(1), .withheld(1), .recording(2)]
    )
  }

  @Test func `interim answers come before the head on the wire and are nothing in process`() {
    let interim = Delivery.Step.head(ResponseHead(status: 103))
    let answer: [Delivery.Step] = [.head(ResponseHead()), .bytes("hello"), .finish]
    expectEqual(steps([.alter(.interimResponses(2))]), [interim, interim] + answer)
    expectEqual(steps([.alter(.interimResponses(2))], on: .inProcess), answer)
    // Before bytes they are bytes, too.
    let cut = steps([.alter(.interimResponses(1)), .close(afterBytes: 4)])
    expectEqual(cut, [.bytes("HTTP/1.1 103 Early Hints\r\n\r\nHTTP"), .close])
  }

  @Test func `a body without an end is one piece again and again, and nothing says where it ends`()
  {
    let (piece, count) = (ResponseEdit.pieceBytes, 5 + 3 * ResponseEdit.pieceBytes + 7)
    let steps = steps([.alter(.endlessBody(bytes: count))])
    let filler = Delivery.Step.bytes(.data(Data(repeating: UInt8(ascii: " "), count: piece)))
    expectEqual(
      steps,
      [.head(ResponseHead(headers: ["Transfer-Encoding": "chunked"])), .bytes("hello")]
        + [filler, filler, filler, .bytes("       "), .close]
    )
    // What it is cut at comes first, and in process nobody fills the test's own memory.
    expectEqual(
      self.steps([.alter(.endlessBody(bytes: count)), .reset(afterBodyBytes: 2)]).last,
      .reset
    )
    let inProcess = self.steps([.alter(.endlessBody(bytes: 1 << 30))], on: .inProcess)
    let most = ResponseEdit.inProcessBodyBytesMax
    #expect(inProcess.last == .fail(.truncated) && inProcess.count == 4 + (most - 5) / piece)
  }

  @Test(arguments: [3, 4, 258, 259, 260, 261, 262, 263, 1000, 1_000_003])
  func `a gzip bomb opens to a JSON array with white space in it`(count: Int) {
    let bomb = GzipBomb(opensTo: count).data
    let opened = Inflate.open(bomb, coding: "gzip")
    expectEqual(opened, Data("[".utf8) + Data(repeating: 32, count: count - 2) + Data("]".utf8))
    #expect(bomb.count <= 160 + count / 1032)
  }

  @Test(arguments: [
    ("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0.8", true), ("*", true), ("GZIP", true),
    ("deflate", false), ("gzip;q=0", false), ("gzip; q=0.000", false), (nil, false),
  ])
  func `only a client that takes gzip is sent a bomb`(accepts: String?, takes: Bool) {
    var request = Request("GET", "/a?b=c")
    if let accepts { request.headers["Accept-Encoding"] = accepts }
    let cassette = Cassette([Self.recorded("hello", ["Content-Length": "5"])])
    let fault = Fault.alter(.gzipBomb(bytes: 3_000_000))
    let played = Deck(cassette, scenario: [.on("GET /a", .always, fault)]).play(request)
    let answer = played.delivery.whole
    let bomb = GzipBomb(opensTo: 3_000_000).data
    expectEqual(answer?.body, (takes ? bomb : Data("hello".utf8)))
    expectEqual(answer?.head.headers["Content-Encoding"], (takes ? "gzip" : nil))
    expectEqual(answer?.head.headers["Content-Length"], (takes ? "\(bomb.count)" : "5"))
    let refusal = #"{"gzipBombBytes":3000000} was not done: the client does not accept gzip."#
    expectEqual(played.misfits, (takes ? [] : [refusal]))
  }

  @Test func `what an answer gives no room for is noted`() {
    let empty = Interaction(Request("GET", "/a?b=c"), Response(status: 204))
    let faults: [Fault] = [
      .malformed(.badChunkSize), .alter(.contentEncoding(.gzip)), .alter(.body(.duplicated)),
    ]
    let played = play(faults, [empty])
    expectEqual(played.delivery, .steps(.head(ResponseHead(status: 204)), .finish))
    expectEqual(
      played.misfits,
      [
        #"{"malformed":"badChunkSize"} was not done: the response has no body."#,
        #"{"contentEncoding":"gzip"} was not done: the response has no body."#,
        #"{"body":"duplicated"} was not done: the response has no body."#,
      ]
    )
  }

  @Test func `a connection that is kept ends afterwards, and the answer is used up`() {
    let end = IdleEnd(.reset, .idle(.seconds(1)))
    let cassette = Cassette([Self.recorded("hello")])
    let deck = Deck(cassette, scenario: [.on("GET /a", .always, .idle(end))])
    expectEqual(
      deck.play(Request("GET", "/a?b=c")).delivery,
      .steps(.head(ResponseHead()), .bytes("hello"), .finish, then: .idle(end))
    )
    expectEqual(deck.journal.all.map(\.take), [.recording(0)])
  }

  @Test(arguments: [
    Fault.dribble(bytes: 1, every: .seconds(1)), .stall(afterBodyBytes: 1, for: .seconds(1)),
    .alter(.body(.empty)), .throttle(bytesPerSecond: 1),
  ])
  func `a live answer passes as it comes, and the journal says so`(fault: Fault) {
    let deck = Deck(Cassette(), scenario: [.always(.always, fault)], mode: .rewrite)
    let outcome = deck.decide(Request("GET", "/a"))
    #expect(outcome.forwards)
    let delivery = deck.delivery(of: outcome, on: .onTheWire)
    expectEqual(delivery.steps, [.await(.requestEnd), .bytes(.live), .finish])
    expectEqual(
      deck.journal.all[0].misfits,
      ["\(fault.json) was not done: a live response is passed on as it arrives."]
    )
  }

  @Test func `a malformed answer needs no origin`() {
    let deck = Deck(
      Cassette(),
      scenario: [.always(.always, .malformed(.badVersion))],
      mode: .rewrite
    )
    let outcome = deck.decide(Request("GET", "/a"))
    #expect(!outcome.forwards)
    let played = Played(delivery: deck.delivery(of: outcome, on: .onTheWire))
    #expect(played.sent.hasPrefix("HTTP/9.9 200 OK\r\n"))
  }
}
