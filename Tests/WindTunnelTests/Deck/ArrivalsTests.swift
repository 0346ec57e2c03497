import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel

/// Counting requests of which there are ever new ones.
@Suite struct ArrivalsTests {
  private static func key(_ number: Int) -> LaneKey {
    LaneKey(.deck, Fingerprint("GET /\(number)"))
  }

  @Test func `however many keys come, the first and the last are counted and no more are kept`() {
    var arrivals = Arrivals(keeping: 100, passing: 50)
    for number in 0..<1_000_000 / 50 {
      let arrival = arrivals.arrive(number + 1, Self.key(number))
      #expect(arrival.ordinal == 1 && arrival.others == .none)
      arrivals.end(number + 1, at: arrival.slot)
    }
    #expect(arrivals.keyCount == 150 && arrivals.carriedCount == 0)
    let again = (Array(0..<100) + Array(19_950..<20_000)).map { arrivals.count(Self.key($0)) }
    expectEqual(again, Array(repeating: 2, count: 150))
    let forgotten = arrivals.count(Self.key(100))
    expectEqual(forgotten, 1, "it was forgotten, and begins anew")
    expectEqual(arrivals.keyCount, 150)
  }

  @Test func `what is being carried is not forgotten`() {
    var arrivals = Arrivals(keeping: 1, passing: 2)
    let carried = (0..<4).map { arrivals.arrive($0 + 1, Self.key($0)) }
    // The fourth found no room, and was let in all the same.
    #expect(arrivals.keyCount == 4 && arrivals.carriedCount == 4)
    expectEqual(carried.map(\.slot), [0, 1, 2, 3])
    for (place, arrival) in carried.enumerated() {
      let other = arrivals.arrive(place + 11, Self.key(place))
      expectEqual(other, .init(ordinal: 2, others: .one(place + 1), slot: arrival.slot))
      let third = arrivals.arrive(place + 21, Self.key(place))
      expectEqual(third.others, .several)
      for id in [place + 1, place + 1, place + 11, place + 21] {
        arrivals.end(id, at: arrival.slot)
      }
    }
    expectEqual(arrivals.carriedCount, 0)
    _ = arrivals.arrive(99, Self.key(99))
    expectEqual(arrivals.keyCount, 4, "one of those that have ended made room")
  }

  @Test func `an end that comes when everything began anew changes nothing`() {
    let deck = Deck([.get("/a", json: 1, then: .repeat)], matcher: .pathAndQuery)
    let outcome = deck.decide(Request("GET", "/a"))
    deck.reset()
    let next = deck.decide(Request("GET", "/a"))
    deck.finished(outcome)
    expectEqual(deck.arrivals.carriedCount, 1)
    deck.finished(next)
    deck.finished(next)
    expectEqual(deck.arrivals.carriedCount, 0)
  }

  @Test func `what the first keys meet is the same beside any number of others`() {
    let scenario: Scenario = [
      .on("GET /**", .first(2), .status(503)), .on("GET /**", .probability(0.5), .status(500)),
    ]
    func story(among others: Int) -> [[Fault]] {
      let deck = Deck([.get("/{id}", json: 1, then: .repeat)], scenario: scenario, seed: 7)
      var faults: [[Fault]] = []
      for round in 0..<5 {
        for number in 0..<20 {
          let outcome = deck.decide(Request("GET", RequestURL("/\(number)")))
          faults.append(outcome.decision.faults)
          deck.finished(outcome)
        }
        for number in 0..<others {
          deck.finished(deck.decide(Request("GET", RequestURL("/other-\(round)-\(number)"))))
        }
      }
      return faults
    }
    expectEqual(story(among: 0), story(among: 500))
  }

  @Test
  func `a placeholder's recordings are played in order for the first keys, however many come`() {
    var table = BoundedTable<Int, Int>(keeping: 3, passing: 4)
    for key in 0..<1000 {
      let place = table.place(of: key, or: 0)
      table[place] += 1
    }
    expectEqual(table.count, 7)
    var values: [Int] = []
    for key in [0, 1, 2, 999, 500] {
      let place = table.place(of: key, or: 0)
      values.append(table[place])
    }
    expectEqual(values, [1, 1, 1, 1, 0])
  }
}
