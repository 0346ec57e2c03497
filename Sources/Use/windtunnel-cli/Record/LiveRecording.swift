/// A recording under way, which adds to a cassette.
struct LiveRecording {
  /// The interactions that are on the cassette already.
  let cassette: Cassette
  let journal: RecordingJournal
  /// The requests that were not recorded.
  let unrecorded = Unrecorded()
  private let losses: JournalLosses
  private let others: OtherBodies

  /// Reads the cassette, if there is one, and takes up what a killed recording had got.
  init(_ file: URL, of path: String? = nil, _ matcher: Matcher) throws {
    others = OtherBodies(matcher)
    let losses = JournalLosses()
    self.losses = losses
    journal = try RecordingJournal(besides: file) { losses.tell($0) }
    // Behind the journal, which knows from there on whether somebody else changes the file. Read
    // even if it is written anew: what is no cassette must not be lost to a misspelt name.
    cassette = try CassetteFile.takeUp(journal, onto: file, of: path, goesOn: true).cassette
  }

  /// Takes note of an event of the deck's.
  func observe(_ event: ExchangeEvent) {
    unrecorded.observe(event)
    others.observe(event)
  }

  /// Reports what was not journalled, and bodies that were played for others.
  func complain() {
    losses.complain()
    others.complain()
  }
}
