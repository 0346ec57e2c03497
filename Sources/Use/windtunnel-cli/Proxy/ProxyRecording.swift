/// The cassette that a proxy adds to.
struct ProxyRecording {
  /// The interactions that are on it already.
  let cassette: Cassette
  let journal: RecordingJournal
  /// The requests that were not recorded.
  private let unrecorded = Unrecorded()
  private let losses: JournalLosses
  private let others: OtherBodies
  private let file: URL
  /// Tells that each new interaction bears its day.
  private let isDated: Bool

  /// Reads the cassette, if there is one, and takes up what a killed recording had got.
  init(_ file: URL, _ matcher: Matcher, isDated: Bool) throws {
    (self.file, self.isDated) = (file, isDated)
    others = OtherBodies(matcher)
    try FileError.probeWriting(to: file)
    let losses = JournalLosses()
    self.losses = losses
    journal = try RecordingJournal(besides: file) { losses.tell($0) }
    cassette = try CassetteFile.takeUp(journal, onto: file, goesOn: true).cassette
  }

  /// Takes note of an event of the deck's.
  func observe(_ event: ExchangeEvent) {
    unrecorded.observe(event)
    others.observe(event)
  }

  /// Writes the cassette, if anything came.
  ///
  /// - Returns: Whether there was room for all of it.
  func keep(_ deck: Deck) throws -> Bool {
    defer { journal.close() }
    losses.complain()
    others.complain()
    // Beside what answered, a host that was not there is part of the story; alone it is none.
    let leftOff = unrecorded.lines(deck)
    let refusals = deck.recordedRefusalsAlone ? deck.forgetRefusals() : []
    for request in refusals {
      Terminal.complain("left out: \(request): the connection was refused, and nothing else came\n")
    }
    var (recorded, orders, leftOut) = deck.numbered()
    if isDated { recorded.date(Date(), whereNotIn: cassette) }
    for line in leftOff + leftOut { Terminal.complain("left out: \(line)\n") }
    guard recorded != cassette else {
      journal.remove()
      Terminal.complain("Nothing was recorded; \(file.relativePath) is as it was.\n")
      return true
    }
    CutAnswers.complain(recorded, besides: cassette)
    return try journal.endTelling(with: recorded, orders: orders, of: file)
  }
}
