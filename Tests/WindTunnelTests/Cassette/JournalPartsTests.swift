import TestSupport

@testable import WindTunnel

/// Exchanges that are journalled in parts while they last.
@Suite struct JournalPartsTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("a.json")
  }

  private func whole(_ path: String, _ text: String) -> Interaction {
    Interaction(Request("GET", RequestURL("https://api.example.test\(path)")), .text(Body(text)))
  }

  private func part(_ path: String, _ text: String) -> Interaction {
    Interaction(whole(path, text).request, .cut(.text(Body(text)), Interaction.cut))
  }

  @Test func `a cut at any byte leaves all that was whole, and the last part of the rest`() throws {
    let name = folder.file("a.json.journal")
    // As where no part that was replaced could be withdrawn.
    let rows = [
      (1, true, part("/a", "on")), (2, false, whole("/b", "two")), (3, true, part("/c", "thr")),
      (1, true, part("/a", "one an")), (1, false, whole("/a", "one and all")),
      (3, true, part("/c", "three and")),
    ]
    var (text, ends) = (Data(JournalFormat.header(rewrites: false)), [Int]())
    for (order, isPart, interaction) in rows {
      text += try JournalFormat.line(interaction, .init(order: order, isPart: isPart))
      ends.append(text.count)
    }
    for cut in 0...text.count {
      try text.prefix(cut).write(to: name)
      var there: [Int: (isPart: Bool, interaction: Interaction)] = [:]
      for ((order, isPart, interaction), end) in zip(rows, ends) where end <= cut {
        if there[order]?.isPart != false { there[order] = (isPart, interaction) }
      }
      let expected = there.sorted { $0.key < $1.key }.map(\.value)
      let journal = try RecordingJournal(besides: file)
      let (cassette, count) = try journal.takeUp(onto: Cassette())
      expectEqual(cassette, Cassette(expected.map(\.interaction)), "cut at \(cut)")
      expectEqual(
        [count, journal.incompleteCount],
        [expected.count, expected.count(where: \.isPart)]
      )
      journal.remove()
    }
  }

  @Test func `a part gives way to more of its exchange, with its large body and its secrets`()
    throws
  {
    let journal = try RecordingJournal(besides: file)
    let large = String(repeating: "word ", count: 60_000)
    let bodies = {
      try FileManager.default.contentsOfDirectory(atPath: folder.file("a.bodies").path)
        .count { $0 != ".gitattributes" }
    }
    journal.append(part("/a", large), order: 1, isPart: true)
    journal.append(part("/b", "say s3cr3t-token and"), order: 2, isPart: true)
    journal.append(part("/a", large + "more"), order: 1, isPart: true)
    try expectEqual(bodies(), 1)
    var last = whole("/me", "x")
    last.request.headers["Authorization"] = "Bearer s3cr3t-token"
    journal.append(last, order: 3)
    #expect(!(try String(contentsOf: journal.file, encoding: .utf8).contains("s3cr3t")))
    journal.append(whole("/a", "all"), order: 1)
    // The search of this one took longer than the rest of the exchange.
    journal.append(part("/a", large + "more"), order: 1, isPart: true)
    try expectEqual(bodies(), 0)
    expectNil(journal.problem)
    journal.close()
    let next = try RecordingJournal(besides: file)
    let (cassette, count) = try next.takeUp(onto: Cassette())
    let hidden = "REDACTED-authorization-1"
    last.request.headers["Authorization"] = "Bearer \(hidden)"
    expectEqual(cassette, Cassette([whole("/a", "all"), part("/b", "say \(hidden) and"), last]))
    expectEqual([count, next.incompleteCount], [3, 1])
  }

  @Test func `a part takes no whole recording's place where a cassette is made anew`() throws {
    let tape = Cassette([whole("/a", "old"), whole("/b", "old")])
    try tape.write(to: file)
    let journal = try RecordingJournal(besides: file)
    let deck = Deck(tape, mode: .rewrite, recordingJournal: journal)
    for left in [part("/a", "ne"), part("/c", "ne")] {
      deck.journalPart(of: deck.decide(left.request)) { left }?()
    }
    journal.close()
    let expected = Cassette(tape.interactions + [part("/c", "ne")])
    let (cassette, count, incomplete) = try Cassette.withLeftovers(file)
    expectEqual(cassette, expected)
    expectEqual([count, incomplete], [1, 1])
    let next = try RecordingJournal(besides: file)
    #expect(try next.takeUp(onto: tape) == (expected, 1) && next.incompleteCount == 1)
  }

  @Test func `a part is asked for anew by the next recording, and then gives way`() throws {
    let tape = Cassette([part("/a", "o"), whole("/b", "two"), part("/c", "th")])
    let deck = Deck(tape, mode: .newEpisodes)
    for new in [whole("/a", "one"), whole("/b", "new")] {
      let outcome = deck.decide(new.request)
      if case .forward = outcome.source { deck.keep(new, for: outcome) }
    }
    let expected = Cassette([whole("/b", "two"), part("/c", "th"), whole("/a", "one")])
    expectEqual(deck.recorded().cassette, expected)
  }
}
