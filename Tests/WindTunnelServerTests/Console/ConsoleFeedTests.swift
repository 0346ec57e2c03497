import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// What a console keeps and shows, out of the events of a deck.
@Suite struct ConsoleFeedTests {
  private let stand = Stand()

  private static let tape = Cassette([
    Interaction(
      Request("GET", "https://api.example.test/home"),
      Response(headers: ["Content-Type": "application/json"], body: Body(#"{"a":1}"#))
    )
  ])

  /// A deck whose events go to exchanges, at moments that the test tells.
  private final class Stand: Sendable {
    let exchanges = Locked(ServedExchanges())
    let deck: Deck

    init(_ scenario: Scenario = .calm) {
      deck = Deck(
        ConsoleFeedTests.tape,
        scenario: scenario,
        options: PlaybackOptions(matcher: .url, then: .repeat),
        observe: { [exchanges] event in
          guard case .decided = event else { return }
          exchanges.withLock { $0.apply(event, at: .zero) }
        }
      )
      exchanges.withLock { $0.begin(scenario, seed: 1, at: .zero) }
    }

    func begin(_ path: String, at milliseconds: Int) -> Outcome {
      let outcome = deck.decide(Request("GET", RequestURL("https://api.example.test\(path)")))
      apply(.requestEnd(outcome, handshake: nil, upload: .milliseconds(1)), at: milliseconds)
      return outcome
    }

    func end(_ outcome: Outcome, _ status: Int, at milliseconds: Int) {
      let end = ExchangeEnd(status: status, bytes: 7, latency: .milliseconds(5), ending: .whole)
      apply(.ended(outcome, end), at: milliseconds)
    }

    func apply(_ event: ExchangeEvent, at milliseconds: Int) {
      exchanges.withLock { $0.apply(event, at: .milliseconds(milliseconds)) }
    }

    var feed: ConsoleFeed<ServedExchange> { exchanges.withLock { $0.feed } }
  }

  @Test func `a request is a line from its end on, and changes until its answer's`() throws {
    let stand = Stand([.on("GET /home", .attempt(2), .status(503))])
    let first = stand.begin("/home", at: 10)
    var line = ConsoleRow(
      id: 1,
      at: .milliseconds(10),
      segment: 1,
      "GET",
      "https://api.example.test/home"
    )
    (line.take, line.interaction) = ("recording", 1)
    expectEqual(stand.feed.subjects.map(\.row), [line])
    stand.apply(.firstByte(first), at: 13)
    stand.end(first, 200, at: 15)
    (line.status, line.bytes, line.ending) = (200, 7, "whole")
    (line.firstByte, line.latency) = (.milliseconds(3), .milliseconds(5))
    expectEqual(stand.feed.subjects.map(\.row), [line])
    _ = stand.begin("/home", at: 40)
    let second = try #require(stand.feed.subjects.last?.row)
    #expect(second.attempt == 1 && second.gap == nil && second.ordinal == 2)
    #expect(second.take == "withheld" && second.faults == ["status 503"])
    expectNil(second.ending)
  }

  @Test func `an equal request behind one that failed is its next attempt`() {
    let stand = Stand([.on("GET /home", .first(2), .status(503))])
    stand.end(stand.begin("/home", at: 10), 503, at: 15)
    stand.end(stand.begin("/home", at: 40), 503, at: 45)
    stand.end(stand.begin("/home", at: 90), 200, at: 95)
    stand.end(stand.begin("/home", at: 200), 200, at: 205)
    expectEqual(stand.feed.subjects.map(\.row.attempt), [1, 2, 3, 1])
    expectEqual(
      stand.feed.subjects.map(\.row.gap),
      [nil, .milliseconds(25), .milliseconds(45), nil]
    )
  }

  /// A proxy names the client where a request ends, and not where its answer does.
  @Test func `a good answer ends the attempts of a proxy's client, too`() {
    for number in 1...3 {
      let outcome = stand.deck.decide(Request("GET", "https://api.example.test/home"))
      var named = outcome
      named.client = "192.168.1.20"
      stand.apply(.requestEnd(named, handshake: nil, upload: nil), at: number * 10)
      stand.end(outcome, 200, at: number * 10 + 5)
    }
    expectEqual(stand.feed.subjects.map(\.row.attempt), [1, 1, 1])
  }

  @Test func `a request belongs to the segment in which it was decided`() {
    let outcome = stand.deck.decide(Request("GET", "https://api.example.test/home"))
    stand.exchanges.withLock { $0.begin(Scenario("next"), seed: 1, at: .milliseconds(5)) }
    // It has come whole only now.
    stand.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: 10)
    _ = stand.begin("/home", at: 11)
    expectEqual(stand.feed.subjects.map(\.row.segment), [1, 2])
    expectEqual(stand.feed.segments.map(\.number), [1, 2])
  }

  @Test func `a tunnel belongs to the segment in which it was opened`() {
    stand.exchanges.withLock { $0.begin(Scenario("next"), seed: 1, at: .milliseconds(5)) }
    _ = stand.begin("/home", at: 6)
    for scenario in ["next", stand.deck.scenario.name] {
      let end = TunnelEnd(
        scenario: scenario,
        authority: "api.example.test:443",
        connect: .milliseconds(1),
        bytesUp: 1,
        bytesDown: 2,
        duration: .milliseconds(3),
        reason: .closed
      )
      stand.apply(.tunnelEnded(end), at: 9)
    }
    expectEqual(stand.feed.subjects.map(\.row.segment), [2, 2, 1])
  }

  @Test func `where nobody looks no change is noted`() {
    let outcome = stand.begin("/home", at: 1)
    expectEqual(stand.feed.changeCount, 0)
    stand.exchanges.withLock { $0.feed.isWatched = true }
    stand.end(outcome, 200, at: 2)
    _ = stand.begin("/home", at: 3)
    expectEqual(stand.feed.changeCount, 2)
    let changes = stand.feed.changes(after: 0, most: 10)
    #expect(changes.subjects.map(\.id) == [1, 2] && changes.others == 0)
    expectEqual(stand.feed.changes(after: 1, most: 10).subjects.map(\.id), [2])
    stand.exchanges.withLock { $0.feed.isWatched = false }
    #expect(stand.feed.changes(after: 2, most: 10).subjects.isEmpty)
  }

  @Test func `of many changes the latest are told, and the others counted`() {
    stand.exchanges.withLock { $0.feed.isWatched = true }
    for number in 1...300 { _ = stand.begin("/home", at: number) }
    let changes = stand.feed.changes(after: 0, most: 200)
    #expect(changes.subjects.map(\.id) == Array(101...300) && changes.others == 100)
  }

  @Test func `the latest ten thousand are kept, and numbers go on`() {
    for number in 1...10_001 { stand.end(stand.begin("/home", at: number), 200, at: number) }
    let feed = stand.feed
    #expect(feed.subjects.count == 9001 && feed.dropped == 1000)
    #expect(feed.subjects.first?.id == 1001 && feed.nextID == 10_002)
    #expect(feed[1000] == nil && feed[1001]?.id == 1001 && feed[10_001]?.row.ordinal == 10_001)
    expectEqual(feed.subjects(after: 1500, most: 2).map(\.id), [1501, 1502])
    expectEqual(feed.subjects(after: 0, most: 2).map(\.id), [1001, 1002])
  }

  @Test func `large bodies go before small ones are ten thousand`() {
    let body = Body(String(repeating: "x", count: 1 << 20))
    for number in 1...100 {
      let request = Request("GET", "https://api.example.test/home", body: body)
      let outcome = stand.deck.decide(request)
      stand.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: number)
    }
    let feed = stand.feed
    #expect(feed.subjects.count < 64 && feed.subjects.last?.id == 100)
    expectEqual(feed.dropped + feed.subjects.count, 100)
  }

  @Test func `counters say what came of all`() {
    let stand = Stand([.on("GET /home", .attempt(2), .status(503))])
    stand.end(stand.begin("/home", at: 100), 200, at: 105)
    stand.end(stand.begin("/home", at: 200), 503, at: 205)
    _ = stand.begin("/away", at: 300)
    let told = "\(stand.feed.counters.json(at: .milliseconds(1500)))"
    let wanted = [
      #"{"at":1500,"requests":3,"unseen":0,"answered":1,"failed":1,"faulted":1,"open":1,"retries":0,"#,
      #""bytes":14,"perSecond":3,"latency":{"p50":5,"p95":5,"p99":5},"#,
      #""statuses":{"200":1,"503":1},"sources":{"recording":1,"unmatched":1,"withheld":1},"#,
      #""faults":{"status":1}}"#,
    ]
    expectEqual(told, wanted.joined())
  }
}
