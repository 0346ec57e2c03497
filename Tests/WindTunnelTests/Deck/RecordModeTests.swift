import Testing

@testable import WindTunnel
@testable import WindTunnelLink

@Suite struct RecordModeTests {
  @Test func `a mode is read by its name, and all is rewrite`() {
    #expect(RecordMode.names == ["none", "once", "new-episodes", "rewrite", "verify"])
    #expect(RecordMode.names.map { RecordMode(name: $0) } == RecordMode.allCases)
    #expect(RecordMode(name: "all") == .rewrite)
    #expect(RecordMode(name: "newEpisodes") == nil)
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
    #expect(takes == [.recording(0), .forwarded, .forwarded, .forwarded, .forwarded])
    #expect(
      deck.recorded().cassette.interactions.map(\.request.url.path) == [
        "/x", "/x", "/x", "/y", "/y",
      ]
    )
  }

  @Test(arguments: [RecordMode.none, .once, .verify])
  func `a mode that plays forwards nothing, not even what is used up`(mode: RecordMode) {
    let deck = Deck(Cassette([Interaction(Request("GET", "https://a/x"), .json(1))]), mode: mode)
    let forwards = ["/x", "/x", "/y"].map {
      deck.decide(Request("GET", RequestURL("https://a\($0)"))).forwards
    }
    #expect(forwards == [false, false, false])
    #expect(deck.mismatches.count == 2)
  }
}
