import TestSupport

@testable import WindTunnel

@Suite struct PassingOthersTests {
  private let tape = Cassette([
    Interaction(Request("GET", "http://api.example.com/a"), Response(body: Body("taped")))
  ])

  private func takes(_ deck: Deck) -> [Journal.Take] {
    for url: RequestURL in [
      "http://api.example.com/a", "http://api.example.com/b", "http://other.test/b",
    ] {
      deck.finished(deck.decide(Request("GET", url)))
    }
    return deck.journal.all.map(\.take)
  }

  @Test func `requests to other hosts are forwarded only if the deck allows it`() {
    let told = Deck(tape, options: PlaybackOptions(passesOthers: true))
    let expected: [[Journal.Take]] = [
      [.recording(0), .unmatched, .unmatched], [.recording(0), .unmatched, .forwarded],
    ]
    expectEqual([takes(Deck(tape)), takes(told)], expected)
  }

  @Test func `forwarded requests to other hosts meet faults and are not recorded`() {
    let deck = Deck(
      tape,
      scenario: [.always(.first(1), .status(503))],
      options: PlaybackOptions(then: .repeat, passesOthers: true)
    )
    let request = Request("GET", "http://other.test/b")
    let first = deck.decide(request)
    expectEqual(first.decision.faults, [.status(503)])
    #expect(!first.forwards)
    let second = deck.decide(request)
    #expect(second.forwards)
    deck.keep(Interaction(request, Response(body: Body("live"))), for: second)
    expectEqual(deck.recorded().cassette.interactions, tape.interactions)
  }

  @Test func `the next tape has its own hosts`() {
    let deck = Deck(tape, options: PlaybackOptions(passesOthers: true))
    deck.load(Cassette([Interaction(Request("GET", "http://other.test/c"), Response())]))
    let expected: [Journal.Take] = [.forwarded, .forwarded, .unmatched]
    expectEqual(takes(deck), expected)
  }
}
