import TestSupport

@testable import WindTunnel

@Suite struct ConcurrencyTests {
  private static let scenario = Scenario(
    "storm",
    rules: [
      .on("GET /x", .probability(1 / 3), .status(503)),
      .on("GET /*", .every(4), .delay(.around(.seconds(1), jitter: .milliseconds(500)))),
      .on("GET /x", Trigger(first: 9, probability: 1 / 2), .reset(afterBodyBytes: 1)),
    ]
  )
  private static let lanes = (0..<4).map { Lane("call/\($0)") }

  /// Decides fifty requests a lane by as many tasks at once as asked.
  private func journal(tasks: Int) async -> [Journal.Record] {
    let deck = Deck(
      [.get("/x", json: 1), .get("/x", json: 2), .get("/x", json: 3, then: .repeat)],
      scenario: Self.scenario,
      seed: 7
    )
    await concurrently(0..<tasks) { task in
      for number in stride(from: task, to: 200, by: tasks) {
        deck.finished(deck.decide(Request("GET", "/x"), lane: Self.lanes[number % 4]))
      }
    }
    return deck.journal.all
  }

  @Test func `concurrent tasks meet the faults that the pure function decides`() async {
    let entries = await journal(tasks: 50)
    expectEqual(entries.count, 200)
    let request = Request("GET", "/x")
    let key = Matcher.url.key(request)
    for entry in entries {
      let told = Self.scenario.decide(
        request,
        key: key,
        seed: 7,
        lane: entry.decision.lane,
        ordinal: entry.decision.ordinal
      )
      expectEqual(entry.decision, told)
    }
    for lane in Self.lanes {
      expectEqual(
        entries.filter { $0.decision.lane == lane }.map(\.decision.ordinal),
        Array(1...50)
      )
    }
  }

  @Test func `decisions and takes of a lane are the same at any concurrency`() async {
    let alone = await journal(tasks: 1)
    for tasks in [2, 8, 50] {
      let together = await journal(tasks: tasks)
      for lane in Self.lanes {
        let of: ([Journal.Record]) -> [String] = { entries in
          entries.filter { $0.decision.lane == lane }.map { "\($0.decision.line) \($0.take)" }
        }
        expectEqual(of(together), of(alone))
      }
    }
  }
}
