import TestSupport

@testable import WindTunnel

/// What a request that nothing answers costs when it comes again.
@Suite struct ExplainedOnceTests {
  private static func tape(_ count: Int) -> Cassette {
    Cassette(
      (0..<count).map { number in
        let list = (0..<50).map(String.init).joined(separator: ",")
        let body = Body(#"{"a":\#(number),"list":[\#(list)]}"#)
        let url = RequestURL("https://api.example.test/items/\(number)?page=\(number % 7)")
        return Interaction(Request("POST", url, body: body), .text(Body("x")))
      }
    )
  }

  private func explanation(_ outcome: Outcome) -> Mismatch? {
    if case .unmatched(let mismatch) = outcome.source { mismatch } else { nil }
  }

  @Test(arguments: [Lane.deck, Lane("session/1")])
  func `it says the same as at first, and how often what comes near was played by now`(
    lane: Lane
  ) throws {
    let played = Request("GET", "https://api.example.test/a?x=1")
    let deck = Deck(Cassette([Interaction(played, .text(Body("a")))]), then: .repeat)
    let missed = Request("GET", "https://api.example.test/a?x=2")
    let first = try #require(explanation(deck.decide(missed, lane: lane)))
    expectEqual(first.candidates.map(\.played), [0])
    for count in 1...3 {
      _ = deck.decide(played, lane: lane)
      let next = try #require(explanation(deck.decide(missed, lane: lane)))
      expectEqual(next.candidates.map(\.played), [count])
      var same = next
      same.candidates[0].played = 0
      expectEqual(same, first)
    }
    deck.reset()
    expectEqual(explanation(deck.decide(missed, lane: lane)), first)
    expectEqual(deck.mismatches, [first])
  }

  @Test func `what differs where the matcher looks is another request`() throws {
    var matcher = Matcher.url
    matcher.body = .bytes
    let deck = Deck(Self.tape(3), matcher: matcher)
    let ask = { (text: String) in
      let request = Request("POST", "https://api.example.test/items/1?page=1", body: Body(text))
      return self.explanation(deck.decide(request))
    }
    let one = try #require(ask(#"{"a":5}"#))
    let two = try #require(ask(#"{"a":6}"#))
    #expect(one != two)
    expectEqual(ask(#"{"a":5}"#), one)
  }

  @Test func `equal requests cost a tenth of different ones at most`() throws {
    let deck = Deck(Self.tape(30))
    func work(_ url: (Int) -> String) -> Int {
      let before = Work.done
      for number in 0..<40 { _ = deck.decide(Request("GET", RequestURL(url(number)))) }
      return Work.done - before
    }
    let different = work { "https://api.example.test/itemz/\($0)" }
    let equal = work { _ in "https://api.example.test/itemz/none" }
    #expect(equal > 0 && equal < different / 10, "\(equal) and \(different)")
  }
}
