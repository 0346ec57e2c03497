/// A recording in progress, which adds to a cassette.
struct LiveRecording {
  /// The interactions that are already on the cassette.
  let cassette: Cassette
  let journal: RecordingJournal
  /// The requests that were not recorded.
  let unrecorded = Unrecorded()
  private let losses: JournalLosses
  private let others: OtherBodies

  /// Reads the cassette, if it exists, and adds the recordings of a killed process.
  init(_ file: URL, of path: String? = nil, _ matcher: Matcher) throws {
    others = OtherBodies(matcher)
    let losses = JournalLosses()
    self.losses = losses
    journal = try RecordingJournal(besides: file) { losses.tell($0) }
    // After the journal, which detects later changes to the file by others. The file is read even
    // if it is rewritten, so that a misspelt name does not overwrite a file that is no cassette.
    cassette = try CassetteFile.takeUp(journal, onto: file, of: path, goesOn: true).cassette
  }

  /// Handles an event of the deck.
  func observe(_ event: ExchangeEvent) {
    unrecorded.observe(event)
    others.observe(event)
  }

  /// Reports losses of the journal, and responses that were played for other bodies.
  func complain() {
    losses.complain()
    others.complain()
  }
}
