internal import Foundation
internal import WindTunnel
internal import WindTunnelDrill

/// The cassette that a proxy adds to.
struct ProxyRecording {
  /// What is on it already.
  let tape: Cassette
  let journal: RecordingJournal
  /// What of it did not come.
  let unrecorded = Unrecorded()
  private let file: URL

  /// Reads the cassette, if there is one, and takes up what a killed recording had got.
  init(_ file: URL, _ rules: RedactionRules) throws {
    self.file = file
    let exists = FileManager.default.fileExists(atPath: file.path)
    let found = exists ? try Cassette(contentsOf: file) : Cassette()
    try FileError.probeWriting(to: file)
    journal = try RecordingJournal(besides: file)
    tape =
      try Tapes.takeUp(journal, onto: found, of: file.relativePath, goesOn: true).tape
  }

  /// Writes the cassette, if anything came.
  func keep(_ deck: Deck) throws {
    defer { journal.close() }
    if let problem = journal.problem { Terminal.complain("not journalled: \(problem)\n") }
    // Beside what answered, a host that was not there is part of the story; alone it is none.
    let leftOff = unrecorded.lines(deck)
    let refusals = deck.recordedRefusalsAlone ? deck.forgetRefusals() : []
    for request in refusals {
      Terminal.complain("left out: \(request): the connection was refused, and nothing else came\n")
    }
    let (recorded, leftOut) = deck.recorded()
    for line in leftOff + leftOut { Terminal.complain("left out: \(line)\n") }
    guard recorded != tape else {
      journal.remove()
      return Terminal.complain("Nothing was recorded; \(file.relativePath) is as it was.\n")
    }
    try recorded.write(to: file)
    journal.remove()
    Terminal.complain("\(file.relativePath): \(recorded.interactions.count) interactions\n")
  }
}
