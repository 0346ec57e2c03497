import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The questions about the requests of a server, and the rows that list them.
@Suite struct RequestQuestionTests {
  /// A deck that was asked for each line, numbered from 1.
  static func deck(_ lines: String..., scenario: Scenario = .calm) -> Deck {
    let tape = Cassette([Interaction(Request("GET", "https://api.example.test/a"), Response())])
    let deck = Deck(tape, scenario: scenario, then: .repeat)
    for line in lines { _ = deck.decide(request(line)) }
    return deck
  }

  static func records(of deck: Deck) -> ExchangeRecords { deck.exchanges ?? ExchangeRecords() }

  static func request(_ line: String) -> Request {
    let words = line.split(separator: " ").map(String.init)
    return Request(words[0], RequestURL("https://api.example.test\(words[1])"))
  }

  static func answer(_ question: String, _ deck: Deck) throws -> JSON {
    try RequestQuestion(data: Data(question.utf8)).answer(from: records(of: deck))
  }

  static func told(_ lines: (Int, String)...) -> JSON {
    .array(
      lines.map { id, line in
        ["id": .number(id), "request": .text("\(request(line).method) \(request(line).url)")]
      }
    )
  }

  @Test func `a fault that was not done is told and counted as none`() throws {
    let rule = FaultRule(
      when: .always,
      [.delay(.exactly(.milliseconds(1))), .reset(afterEvents: 1)]
    )
    let deck = Self.deck(scenario: Scenario("two", rules: [rule]))
    _ = deck.delivery(of: deck.decide(Self.request("GET /a")), on: .inProcess)
    let records = Self.records(of: deck)
    expectEqual(records.faultCounts, ["delayMilliseconds": 1])
    let row = try #require(records.entries.first).row(since: Date(), by: .standard)
    expectEqual(
      row["notDone"],
      [#"{"resetAfterEvents":1} was not done: the response has no event stream."#]
    )
  }

  @Test func `a request is asked for by how often it came`() throws {
    let log = Self.deck("GET /a", "POST /b", "GET /a")
    let seen: JSON = ["count": 2, "requests": Self.told((1, "GET /a"), (3, "GET /a"))]
    let questions: [(String, String, Bool)] = [
      (#"{"request":"GET /a"}"#, "GET /a at least once", true),
      (#"{"request":"GET /a","times":2}"#, "GET /a exactly 2 times", true),
      (#"{"request":"GET /a","times":1}"#, "GET /a exactly once", false),
      (#"{"request":"GET /a","atLeast":3}"#, "GET /a at least 3 times", false),
      (#"{"request":"GET /a","atMost":2}"#, "GET /a at most 2 times", true),
      (#"{"request":"GET /a","atLeast":1,"atMost":2}"#, "GET /a 1 to 2 times", true),
    ]
    for (question, asked, passed) in questions {
      let answer = try Self.answer(question, log)
      expectEqual(answer, ["passed": .bool(passed), "asked": .text(asked), "seen": seen])
    }
    try expectEqual(
      Self.answer(#"{"request":"GET /a","times":1,"since":1}"#, log),
      [
        "passed": true, "asked": "GET /a exactly once",
        "seen": ["count": 1, "requests": Self.told((3, "GET /a"))],
      ]
    )
  }

  @Test(arguments: [
    ("GET /a?b=1&c=2", 1), ("GET /a?c=2&b=1", 1), ("GET /a?b=1", 0), ("GET /a", 2), ("BREW /a", 0),
  ])
  func `a request is asked for with its query, too`(pattern: String, count: Int) throws {
    let log = Self.deck("GET /a", "GET /a?c=2&b=1")
    let answer = try Self.answer(#"{"request":"\#(pattern)","times":\#(count)}"#, log)
    expectEqual(answer["passed"], true)
    expectEqual(answer["seen"]?["count"], .number(count))
  }

  @Test func `the order of two requests is verified regardless of requests between them`() throws {
    let log = Self.deck("GET /a", "POST /b", "GET /c")
    try expectEqual(
      Self.answer(#"{"inOrder":["GET /a","GET /c"]}"#, log),
      [
        "passed": true, "asked": "GET /a, then GET /c",
        "seen": [
          "found": 2, "missing": nil, "count": 2,
          "requests": Self.told((1, "GET /a"), (3, "GET /c")),
        ],
      ]
    )
    try expectEqual(
      Self.answer(#"{"inOrder":["POST /b","GET /a"]}"#, log),
      [
        "passed": false, "asked": "POST /b, then GET /a",
        "seen": [
          "found": 1, "missing": "GET /a", "count": 2,
          "requests": Self.told((1, "GET /a"), (2, "POST /b")),
        ],
      ]
    )
  }

  @Test(arguments: try TestData.rows("refused-questions.json", count: 11) as [(String, String)])
  func `a question that makes no sense is refused in words`(text: String, words: String) {
    let error = #expect(throws: FormatError.self) { _ = try RequestQuestion(data: Data(text.utf8)) }
    expectEqual(error?.description.contains(words), true, "\(error?.description ?? "")")
  }

  @Test func `requests are found by filters`() {
    let deck = Self.deck("GET /a", "POST /b")
    let end = ExchangeEnd(status: 200, bytes: 0, latency: .zero, ending: .whole)
    deck.finished(deck.decide(Self.request("GET /a")), end)
    func found(_ change: (inout RequestFilter) -> Void) -> [Int] {
      var filter = RequestFilter()
      change(&filter)
      return filter.entries(of: Self.records(of: deck)).map(\.id)
    }
    expectEqual(found { _ in }, [1, 2, 3])
    expectEqual(found { $0.method = "POST" }, [2])
    expectEqual(found { $0.path = "/a" }, [1, 3])
    expectEqual(found { $0.since = 1 }, [2, 3])
    expectEqual(found { $0.status = 200 }, [3])
    expectEqual(found { $0.take = "unmatched" }, [2])
    expectEqual(found { $0.limit = 2 }, [1, 2])
  }

  @Test func `the oldest requests are dropped, and a count that includes them is not reported`()
    throws
  {
    let deck = Self.deck()
    for _ in 0...ExchangeRecords.entriesMax { deck.finished(deck.decide(Self.request("GET /a"))) }
    let records = Self.records(of: deck)
    #expect(records.dropped == 1 && records.droppedThrough == 1)
    expectEqual(records.entries.map(\.id), Array(2...ExchangeRecords.entriesMax + 1))
    expectEqual(records.takeCounts, ["recording": ExchangeRecords.entriesMax + 1])
    let question = try RequestQuestion(data: Data(#"{"request":"/a"}"#.utf8))
    #expect(!question.isTold(by: records))
    let since = #"{"request":"/a","since":1}"#
    #expect(try RequestQuestion(data: Data(since.utf8)).isTold(by: records))
  }
}
