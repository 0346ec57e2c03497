import TestSupport

@testable import WindTunnel

@Suite struct RecordModeTests {
  @Test func `a mode is read by its name, and all is rewrite`() {
    expectEqual(RecordMode.names, ["none", "once", "new-episodes", "rewrite", "verify"])
    expectEqual(RecordMode.names.map { RecordMode(name: $0) }, RecordMode.allCases)
    expectEqual(RecordMode(name: "all"), .rewrite)
    expectNil(RecordMode(name: "newEpisodes"))
  }

  @Test func `what was just recorded is not played in the same run`() {
    let tape = Cassette([Interaction(Request("GET", "https://a/x"), .json("old"))])
    let deck = Deck(tape, mode: .newEpisodes)
    var takes: [Journal.Take] = []
    for path in ["/x", "/x", "/x", "/y", "/y"] {
      let outcome = deck.decide(Request("GET", RequestURL("https://a\(path)")))
      // Complete before the next one asks.
      deck.keep(Interaction(outcome.request, .json("new")), for: outcome)
      takes.append(deck.journal.all.last?.take ?? .unmatched)
    }
    expectEqual(takes, [.recording(0), .forwarded, .forwarded, .forwarded, .forwarded])
    expectEqual(
      deck.recorded().cassette.interactions.map(\.request.url.path),
      ["/x", "/x", "/x", "/y", "/y"]
    )
  }

  @Test(arguments: [RecordMode.none, .once, .verify])
  func `a mode that plays forwards nothing, not even what is used up`(mode: RecordMode) {
    let deck = Deck(Cassette([Interaction(Request("GET", "https://a/x"), .json(1))]), mode: mode)
    let forwards = ["/x", "/x", "/y"].map {
      deck.decide(Request("GET", RequestURL("https://a\($0)"))).forwards
    }
    expectEqual(forwards, [false, false, false])
    expectEqual(deck.mismatches.count, 2)
  }
}
