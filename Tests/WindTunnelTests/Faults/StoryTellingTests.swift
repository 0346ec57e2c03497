import TestSupport

@testable import WindTunnel

/// What a story says of rules that look at the clock and at fields.
@Suite struct StoryTellingTests {
  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  static let scenario = Scenario(
    "s",
    rules: [
      .on("GET /**", .probability(0.5), .status(503)),
      .on("GET /**", .window(from: .seconds(1), until: .seconds(2)), .delay(.exactly(.seconds(1)))),
      .on("GET /**", Trigger(header: .present("A"), probability: 0.5), .mutate(.null()), .close),
      .on("GET /users/*", .until(headerChanges: "Authorization"), .status(401)),
      .on("GET /users/*", .recording(1), .dribble(bytes: 1, every: .milliseconds(1))),
      .always(.window(until: .seconds(1)), .connection(.refused)),
      .always(.burst(goodToBad: 0.5, badToGood: 0.5), .connection(.offline)),
    ]
  )

  private func requests() -> [Request] {
    let fields: [HeaderFields] = [
      [:], ["A": "1"], ["Authorization": "x"], ["A": "1", "Authorization": "y"],
    ]
    return fields.map { Request("GET", "/users/7", headers: $0) }
  }

  private func tells(_ decision: FaultDecision, _ request: Request) -> Bool {
    Self.scenario.tells(
      faults: decision.faultsText,
      of: request,
      key: Matcher.url.key(request),
      seed: 7,
      lane: decision.lane,
      ordinal: decision.ordinal
    )
  }

  @Test func `every decision of any traffic is in the story`() {
    let deck = Deck(Cassette(), scenario: Self.scenario, seed: 7)
    var lines: Set<[Fault]> = []
    for place in 0..<600 {
      let moment = Self.date + Double(place) / 200
      let lane = Lane("call/\(place % 7)")
      let request = requests()[place % 4]
      let decision = deck.decide(request, lane: lane, at: moment).decision
      #expect(tells(decision, requests()[0]), "\(decision.line)")
      lines.insert(decision.faults)
      _ = deck.open(lane: lane, on: .inProcess, at: moment)
    }
    #expect(lines.count > 12)
    let connections = deck.journal.all.filter { $0.take == .connection }.map(\.decision)
    #expect(!connections.isEmpty)
    for decision in connections {
      #expect(
        Self.scenario.tells(
          faults: decision.faultsText,
          ofConnection: decision.ordinal,
          seed: 7,
          lane: decision.lane
        )
      )
    }
  }

  @Test func `a doctored decision is not in it`() {
    let request = requests()[1]
    let key = Matcher.url.key(request)
    for ordinal in 1...20 {
      let told = Self.scenario.decide(request, key: key, seed: 7, lane: .deck, ordinal: ordinal)
      #expect(tells(told, request))
      // What is sure to fire must be there, and nothing may that no rule has.
      let sure = told.faults.filter { $0 == .status(503) }
      var doctored = [
        told.faults + [.reset(.afterRequest)], [.reset(.afterRequest)] + told.faults,
        told.faults.reversed(),
      ]
      if !sure.isEmpty { doctored.append(told.faults.filter { $0 != .status(503) }) }
      if let cut = told.faults.firstIndex(of: .close) {
        // The faults of a rule fire together.
        var half = told.faults
        half.remove(at: cut)
        doctored.append(half)
      }
      for faults in doctored where faults != told.faults {
        var decision = told
        decision.faults = faults
        #expect(!tells(decision, request), "\(decision.line)")
      }
    }
  }

  @Test func `the hash of rules that ask for circumstances is that of their draws`() {
    func hash(_ rule: FaultRule) -> String {
      var story = FaultPlan()
      let scenario = Scenario("s", rules: [rule])
      for call in 1...3 {
        let request = Request("GET", "/users/7")
        story.tell(scenario, seed: 7, lane: Lane("s/\(call)"), request: request, matcher: .url)
      }
      return story.hash
    }
    let always = hash(.on("GET /**", .always, .status(503)))
    expectEqual(hash(.on("GET /**", .window(from: .seconds(9)), .status(503))), always)
    expectEqual(hash(.on("GET /**", .header(.present("No")), .status(503))), always)
    expectEqual(hash(.on("GET /**", .until(headerChanges: "No"), .status(503))), always)
    #expect(hash(.on("GET /**", .critical, .status(503))) != always)
    expectEqual(
      hash(.on("GET /**", .burst(goodToBad: 0.5, badToGood: 0.5), .status(503))),
      "1c30d0dfa455001af14086f416cebed38546b89f0326d98309c1f6c99420c5a1"
    )
  }
}
