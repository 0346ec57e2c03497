import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// The exchanges of a console, as a fold over events.
@Suite struct ServedExchangesTests {
  private static func outcome(_ id: Int, _ body: Body = .empty) -> Outcome {
    Outcome(
      id: id,
      request: Request("GET", RequestURL("http://api.example.test/\(id)"), body: body),
      source: .computed(Response()),
      decision: FaultDecision(lane: .deck, key: "GET /\(id)", ordinal: 1, faults: [])
    )
  }

  private static let end = ExchangeEnd(
    status: 200,
    bytes: 3,
    latency: .milliseconds(2),
    ending: .whole
  )

  private static func events(_ id: Int) -> [(ExchangeEvent, Duration)] {
    let outcome = outcome(id)
    return [
      (.requestEnd(outcome, handshake: nil, upload: nil), .milliseconds(10 * id)),
      (.firstByte(outcome), .milliseconds(10 * id + 1)),
      (.ended(outcome, end), .milliseconds(10 * id + 2)),
    ]
  }

  @Test(.world) func `of very many the latest are kept, and the others counted`() {
    var exchanges = ServedExchanges()
    exchanges.begin(.calm, seed: 1, at: .zero)
    let count = ConsoleFeed<ServedExchange>.subjectsMax * 11 / 10
    for id in 1...count {
      if id == 7 { exchanges.begin(Scenario("rain"), seed: 2, at: .zero) }
      for (event, moment) in Self.events(id) { exchanges.apply(event, of: 0, at: moment) }
    }
    expectEqual(exchanges.feed.subjects.last?.row.url, "http://api.example.test/\(count)")
    let kept = exchanges.feed.subjects.count
    #expect(kept >= ConsoleFeed<ServedExchange>.subjectsMax * 9 / 10)
    expectEqual(exchanges.feed.dropped, count - kept)
    #expect(exchanges.feed.subjects.allSatisfy { $0.row.status == 200 })
    expectEqual(exchanges.feed.segments.map(\.scenario.name), ["calm", "rain"])
    let told = exchanges.feed.counters.json(at: .seconds(999))
    #expect(told["requests"]?.intValue == count && told["answered"]?.intValue == count)
    #expect(told["open"] == 0 && told["statuses"]?["200"]?.intValue == count)
  }

  private static func outcome(_ id: Int, of path: String, skipped: Int) -> Outcome {
    var outcome = outcome(id)
    outcome.request.url = RequestURL("http://api.example.test\(path)")
    outcome.skipped = skipped
    return outcome
  }

  private static func end(_ status: Int) -> ExchangeEnd {
    ExchangeEnd(status: status, bytes: 0, latency: .milliseconds(2), ending: .whole)
  }

  @Test func `attempts are counted as far as nothing between them was missed`() {
    var exchanges = ServedExchanges()
    for (id, skipped) in [(1, 0), (2, 0), (103, 100), (104, 100)] {
      let outcome = Self.outcome(id, of: "/a", skipped: skipped)
      let moment = Duration.milliseconds(10 * id)
      exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: moment)
      exchanges.apply(.ended(outcome, Self.end(503)), at: moment + .milliseconds(4))
    }
    let rows = exchanges.feed.subjects.map(\.row)
    expectEqual(rows.map(\.attempt), [1, 2, 1, 2])
    expectEqual(rows.map(\.gap), [nil, .milliseconds(6), nil, .milliseconds(6)])
  }

  @Test func `a gap is from the end of the attempt before, and from no other's`() {
    var exchanges = ServedExchanges()
    let outcomes = (1...4).map { Self.outcome($0, of: "/a", skipped: 0) }
    func begin(_ place: Int, _ at: Int) {
      let moment = Duration.milliseconds(at)
      exchanges.apply(.requestEnd(outcomes[place], handshake: nil, upload: nil), at: moment)
    }
    func end(_ place: Int, _ at: Int) {
      exchanges.apply(.ended(outcomes[place], Self.end(503)), at: .milliseconds(at))
    }
    begin(0, 0)
    // The last byte is with the client before the server knows it.
    begin(1, 100)
    end(0, 101)
    begin(2, 110)
    end(1, 200)
    end(2, 220)
    begin(3, 270)
    expectEqual(exchanges.feed.subjects.map(\.row.gap), [nil, nil, nil, .milliseconds(50)])
  }

  @Test func `connections that fail are not piled up either`() {
    var exchanges = ServedExchanges()
    exchanges.begin(.calm, seed: 1, at: .zero)
    let count = 3 * ConsoleFeed<ServedExchange>.subjectsMax
    for id in 1...count {
      let decision = FaultDecision(
        lane: .deck,
        key: FaultDecision.connectionKey,
        ordinal: id,
        faults: [.connection(.refused)]
      )
      let entry = Journal.Record(id: id, decision: decision, take: .connection)
      exchanges.apply(.decided(entry), of: 0, at: .milliseconds(id))
    }
    expectEqual(exchanges.feed.subjects.last?.row.at, .milliseconds(count))
    #expect(
      exchanges.feed.dropped == count - exchanges.feed.subjects.count && exchanges.feed.dropped > 0
    )
  }

  @Test func `large contents are not piled up`() {
    var exchanges = ServedExchanges()
    let body = Body(Data(count: 1 << 20))
    for id in 1...200 {
      let outcome = Self.outcome(id, body)
      exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), of: 0, at: .zero)
    }
    #expect(exchanges.feed.subjects.count > 0, "they were read meanwhile, and the oldest given up")
    #expect(exchanges.feed.subjects.count < 64 && exchanges.feed.dropped > 100)
  }

  @Test func `exchanges are available to the console before a page is open`() throws {
    let console = Console(.serve)
    console.begin(.calm, seed: 1)
    for (event, _) in Self.events(1) { console.observe(event) }
    expectEqual(console.board.counts.kept, 1)
    expectEqual(console.board.rows(after: 0, most: 9).rows.count, 1)
    expectEqual(console.lines(of: [1, 2]), [1])
  }
}
