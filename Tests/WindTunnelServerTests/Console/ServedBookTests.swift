import Foundation
import Testing
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// A console at which nobody looks.
@Suite struct ServedBookTests {
  private static func outcome(_ id: Int, _ body: Body = .empty) -> Outcome {
    Outcome(
      id: id,
      request: Request("GET", RequestURL("http://api.example.test/\(id)"), body: body),
      source: .computed(Response()),
      decision: Decision(lane: .deck, key: "GET /\(id)", ordinal: 1, faults: [])
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

  @Test func `what is written down is read to the same lines, segments and counts`() {
    var (eager, lazy) = (ServedBook(.standard), ServedBook(.standard))
    eager.watch(true)
    func both(_ change: (inout ServedBook) -> Void) {
      change(&eager)
      change(&lazy)
    }
    both { $0.begin(.calm, seed: 1, at: .zero) }
    for id in 1...30 {
      let decision = Self.outcome(id).decision
      let entry = Journal.Entry(id: id, decision: decision, take: .recording(0))
      both { $0.take(.decided(entry), of: 0, at: .zero) }
      for (event, moment) in Self.events(id) { both { $0.take(event, of: 0, at: moment) } }
      let rain = Scenario("rain")
      if id == 20 { both { $0.begin(rain, seed: 2, at: .milliseconds(205)) } }
    }
    #expect(eager.feed.subjects.count == 30 && lazy.feed.subjects.isEmpty)
    lazy.settle()
    #expect(lazy.feed.subjects.map(\.row) == eager.feed.subjects.map(\.row))
    #expect(lazy.feed.segments == eager.feed.segments)
    #expect(lazy.feed.subjects.map(\.segment) == (1...30).map { $0 > 20 ? 2 : 1 })
    let later = Duration.seconds(9)
    #expect(lazy.feed.counters.json(at: later) == eager.feed.counters.json(at: later))
  }

  @Test func `of very many the latest are kept, and the others counted`() {
    var book = ServedBook(.standard)
    book.begin(.calm, seed: 1, at: .zero)
    let count = 3 * ConsoleFeed<ServedExchange>.subjectsMax + 5
    for id in 1...count {
      if id == 7 { book.begin(Scenario("rain"), seed: 2, at: .zero) }
      for (event, moment) in Self.events(id) { book.take(event, of: 0, at: moment) }
    }
    book.settle()
    #expect(book.feed.subjects.last?.row.url == "http://api.example.test/\(count)")
    let kept = book.feed.subjects.count
    #expect(kept >= ConsoleFeed<ServedExchange>.subjectsMax * 9 / 10)
    #expect(book.feed.dropped == count - kept)
    #expect(book.feed.subjects.allSatisfy { $0.row.status == 200 })
    #expect(book.feed.segments.map(\.scenario.name) == ["calm", "rain"])
    let told = book.feed.counters.json(at: .seconds(999))
    #expect(told["requests"]?.intValue == count && told["answered"]?.intValue == count)
    #expect(told["open"] == 0 && told["statuses"]?["200"]?.intValue == count)
  }

  @Test func `connections that fail are not piled up either`() {
    var book = ServedBook(.standard)
    book.begin(.calm, seed: 1, at: .zero)
    let count = 3 * ConsoleFeed<ServedExchange>.subjectsMax
    for id in 1...count {
      let decision = Decision(
        lane: .deck,
        key: Decision.connectionKey,
        ordinal: id,
        faults: [.connection(.refused)]
      )
      let entry = Journal.Entry(id: id, decision: decision, take: .connection)
      book.take(.decided(entry), of: 0, at: .milliseconds(id))
    }
    book.settle()
    #expect(book.feed.subjects.last?.row.at == .milliseconds(count))
    #expect(book.feed.dropped == count - book.feed.subjects.count && book.feed.dropped > 0)
  }

  @Test func `large contents are not piled up`() {
    var book = ServedBook(.standard)
    let body = Body(Data(count: 1 << 20))
    for id in 1...200 {
      let outcome = Self.outcome(id, body)
      book.take(.requestEnd(outcome, handshake: nil, upload: nil), of: 0, at: .zero)
    }
    #expect(book.feed.subjects.count > 0, "they were read meanwhile, and the oldest given up")
    book.settle()
    #expect(book.feed.subjects.count < 64 && book.feed.dropped > 100)
  }

  @Test func `whoever asks without a page open sees what happened`() throws {
    let console = Console(.serve)
    console.begin(.calm, seed: 1)
    for (event, _) in Self.events(1) { console.observe(event) }
    #expect(console.board.counts.kept == 1)
    #expect(console.board.rows(after: 0, most: 9).rows.count == 1)
    #expect(console.lines(of: [1, 2]) == [1])
  }
}
