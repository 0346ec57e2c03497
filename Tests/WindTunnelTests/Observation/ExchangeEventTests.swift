import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel

/// The events that a deck tells its observer.
@Suite struct ExchangeEventTests {
  private static let tape = Cassette([
    Interaction(Request("GET", "https://api.example.test/a"), Response(body: Body("a")))
  ])

  /// The events that an observer can tell apart, in a line each.
  private static func line(_ event: ExchangeEvent) -> String {
    switch event {
    case .undone(let outcome, let faults): "undone \(outcome.id) \(faults)"
    case .decided(let entry): "decided \(entry.id) \(entry.take.words)"
    case .requestEnd(let outcome, let handshake, let upload):
      "request \(outcome.id) \(handshake ?? .zero) \(upload ?? .zero)"
    case .firstByte(let outcome): "first byte \(outcome.id)"
    case .passed(let outcome, let answer): "passed \(outcome.id) \(answer.head.status)"
    case .notAsked(let outcome, let reason): "not asked \(outcome.id) \(reason)"
    case .said(let outcome, let speech): "said \(outcome.id) \(speech)"
    case .ended(let outcome, let end): "ended \(outcome.id) \(end?.status ?? 0)"
    case .left(let outcome): "left \(outcome.id)"
    case .conversed(let outcome, _): "conversed \(outcome.id)"
    case .strayed(let outcome, _): "strayed \(outcome.id)"
    case .tunnelEnded(let end): "tunnel \(end.authority)"
    }
  }

  @Test func `an observer is told of faults that were not done`() {
    let told = Locked<[String]>([])
    let deck = Deck(
      Self.tape,
      scenario: Scenario("cut", rules: [FaultRule(when: .always, [.reset(afterEvents: 1)])]),
      options: PlaybackOptions(),
      observe: { event in told.withLock { $0.append(Self.line(event)) } }
    )
    let outcome = deck.decide(Request("GET", "https://api.example.test/a"))
    _ = deck.delivery(of: outcome, on: .onTheWire)
    expectEqual(
      told.withLock { $0 },
      [
        "decided 1 withheld 1",
        #"undone 1 [{"resetAfterEvents":1} was not done: the response has no event stream.]"#,
      ]
    )
    expectEqual(
      deck.journal.all.map(\.misfits),
      [[#"{"resetAfterEvents":1} was not done: the response has no event stream."#]]
    )
  }

  @Test func `one observer is told of all that becomes of a request`() {
    let told = Locked<[String]>([])
    let deck = Deck(
      Self.tape,
      options: PlaybackOptions(),
      observe: { event in told.withLock { $0.append(Self.line(event)) } }
    )
    let outcome = deck.decide(Request("GET", "https://api.example.test/a"))
    deck.requestEnded(outcome, handshake: .seconds(1), upload: .seconds(2))
    deck.responseBegan(outcome)
    let end = ExchangeEnd(status: 200, bytes: 1, latency: .zero, ending: .whole)
    deck.finished(outcome, end)
    deck.finished(deck.decide(Request("GET", "https://api.example.test/b")))
    let tunnel = TunnelEnd(
      scenario: "calm",
      authority: "api.example.test:443",
      connect: nil,
      bytesUp: 0,
      bytesDown: 0,
      duration: .zero,
      reason: .closed
    )
    deck.tunnelEnded(tunnel)
    expectEqual(
      told.withLock { $0 },
      [
        "decided 1 recording 1", "request 1 1.0 seconds 2.0 seconds", "first byte 1",
        "ended 1 200", "decided 2 unmatched", "ended 2 0", "tunnel api.example.test:443",
      ]
    )
  }

  @Test func `decision events are the journal's records in its order, with concurrent requests`()
    async
  {
    let told = Locked<[Journal.Record]>([])
    let deck = Deck(
      Self.tape,
      scenario: [
        .on("GET /a", .every(3), .status(503)),
        .on("CONNECT *", .always, .reset(afterBodyBytes: 9)),
      ],
      options: PlaybackOptions(then: .repeat, isProxied: true),
      observe: { event in
        if case .decided(let entry) = event { told.withLock { $0.append(entry) } }
      }
    )
    await concurrently(0..<40) { number in
      let url = RequestURL("https://api.example.test/\(number % 4 == 0 ? "b" : "a")")
      deck.finished(deck.decide(Request("GET", url)))
      if number % 5 == 0 { _ = deck.openTunnel(to: "a.test:443") }
    }
    // Of one that another overlaps, that is known only when the other comes.
    func alike(_ entry: Journal.Record) -> Journal.Record {
      var entry = entry
      entry.overlapping = false
      return entry
    }
    let journal = deck.journal.all
    expectEqual(journal.count, 48)
    expectEqual(told.withLock { $0 }.map(alike), journal.map(alike))
  }
}
