import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelServer

/// What a server received, and the questions about it.
@Suite struct RequestLogTests {
  /// A log of requests, their numbers from 1.
  static func log(_ lines: String..., deck: Deck? = nil) -> RequestLog {
    let tape = Cassette([Interaction(Request("GET", "https://api.example.test/a"), Response())])
    let deck = deck ?? Deck(tape, then: .repeat)
    var log = RequestLog()
    for line in lines { log.begin(deck.decide(request(line))) }
    return log
  }

  static func request(_ line: String) -> Request {
    let words = line.split(separator: " ").map(String.init)
    return Request(words[0], RequestURL("https://api.example.test\(words[1])"))
  }

  static func answer(_ question: String, _ log: RequestLog) throws -> JSON {
    try RequestQuestion(data: Data(question.utf8)).answer(from: log)
  }

  static func told(_ lines: (Int, String)...) -> JSON {
    .array(
      lines.map { id, line in
        ["id": .number(id), "request": .text("\(request(line).method) \(request(line).url)")]
      }
    )
  }

  @Test(arguments: [true, false])
  func `a fault that was not done is told and counted as none`(comesFirst: Bool) throws {
    let deck = Deck(
      Cassette([Interaction(Request("GET", "https://api.example.test/a"), Response())]),
      scenario: Scenario(
        "two",
        rules: [FaultRule(when: .always, [.delay(.exactly(.milliseconds(1))), .reset(afterEvents: 1)])]
      ),
      then: .repeat
    )
    var log = RequestLog()
    let outcome = deck.decide(Self.request("GET /a"))
    let undone = UndoneFault(.reset(afterEvents: 1), because: "the answer streams no events")
    if comesFirst { log.apply(.undone(outcome, [undone]), at: .zero) }
    log.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
    if !comesFirst { log.apply(.undone(outcome, [undone]), at: .zero) }
    log.apply(.ended(outcome, nil), at: .zero)
    let entry = try #require(log.entries.first)
    #expect(entry.undone == [undone] && log.faultCounts == ["delayMilliseconds": 1])
    expectEqual(
      entry.json["notDone"],
      [#"{"resetAfterEvents":1} was not done: the answer streams no events."#]
    )
  }

  @Test func `what was not done of a request that never came whole is forgotten`() {
    let deck = Deck(Cassette(), then: .repeat)
    var log = RequestLog()
    let outcome = deck.decide(Self.request("GET /a"))
    log.apply(
      .undone(outcome, [UndoneFault(.delay(.exactly(.milliseconds(1))), because: "no")]),
      at: .zero
    )
    log.apply(.ended(outcome, nil), at: .zero)
    expectEqual(log, RequestLog())
  }

  @Test func `a request is asked for by how often it came`() throws {
    let log = Self.log("GET /a", "POST /b", "GET /a")
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
    let log = Self.log("GET /a", "GET /a?c=2&b=1")
    let answer = try Self.answer(#"{"request":"\#(pattern)","times":\#(count)}"#, log)
    expectEqual(answer["passed"], true)
    expectEqual(answer["seen"]?["count"], .number(count))
  }

  @Test func `an order is asked for, whatever came between`() throws {
    let log = Self.log("GET /a", "POST /b", "GET /c")
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
    var log = Self.log("GET /a", "POST /b", "GET /a")
    var last = Deck(Cassette()).decide(Self.request("GET /a"))
    last.id = 3
    log.end(last)
    func found(_ change: (inout RequestFilter) -> Void) -> [Int] {
      var filter = RequestFilter()
      change(&filter)
      return filter.entries(of: log).map(\.id)
    }
    expectEqual(found { _ in }, [1, 2, 3])
    expectEqual(found { $0.method = "POST" }, [2])
    expectEqual(found { $0.path = "/a" }, [1, 3])
    expectEqual(found { $0.since = 1 }, [2, 3])
    expectEqual(found { $0.status = 200 }, [3])
    expectEqual(found { $0.take = "unmatched" }, [2])
    expectEqual(found { $0.limit = 2 }, [1, 2])
  }

  @Test func `the oldest go, and nobody is told a count of what has gone`() throws {
    let deck = Deck(Cassette())
    var log = RequestLog()
    let outcome = deck.decide(Self.request("GET /a"))
    for id in 1...(RequestLog.entriesMax + 1) {
      var next = outcome
      next.id = id
      log.begin(next)
    }
    expectEqual(log.dropped, RequestLog.entriesMax / 10)
    expectEqual(log.entries.count, RequestLog.entriesMax - log.dropped + 1)
    expectEqual(log.entries.first?.id, log.droppedThrough + 1)
    expectEqual(log.takeCounts, ["unmatched": RequestLog.entriesMax + 1])
    let question = try RequestQuestion(data: Data(#"{"request":"/a"}"#.utf8))
    #expect(!question.isTold(by: log))
    let since = #"{"request":"/a","since":\#(log.droppedThrough)}"#
    #expect(try RequestQuestion(data: Data(since.utf8)).isTold(by: log))
    // The end of one that has gone is nobody's.
    let before = log
    var first = outcome
    first.id = 1
    log.end(first)
    expectEqual(log, before)
  }

  @Test func `decisions that come late stand at their place`() {
    let deck = Deck(Cassette())
    let outcomes = (1...3).map { _ in deck.decide(Self.request("GET /a")) }
    var log = RequestLog()
    for index in [1, 0, 2] { log.begin(outcomes[index]) }
    expectEqual(log.entries.map(\.id), [1, 2, 3])
  }
}

extension RequestLog {
  fileprivate mutating func begin(_ outcome: Outcome) {
    apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
  }

  fileprivate mutating func end(_ outcome: Outcome) {
    let end = ExchangeEnd(status: 200, bytes: 0, latency: .zero, ending: .whole)
    apply(.ended(outcome, end), at: .zero)
  }
}
