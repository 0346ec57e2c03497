import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct RecordingJournalTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("a.json")
  }

  private func interaction(_ path: String, _ text: String = "x", token: String? = nil)
    -> Interaction
  {
    var request = Request("GET", RequestURL("https://api.example.test\(path)"))
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    return Interaction(request, .text(Body(text)))
  }

  /// Records without ever writing the cassette, as a killed process does.
  private func recordAndVanish(
    _ interactions: [Interaction],
    onto tape: Cassette = Cassette(),
    _ mode: RecordMode = .newEpisodes,
    besides file: URL
  ) throws {
    let journal = try RecordingJournal(besides: file)
    let deck = Deck(tape, mode: mode, recordingJournal: journal)
    let outcomes = interactions.map { deck.decide($0.request) }
    for (interaction, outcome) in zip(interactions, outcomes).reversed() {
      deck.keep(interaction, for: outcome)
    }
    expectNil(journal.problem)
    journal.close()
  }

  @Test func `what was complete is taken up in the order of the requests`() throws {
    let tape = Cassette([interaction("/old")])
    try tape.write(to: file)
    try recordAndVanish([interaction("/a"), interaction("/b")], onto: tape, besides: file)
    try expectEqual(folder.names, ["a.json", "a.json.journal"])
    try expectEqual(Cassette(contentsOf: file), tape)
    let journal = try RecordingJournal(besides: file)
    let (folded, count) = try journal.takeUp(onto: tape)
    expectEqual(count, 2)
    expectEqual(folded, Cassette([interaction("/old"), interaction("/a"), interaction("/b")]))
    try expectEqual(Cassette(contentsOf: file), folded)
    journal.close()
    try expectEqual(folder.names, ["a.json"])
  }

  @Test func `an interrupted rewrite replaces the requested interactions and keeps the others`()
    throws
  {
    let tape = Cassette([interaction("/a", "old", token: "first-token"), interaction("/b", "old")])
    let redacted = Cassette(
      [interaction("/a", "old", token: "REDACTED-authorization-1"), interaction("/b", "old")]
    )
    try recordAndVanish([interaction("/a", "new")], onto: tape, .rewrite, besides: file)
    let folded = try RecordingJournal(besides: file).takeUp(onto: redacted).cassette
    expectEqual(folded, Cassette([interaction("/a", "new"), interaction("/b", "old")]))
  }

  @Test func `of one address it replaces what says the same`() throws {
    func question(_ name: String, _ answer: String) -> Interaction {
      let body = Body(#"{"operationName":"\#(name)"}"#)
      let url: RequestURL = "https://api.example.test/graphql"
      return Interaction(Request("POST", url, body: body), .text(Body(answer)))
    }
    let tape = Cassette([question("Users", "old"), question("Shops", "old")])
    try recordAndVanish([question("Users", "new")], onto: tape, .rewrite, besides: file)
    let folded = try RecordingJournal(besides: file).takeUp(onto: tape).cassette
    expectEqual(folded, Cassette([question("Users", "new"), question("Shops", "old")]))
  }

  @Test(arguments: ["ab12", "pass-phrase"])
  func `a short secret that is known later leaves the journal as a long one does`(
    secret: String
  ) throws {
    let journal = try RecordingJournal(besides: file)
    let deck = Deck(Cassette(), mode: .rewrite, recordingJournal: journal)
    var maybe = interaction("/maybe")
    // Of a cookie it is not known yet whether it is anybody's secret.
    maybe.request.headers["Cookie"] = "tab=\(secret)"
    [
      interaction("/hint", "Say \(secret) and enter."), maybe, interaction("/me", token: secret),
    ].forEach(deck.record)
    let text = try String(contentsOf: journal.file, encoding: .utf8)
    #expect(!text.contains(" \(secret) "))
    #expect(!text.contains("\"\(secret)\""))
    journal.close()
    let (folded, count) = try RecordingJournal(besides: file).takeUp(onto: Cassette())
    expectEqual(count, 3)
    let hint = folded.interactions.first?.response?.body.text
    expectEqual(hint?.contains(/^Say REDACTED-[a-z]+-1 and enter\.$/), true, "\(hint ?? "")")
  }

  @Test func `no secret stands in the journal, not even one that is known later`() throws {
    let journal = try RecordingJournal(besides: file)
    let deck = Deck(Cassette(), mode: .rewrite, recordingJournal: journal)
    let text = { try String(contentsOf: journal.file, encoding: .utf8) }
    [
      interaction("/login", #"{"greeting":"s3cr3t-token"}"#), interaction("/between"),
      interaction("/me", token: "s3cr3t-token"), interaction("/echo", "s3cr3t-token"),
    ].forEach(deck.record)
    #expect(!(try text().contains("s3cr3t")))
    journal.close()
    let (folded, count) = try RecordingJournal(besides: file).takeUp(onto: Cassette())
    expectEqual(count, 4)
    let hidden = "REDACTED-authorization-1"
    expectEqual(
      folded,
      Cassette([
        interaction("/login", #"{"greeting":"\#(hidden)"}"#), interaction("/between"),
        interaction("/me", token: hidden), interaction("/echo", hidden),
      ])
    )
  }

  @Test(arguments: [Data([0, 1, 255]), Data("a\nb\r\n\u{2028}\"".utf8), Data(), Data("{ }".utf8)])
  func `a body comes back byte for byte`(body: Data) throws {
    let answer = Response(headers: ["X-A": "1", "x-a": "2"], body: Body(body))
    var interaction = Interaction(Request("POST", "https://a/b", body: Body(body)), answer)
    interaction.timing = Timing(firstByte: .milliseconds(1), lastByte: .milliseconds(2))
    try recordAndVanish([interaction], besides: file)
    let folded = try RecordingJournal(besides: file).takeUp(onto: Cassette()).cassette
    expectEqual(folded, Cassette([interaction]))
  }

  @Test func `a line that was being written counts for nothing, and nothing follows it`() throws {
    try recordAndVanish([interaction("/a"), interaction("/b")], besides: file)
    let name = folder.file("a.json.journal")
    try Data(try Data(contentsOf: name).dropLast(7)).write(to: name)
    let journal = try RecordingJournal(besides: file)
    let (folded, count) = try journal.takeUp(onto: Cassette())
    // The answers came in reverse.
    #expect((folded, count) == (Cassette([interaction("/b")]), 1))
    let deck = Deck(folded, mode: .newEpisodes, recordingJournal: journal)
    deck.record(interaction("/c"))
    journal.close()
    try expectEqual(RecordingJournal(besides: file).takeUp(onto: folded).count, 1)
  }

  @Test func `a damaged journal is refused in words and stays`() throws {
    try recordAndVanish([interaction("/a")], besides: file)
    let name = folder.file("a.json.journal")
    try (Data(contentsOf: name) + Data("{oops}\n".utf8)).write(to: name)
    let words = refusal { try RecordingJournal(besides: file).takeUp(onto: Cassette()) }
    #expect(words.hasPrefix("a.json.journal, line 4: not JSON: "), "\(words)")
    #expect(words.hasSuffix("move the file away to continue without it."), "\(words)")
    try expectEqual(folder.names, ["a.json.journal"])
  }

  @Test func `one recording at a time goes onto a cassette`() throws {
    let first = try RecordingJournal(besides: file)
    let words = refusal { try RecordingJournal(besides: file) }
    #expect(words.hasSuffix("a.json cannot be written: it is being recorded by another process."))
    first.remove()
    try expectEqual(folder.names, [])
    try RecordingJournal(besides: file).close()
  }

  @Test func `by another name it is the same cassette, and a planted link is no journal`() throws {
    let link = folder.file("b.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let first = try RecordingJournal(besides: file)
    let words = refusal { try RecordingJournal(besides: link) }
    #expect(words.hasSuffix("b.json cannot be written: it is being recorded by another process."))
    first.remove()
    let (other, planted) = (folder.file("other"), folder.file("a.json.journal"))
    try Data("theirs".utf8).write(to: other)
    try FileManager.default.createSymbolicLink(at: planted, withDestinationURL: other)
    for name in [file, link] {
      let words = refusal { try RecordingJournal(besides: name) }
      let sentence = "cannot be read: a journal cannot be a symbolic link; remove it."
      #expect(words.hasSuffix("a.json.journal \(sentence)"), "\(words)")
    }
    try expectEqual(Data(contentsOf: other), Data("theirs".utf8))
  }

  @Test(arguments: [false, true])
  func `a cassette that is changed while it is recorded is not overwritten`(isNew: Bool) throws {
    let (old, edited) = (Cassette([interaction("/a")]), Cassette([interaction("/edited")]))
    if !isNew { try old.write(to: file) }
    let journal = try RecordingJournal(besides: file)
    let deck = Deck(isNew ? Cassette() : old, mode: .newEpisodes, recordingJournal: journal)
    deck.record(interaction("/b"))
    try edited.write(to: file)
    let (cassette, orders, _) = deck.numbered()
    let words = refusal { try journal.end(with: cassette, orders: orders) }
    let reason = "a.json.journal has the recordings, and the next recording adds them."
    #expect(words.hasSuffix("it was changed in the meantime; \(reason)"), "\(words)")
    try expectEqual(Cassette(contentsOf: file), edited)
    let (both, count) = try RecordingJournal(besides: file).takeUp(onto: edited)
    expectEqual(both, Cassette([interaction("/edited"), interaction("/b")]))
    expectEqual(count, 1)
  }

  @Test func `an edit that keeps size and date is seen`() throws {
    var stamps: [FileStamp] = []
    // The system's clock of files goes in steps of some milliseconds.
    for edit in 0..<10_000 where stamps.first == stamps.last {
      try Data("\(edit % 10)".utf8).write(to: file)
      let date = Date(timeIntervalSince1970: 1e9)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
      stamps.append(FileStamp(file))
    }
    #expect(stamps.first != stamps.last && stamps.last == FileStamp(file))
  }

  @Test func `refused connections alone are no recording`() throws {
    let refused = Interaction(Request("GET", "https://a/b"), .failure(Failure(.connectionRefused)))
    try recordAndVanish([refused], besides: file)
    #expect(try RecordingJournal(besides: file).takeUp(onto: Cassette()) == (Cassette(), 0))
  }
}
