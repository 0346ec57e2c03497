import TestSupport

@testable import WindTunnel

/// The requests that a deck keeps, and waits for.
@Suite(.timeLimit(.minutes(5))) struct SentRequestTests {
  private let deck = Self.deck()

  private static let origin = "https://api.example.test"

  private static func request(_ method: String, _ path: String, _ body: String = "") -> Request {
    Request(method, RequestURL(origin + path), body: Body(body))
  }

  private static func deck(_ scenario: Scenario = .calm) -> Deck {
    Deck(
      [
        .get(RequestURL(origin + "/a"), json: ["a": 1]),
        .post(RequestURL(origin + "/orders")) { _ in Response(status: 201) },
      ],
      scenario: scenario,
      then: .repeat
    )
  }

  /// All that is known of a request.
  private static func line(_ sent: SentRequest) -> String {
    let fields = sent.headers.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    let facts = "\(sent.call) \(sent.response) \(sent.status ?? 0) \(sent.faults.map(\.json))"
    return "\(sent.id) \(sent.method) \(sent.url.path) [\(fields)] '\(sent.text ?? "-")' "
      + "\(sent.isBodyKept) \(facts) \(sent.time ?? .zero) \(sent.connection == nil)"
  }

  @Test func `requests are returned as they were sent, with what they got`() throws {
    let deck = Self.deck([.on("GET /a", .attempt(2), .status(503))])
    var first = Self.request("GET", "/a")
    first.headers = ["Accept": "a", "accept": "b", "X-Note": "caf\u{e9}", "WindTunnel-Call": "one"]
    let start = Date(timeIntervalSinceReferenceDate: 0)
    var faulted = Self.request("GET", "/a")
    faulted.headers = ["WindTunnel-Call": "one"]
    let all = [first, Self.request("POST", "/orders", "x=1"), faulted, Self.request("PUT", "/b")]
    for (second, request) in all.enumerated() {
      let outcome = deck.decide(request, at: start + Double(second))
      _ = deck.delivery(of: outcome, on: .inProcess)
      deck.finished(outcome)
    }
    let nearest = try #require(deck.mismatches.first).description
    #expect(nearest.contains("Nearest: #"))
    expectEqual(
      deck.requests().map(Self.line),
      [
        "1 GET /a [Accept=a,accept=b,X-Note=caf\u{e9}] '' true one recording(1) 200 [] "
          + "0.0 seconds true",
        "2 POST /orders [] 'x=1' true deck stub 201 [] 1.0 seconds true",
        #"3 GET /a [] '' true one recording(1) 503 [{"status":503}] 2.0 seconds true"#,
        "4 PUT /b [] '' true deck \(SentRequest.ResponseSource.unmatched(nearest: nearest)) 501 [] "
          + "3.0 seconds true",
      ]
    )
    expectEqual(deck.requests("GET /a").map(\.id), [1, 3])
    #expect(deck.requests("DELETE /a").isEmpty && deck.droppedRequests == 0)
    deck.reset()
    expectEqual(deck.requests(), [])
  }

  @Test func `JSON of the content equals a literal however its strings are escaped`() {
    let deck = Deck([.post("/orders", status: 201)])
    let content = #"{"url":"https:\/\/a.example\/x","\u0061":["\u00e9"],"n":1.50}"#
    _ = deck.decide(Self.request("POST", "/orders", content))
    let json = deck.requests().first?.json
    expectEqual(json, ["url": "https://a.example/x", "a": ["\u{e9}"], "n": .number("1.50")])
  }

  @Test func `content is read as text, JSON, a value and a form`() throws {
    var form = Self.request("POST", "/orders", "q=a+b&q=%C3%A9&x=")
    form.headers = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]
    var bytes = Self.request("POST", "/orders")
    bytes.body = Body(Data([0xFF, 0x00]))
    for request in [form, Self.request("POST", "/orders", "{\"n\":[7]}"), bytes] {
      _ = deck.decide(request)
    }
    let sent = deck.requests()
    expectEqual(sent.map(\.formFields), [["q": ["a b", "\u{e9}"], "x": [""]], [:], [:]])
    expectEqual(sent.map(\.json), [nil, ["n": [7]], nil])
    try expectEqual(sent[1].decode([String: [Int]].self), ["n": [7]])
    #expect(throws: (any Error).self) { try sent[2].decode([String: [Int]].self) }
    #expect(sent[2].text == nil && sent[2].body.data == Data([0xFF, 0x00]))
  }

  @Test func `the oldest are dropped or lose their content beyond a limit`() {
    let many = Self.deck()
    for _ in 0...ExchangeRecords.entriesMax { _ = many.decide(Self.request("GET", "/a")) }
    #expect(many.requests().map(\.id) == Array(2...10_001) && many.droppedRequests == 1)
    let large = Self.deck()
    func send(_ count: Int) {
      var request = Self.request("POST", "/orders")
      request.body = Body(Data(count: count))
      _ = large.decide(request)
    }
    for count in [8 << 20, 8 << 20, 0] { send(count) }
    #expect(large.requests().map(\.id) == [1, 2, 3] && large.droppedRequests == 0)
    send(1)
    expectEqual(large.requests().map(\.body.count), [0, 8 << 20, 0, 1])
    send(16 << 20 + 1)
    expectEqual(large.requests().map(\.isBodyKept), [false, true, true, true, false])
    #expect(large.requests().map(\.id) == [1, 2, 3, 4, 5] && large.droppedRequests == 0)
  }

  @Test func `the oldest are dropped if the heads of all have too many bytes`() {
    var request = Self.request("POST", "/orders", "x")
    request.headers = ["X-Long": String(repeating: "a", count: 4 << 20)]
    for _ in 0..<7 { _ = deck.decide(request) }
    #expect(deck.requests().map(\.id) == Array(1...7) && deck.droppedRequests == 0)
    for _ in 0..<2 { _ = deck.decide(request) }
    #expect(deck.requests().map(\.id) == Array(3...9) && deck.droppedRequests == 2)
    _ = deck.decide(Self.request("GET", "/a"))
    expectEqual(deck.requests().map(\.id), Array(3...10))
    expectEqual(deck.requests().map(\.body.count), Array(repeating: 1, count: 7) + [0])
    request.headers = ["X-Long": String(repeating: "a", count: 32 << 20)]
    _ = deck.decide(request)
    #expect(deck.requests().map(\.id) == [11] && deck.droppedRequests == 10)
  }

  @Test func `a search for the next request goes on behind the last one for its pattern`()
    async throws
  {
    for path in ["/a", "/orders", "/a", "/orders"] { _ = deck.decide(Self.request("POST", path)) }
    func next(_ pattern: RequestPattern) async throws -> Int {
      try await deck.nextRequest(pattern, within: .zero).id
    }
    func searched() -> [RequestPattern: Int]? { deck.exchanges?.searchedThrough }
    try await expectEqual(next("POST /orders"), 2)
    expectEqual(searched(), ["POST /orders": 2])
    try await expectEqual(next("*"), 1)
    try await expectEqual(next("POST /orders"), 4)
    // What another pattern returned is passed over.
    try await expectEqual(next("*"), 3)
    expectEqual(searched(), ["POST /orders": 4, "*": 3])
    await #expect(throws: MissingRequest.self) { try await next("*") }
    await #expect(throws: MissingRequest.self) { try await next("GET /a") }
    expectEqual(searched(), ["POST /orders": 4, "*": 4, "GET /a": 4])
    _ = deck.decide(Self.request("GET", "/a"))
    try await expectEqual(next("GET /a"), 5)
    await #expect(throws: MissingRequest.self) { try await next("*") }
    // Of many patterns some are searched for from the start again, and nothing is returned twice.
    for number in 0..<200 {
      let pattern = RequestPattern("GET /\(number)")
      await #expect(throws: MissingRequest.self) { try await next(pattern) }
    }
    #expect(searched()?["*"] == nil && (searched()?.count ?? 0) <= 100)
    await #expect(throws: MissingRequest.self) { try await next("*") }
    _ = deck.decide(Self.request("GET", "/a"))
    deck.reset()
    _ = deck.decide(Self.request("GET", "/a"))
    try await expectEqual(next("GET /a"), 7)
  }

  @Test func `received requests are listed in the order of decisions, with concurrent senders`()
    async
  {
    await concurrently(0..<100) { _ = deck.decide(Self.request("POST", "/orders", "\($0)")) }
    expectEqual(deck.requests().map(\.id), deck.journal.all.map(\.id))
    expectEqual(Set(deck.requests().compactMap(\.text)), Set((0..<100).map { "\($0)" }))
  }

  @Test func `a deck keeps nothing where that is off`() async {
    let deck = Deck(Cassette(), options: PlaybackOptions(keepsRequests: false))
    _ = deck.decide(Self.request("GET", "/a"))
    #expect(deck.requests().isEmpty && deck.droppedRequests == 0 && deck.exchanges == nil)
  }

  @Test func `each request is waited for once, in order, and also one that came before`()
    async throws
  {
    func send(_ body: String, _ method: String = "POST") {
      _ = deck.decide(Self.request(method, "/orders", body))
    }
    send("one")
    try await expectEqual(deck.nextRequest("POST /orders", within: .seconds(60)).text, "one")
    var waiters: [Task<String?, any Error>] = []
    for count in 1...2 {
      waiters.append(Task { try await deck.nextRequest("POST /orders", within: .seconds(60)).text })
      while deck.waiterCount < count { await Task.yield() }
    }
    send("none", "GET")
    for body in ["two", "three", "four"] { send(body) }
    for (task, body) in zip(waiters, ["two", "three"]) {
      try await expectEqual(task.value, body)
    }
    try await expectEqual(deck.nextRequest("POST /orders", within: .zero).text, "four")
    expectEqual(deck.waiterCount, 0)
  }

  @Test func `a wait ends with its time or its task, and takes no request along`() async throws {
    for number in 1...12 {
      _ = deck.decide(Self.request("GET", "/a?access_token=hunter2\(number)"))
    }
    let error = await #expect(throws: MissingRequest.self) {
      try await deck.nextRequest("POST /orders", within: .milliseconds(1))
    }
    let lines = (error?.description ?? "").split(separator: "\n")
    expectEqual(lines.count, 10)
    expectEqual(
      lines[0],
      "No request POST /orders arrived within 0.001 seconds, or it was returned earlier. The last "
        + "of 12 requests:"
    )
    #expect(lines[9].hasPrefix("  GET https://api.example.test/a?") && !lines[9].contains("hunter"))
    let waiter = Task { try await deck.nextRequest("POST /orders", within: .seconds(60)) }
    while deck.waiterCount == 0 { await Task.yield() }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    _ = deck.decide(Self.request("POST", "/orders", "kept"))
    try await expectEqual(deck.nextRequest("POST /orders", within: .zero).text, "kept")
  }
}
