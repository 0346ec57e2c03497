import TestSupport

@testable import WindTunnel

/// A deck that is given another tape, or begins anew, between two requests.
@Suite struct LoadingTests {
  private static func tape(_ texts: String..., at path: String = "/a") -> Cassette {
    Cassette(
      texts.map { text in
        Interaction(
          Request("GET", RequestURL("https://api.example.test\(path)")),
          Response(body: Body(text))
        )
      }
    )
  }

  private static func ask(_ deck: Deck, _ path: String = "/a") -> Outcome {
    deck.decide(Request("GET", RequestURL("https://api.example.test\(path)")))
  }

  private static func text(_ outcome: Outcome) -> String? {
    guard case .recording(let interaction, _) = outcome.source else { return nil }
    return interaction.response?.body.text
  }

  @Test func `the next request is answered by the new tape, from its head`() {
    let deck = Deck(Self.tape("one", "two", "three"))
    let held = Self.ask(deck)
    _ = Self.ask(deck)
    deck.load(Self.tape("one", "zwei", "three"))
    expectEqual(Self.text(held), "one", "what was decided stays")
    let next = (1...3).map { _ in Self.ask(deck) }
    expectEqual(next.map(Self.text), ["one", "zwei", "three"])
    expectEqual(next.map(\.decision.ordinal), [3, 4, 5], "the weather does not begin anew")
    expectEqual(next.map(\.id), [3, 4, 5])
    expectEqual(deck.journal.all.map(\.take), [.recording(0), .recording(1), .recording(2)])
    #expect(deck.unused.isEmpty)
    expectNil(Self.text(Self.ask(deck)))
  }

  @Test func `origin and rules are those of the new tape`() {
    let deck = Deck(Self.tape("a"), matcher: .pathAndQuery)
    expectEqual(deck.origin, RequestURL("https://api.example.test"))
    let elsewhere = Interaction(Request("GET", "https://other.example.test/a?x=1"), Response())
    deck.load(Cassette([elsewhere]), matcher: .url)
    expectEqual(deck.origin, RequestURL("https://other.example.test"))
    expectEqual(deck.matcher, .url)
    expectNil(Self.text(Self.ask(deck)), "another host")
  }

  @Test func `scenario and seed stay`() {
    let deck = Deck(Self.tape("a"), scenario: [.on("GET /a", .always, .status(503))], seed: 9)
    deck.load(Self.tape("b"))
    expectEqual(deck.seed, 9)
    expectEqual(Self.ask(deck).decision.faults, [.status(503)])
  }

  @Test func `a reset begins everything anew but the numbers`() {
    let rain: Scenario = [.on("GET /a", .first(1), .status(503))]
    let deck = Deck(Self.tape("one", "two"), scenario: rain)
    let before = (1...3).map { _ in Self.ask(deck) }
    deck.reset()
    #expect(deck.journal.all.isEmpty && deck.mismatches.isEmpty)
    let after = (1...3).map { _ in Self.ask(deck) }
    expectEqual(after.map(\.decision), before.map(\.decision))
    expectEqual(after.map(\.source), before.map(\.source))
    expectEqual(after.map(\.id), [4, 5, 6])
  }
}
