import TestSupport

@testable import WindTunnel

/// Recordings that are killed more than once.
@Suite struct UnfinishedRecordingTests {
  private func keep(_ path: String, in deck: Deck) {
    let request = Request("GET", RequestURL("https://a.example\(path)"))
    deck.keep(Interaction(request, .text(Body("here"))), for: deck.decide(request))
  }

  @Test func `a resumed recording stays unfinished until one recording completes`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("a.json")
    let first = try RecordingJournal(besides: file)
    keep("/a", in: Deck(Cassette(), mode: .newEpisodes, recordingJournal: first))
    first.close()
    var tape = Cassette()
    for count in [1, 0, 0] {
      let journal = try RecordingJournal(besides: file)
      let (folded, taken) = try journal.takeUp(onto: tape, goesOn: true)
      tape = folded
      expectEqual(taken, count)
      #expect(journal.isUnfinished)
      // As where the process is killed: nothing came after.
      journal.close()
    }
    let journal = try RecordingJournal(besides: file)
    _ = try journal.takeUp(onto: tape, goesOn: true)
    // One that failed leaves it so, and takes what it had got along.
    let deck = Deck(tape, mode: .newEpisodes, recordingJournal: journal)
    keep("/c", in: deck)
    journal.giveUp()
    let last = try RecordingJournal(besides: file)
    #expect(try last.takeUp(onto: tape, goesOn: true) == (tape, 0))
    #expect(last.isUnfinished)
    last.remove()
    try expectEqual(folder.names, ["a.json"])
    let whole = try RecordingJournal(besides: file)
    #expect(try whole.takeUp(onto: tape, goesOn: true) == (tape, 0))
    #expect(!whole.isUnfinished)
    whole.giveUp()
    try expectEqual(folder.names, ["a.json"])
  }
}
