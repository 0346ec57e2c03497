import TestSupport

@testable import WindTunnel

@Suite struct CassetteExpectationTests {
  private static let paths = ["/a", "/b", "/c"]
  private static let tape = Cassette(paths.map { interaction("https://api.example.test\($0)") })

  private static func interaction(_ url: String) -> Interaction {
    Interaction(Request("GET", RequestURL(url)), .json([:]))
  }

  private func place(_ number: Int) -> NumberedInteraction {
    NumberedInteraction(number, Self.tape.interactions[number - 1].request)
  }

  private func unmet(
    _ expectation: CassetteExpectation,
    asking paths: [String],
    of deck: Deck = Deck(tape)
  ) -> [UnmetExpectation] {
    for path in paths {
      _ = deck.decide(Request("GET", RequestURL("https://api.example.test\(path)")))
    }
    return deck.unmet(expectation)
  }

  @Test(
    arguments: [
      (["/a", "/b", "/c"], [.everyInteraction, .inOrder]),
      // A tape that is played in part is played in order all the same.
      (["/a", "/c"], .inOrder), ([], .inOrder), (["/c", "/b", "/a"], .everyInteraction), ([], []),
      (["/c", "/a"], []),
    ] as [([String], CassetteExpectation)]
  )
  func `what was demanded and done is met`(paths: [String], expectation: CassetteExpectation) {
    expectEqual(unmet(expectation, asking: paths), [])
  }

  @Test func `what was not played is named by number`() {
    expectEqual(unmet(.everyInteraction, asking: ["/b"]), [.unplayed([place(1), place(3)], of: 3)])
  }

  @Test func `the first that came too late is named with the one before it`() {
    expectEqual(
      unmet([.everyInteraction, .inOrder], asking: ["/b", "/c", "/a"]),
      [.outOfOrder(place(3), before: place(1))]
    )
    expectEqual(
      unmet([.everyInteraction, .inOrder], asking: ["/c", "/b"]),
      [.unplayed([place(1)], of: 3), .outOfOrder(place(3), before: place(2))]
    )
  }

  @Test func `what is played again breaks no order`() {
    let deck = Deck(Self.tape, then: .repeat)
    expectEqual(unmet(.inOrder, asking: ["/a", "/b", "/a", "/b", "/c"], of: deck), [])
  }

  @Test func `what a fault took the place of is not played, and its retry is`() {
    let deck = Deck(Self.tape, scenario: [.on("GET /a", .first(1), .status(503))])
    expectEqual(
      unmet(.everyInteraction, asking: ["/a", "/b", "/c"], of: deck),
      [.unplayed([place(1)], of: 3)]
    )
    // By now the order is another: the retry came last.
    expectEqual(
      unmet([.everyInteraction, .inOrder], asking: ["/a"], of: deck),
      [.outOfOrder(place(3), before: place(1))]
    )
  }

  @Test func `functions have no place on a tape`() {
    let deck = Deck([
      .recorded(Self.tape.interactions[0]), .get("https://api.example.test/f") { _ in .json([:]) },
    ])
    expectEqual(unmet([.everyInteraction, .inOrder], asking: ["/a"], of: deck), [])
    expectEqual(deck.unused, [])
  }

  @Test func `of a tape that is recorded anew nothing is expected`() {
    expectEqual(
      unmet([.everyInteraction, .inOrder], asking: ["/b"], of: Deck(Self.tape, mode: .rewrite)),
      []
    )
    // What else is recorded besides does not excuse it.
    expectEqual(
      unmet(.everyInteraction, asking: ["/a", "/n"], of: Deck(Self.tape, mode: .newEpisodes)),
      [.unplayed([place(2), place(3)], of: 3)]
    )
  }

  @Test func `more requests than are remembered are no proof`() throws {
    let deck = Deck(Self.tape)
    _ = deck.decide(Self.tape.interactions[0].request)
    let entry = try #require(deck.journal.all.first)
    var journal = Journal()
    for _ in 0..<Journal.entriesMax + 1 { journal.append(entry) }
    expectEqual(
      CassetteExpectation.inOrder.unmet(by: journal, of: []),
      [.forgotten(requests: Journal.entriesMax / 10)]
    )
    expectEqual(CassetteExpectation().unmet(by: journal, of: []), [])
  }

  @Test func `the sentences name number, method and address`() {
    let unplayed = UnmetExpectation.unplayed([place(1), place(3)], of: 3)
    expectEqual(
      "\(unplayed)",
      """
      Every interaction must be played, but 2 of 3 were not:
        1 GET https://api.example.test/a
        3 GET https://api.example.test/c
      Remove these interactions from the cassette, or request them.
      """
    )
    expectEqual(
      "\(UnmetExpectation.outOfOrder(place(3), before: place(2)))",
      """
      The interactions must be played in recorded order, but this one
        3 GET https://api.example.test/c
      was played before
        2 GET https://api.example.test/b
      Request them in that order, or record the cassette again.
      """
    )
  }

  @Test func `of a long list the first ten are named`() {
    let places = (1...12).map { NumberedInteraction($0, Request("GET", "/x")) }
    let text = "\(UnmetExpectation.unplayed(places, of: 20))"
    #expect(text.contains("\n  10 GET /x\n  and 2 more\n"))
  }
}
