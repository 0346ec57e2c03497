import TestSupport
import WindTunnelReports

/// The figures of conversations.
@Suite struct ConversationFiguresTests {
  private static func call(_ number: Int, _ attempts: [Observation.Attempt]) -> Observation {
    RuleTests.call(number, .succeeded, lasted: 10_000, attempts)
  }

  /// A conversation that its server closed, and another for the same.
  private static func reconnecting(after wait: Int, asking: Int?) -> [Observation.Attempt] {
    let said = asking.map { [(0, asks: false), ($0, asks: true)] } ?? [(0, asks: false)]
    return [
      RulesOfConversationsTests.conversation(0, ended: (100, .server(1012))),
      RulesOfConversationsTests.conversation(100 + wait, said),
    ]
  }

  @Test func `the loss of a conversation is followed by the next, and by what is asked in it`() {
    let metrics = Metrics([
      Self.call(0, Self.reconnecting(after: 200, asking: 40)),
      Self.call(1, Self.reconnecting(after: 500, asking: nil)),
      Self.call(2, [RulesOfConversationsTests.conversation(0)]),
    ])
    expectEqual(metrics.reconnectP95, .milliseconds(500))
    expectEqual(metrics.reconnectedRate, 1)
    // One of the two that had asked for something does not ask again.
    expectNil(metrics.resubscribeP95)
    // From 11 ms of the first conversation to the beginning of the second.
    expectEqual(metrics.longestGap, .milliseconds(100 + 500 - 11))
    expectEqual(metrics.firstEventP95, .zero)
    expectNil(metrics.pingsAnswered)
  }

  @Test func `a client that never reconnects counts as an infinite wait`() {
    let lost = RulesOfConversationsTests.conversation(0, ended: (100, .server(1012)), faults: "{}")
    func metrics(losing count: Int, ending: Observation.CallResult = .failed("lost")) -> Metrics {
      let back = (count..<40).map { Self.call($0, Self.reconnecting(after: 200, asking: 40)) }
      let away = (0..<count).map { RuleTests.call($0, ending, lasted: 10_000, [lost]) }
      return Metrics(back + away)
    }
    expectEqual(metrics(losing: 0).reconnectP95, .milliseconds(200))
    expectEqual(metrics(losing: 0).resubscribeP95, .milliseconds(240))
    expectEqual(metrics(losing: 2).reconnectP95, .milliseconds(200))
    expectEqual(metrics(losing: 2).resubscribeP95, .milliseconds(240))
    expectEqual(metrics(losing: 2).reconnectedRate, 0.95)
    #expect(metrics(losing: 3).reconnectP95 == nil && metrics(losing: 3).resubscribeP95 == nil)
    expectEqual(metrics(losing: 3).reconnectedRate, 0.925)
    expectEqual(metrics(losing: 40).reconnectedRate, 0)
    // Who has what it wanted when a recorded end comes has lost nothing.
    let end = RulesOfConversationsTests.conversation(0, ended: (100, .server(1012)))
    expectNil(Metrics([Self.call(0, [end])]).reconnectedRate)
    expectEqual(Metrics([RuleTests.call(0, .failed("lost"), [end])]).reconnectedRate, 0)
  }

  @Test func `messages are counted where clients say what they received`() {
    typealias Messages = MessageComparisonTests
    let whole = Messages.conversation(0, sending: [1, 3, 4], ended: (9000, .server(1000)))
    let calls = [
      Messages.call(received: [1, 4], [whole]), Messages.call(received: [3, 1, 4, 4], [whole]),
      Messages.call(received: nil, [whole]),
    ]
    let metrics = Metrics(calls)
    #expect(metrics.messagesLost == 1 && metrics.messagesDoubled == 1)
    #expect(metrics.messagesOutOfOrder == 1 && metrics.messagesLate == 0)
    let silent = Metrics([Messages.call(received: nil, [whole])])
    #expect(silent.messagesLost == nil && silent.messagesDoubled == nil)
    #expect(silent.messagesOutOfOrder == nil && silent.messagesLate == nil)
  }

  @Test func `pings that were answered are a share of those that were sent`() {
    var attempt = RulesOfConversationsTests.conversation(0)
    attempt.conversation?.serverPings = 1000
    attempt.conversation?.clientPongs = 250
    expectEqual(Metrics([Self.call(0, [attempt])]).pingsAnswered, 0.25)
  }

  @Test func `without conversations there are none`() {
    let metrics = Metrics(Flights.drawn(50, seed: 4))
    #expect(metrics.reconnectP95 == nil && metrics.resubscribeP95 == nil)
    #expect(metrics.firstEventP95 == nil && metrics.longestGap == nil)
    expectNil(metrics.pingsAnswered)
  }

  @Test func `a gate holds them, and says why where there are none`() throws {
    func words(_ gate: String, _ calls: [Observation]) throws -> String {
      let report = Flights.report(calls, gates: [try Gate(gate)])
      return try #require(report.scenarios.first?.gates.first).words
    }
    let calls = [Self.call(0, Self.reconnecting(after: 200, asking: 40))]
    try expectEqual(words("reconnectP95 <= 1s", calls), "met, got 200 ms")
    try expectEqual(words("resubscribeP95 <= 100ms", calls), "failed, got 240 ms")
    #expect(
      try words("reconnectP95 <= 1s", Flights.drawn(9, seed: 1))
        .contains("no call connected again after it had lost a conversation")
    )
    let lost = RulesOfConversationsTests.conversation(0, ended: (100, .server(1012)), faults: "{}")
    #expect(
      try words("reconnectP95 <= 1s", [RuleTests.call(0, .failed("lost"), [lost])])
        .contains("conversations had no successor")
    )
    #expect(try words("messagesLost == 0", calls).contains("no client reports the messages"))
    #expect(
      try words("pingsAnswered == 1", calls).contains("no client of a conversation was sent a ping")
    )
  }
}
