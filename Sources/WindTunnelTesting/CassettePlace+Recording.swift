internal import Foundation
internal import WindTunnel

extension CassettePlace {
  private var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// A fresh deck of the tape as it is now.
  ///
  /// What it records is journalled beside the cassette until ``keep(_:_:)`` or ``discard(_:)``. What a
  /// process had recorded when it was killed is on the tape, and there the recording goes on; so it
  /// does on a tape that another test of this process has begun.
  func deck(_ taping: Taping = Taping()) throws -> Deck {
    try taping.check()
    guard mode != .none, mode != .verify else {
      let journals = RecordingDesk.journals(besides: file)
      guard exists else {
        guard journals.isEmpty else { throw unfinished(journals[0]) }
        throw CassetteProblem(
          """
          There is no cassette \(file.path), and nothing is recorded here. \
          Record it at a desk: WINDTUNNEL_RECORD=once swift test
          """
        )
      }
      return taping.deck(try Cassette.withLeftovers(file, journals: journals).cassette, mode)
    }
    return try RecordingDesk.shared.withLock { desk in
      try desk.takeUp(besides: file)
      let goesOn = mode == .once && desk.goesOn(file)
      let tape = exists ? try Cassette(contentsOf: file) : Cassette()
      let plays = mode == .once && !goesOn && !tape.interactions.isEmpty
      return taping.deck(
        tape,
        goesOn ? .newEpisodes : mode,
        journal: plays ? nil : desk.journal(besides: file)
      )
    }
  }

  /// Writes what a deck has recorded, if it has. Tests that share a cassette write onto it one after
  /// the other: each puts what it asked for in the places that would have been played for it, and
  /// leaves the rest as it is, and what another test of this process has written.
  ///
  /// - Returns: What there is to tell of a cassette that was not there before: its name may be misspelt.
  @discardableResult
  func keep(_ deck: Deck, _ taping: Taping = Taping()) throws -> String? {
    guard mode != .none, mode != .verify else { return nil }
    return try RecordingDesk.shared.withLock { desk in
      guard !deck.recordedRefusalsAlone else {
        desk.end(deck.recordingJournal)
        throw CassetteProblem(
          """
          Every connection was refused while \(file.path) was recorded, so nothing is written. \
          Start the server, or play what is there: WINDTUNNEL_RECORD=none swift test
          """
        )
      }
      if let (count, reason) = deck.unasked {
        desk.end(deck.recordingJournal)
        throw CassetteProblem(
          "\(count) requests of this test could not be passed on, so nothing is written to "
            + "\(file.path): \(reason)."
        )
      }
      let base = exists ? try Cassette(contentsOf: file) : Cassette()
      let (cassette, leftOut, claims) = deck.recorded(
        into: base,
        then: taping.options.then,
        keepsOrder: taping.expectation.contains(.inOrder),
        on: isDated ? Date() : nil,
        beside: desk.claims(on: file)
      )
      guard leftOut.isEmpty else {
        desk.end(deck.recordingJournal)
        throw notKept(leftOut)
      }
      var note: String?
      if cassette != base, !cassette.interactions.isEmpty {
        if !exists || desk.goesOn(file) {
          let count = cassette.interactions.count
          let noun = count == 1 ? "interaction" : "interactions"
          note = "recorded \(file.lastPathComponent), \(count) \(noun) (new)"
        }
        if mode == .once { desk.begin(file) }
        try RecordingDesk.makeFolder(of: file)
        try cassette.write(to: file)
      }
      desk.end(deck.recordingJournal)
      desk.kept(file, claims)
      return note
    }
  }

  /// Throws away what a deck has recorded: its test has failed.
  func discard(_ deck: Deck) { RecordingDesk.shared.withLock { $0.end(deck.recordingJournal) } }

  private func unfinished(_ journal: URL) -> CassetteProblem {
    CassetteProblem(
      """
      There is no cassette \(file.path), only what a recording had got that was ended before it was \
      written: \(journal.lastPathComponent). Let it go on at a desk: WINDTUNNEL_RECORD=once swift test
      """
    )
  }

  private func notKept(_ leftOut: [String]) -> CassetteProblem {
    CassetteProblem(
      """
      What this test recorded cannot all be kept without its secrets, so nothing is written to \
      \(file.path). Left out:
      \(leftOut.map { "  \($0)" }.joined(separator: "\n"))
      Have it answered otherwise (Accept-Encoding: gzip), or leave its host alone: ignoring: ["HOST"].
      """
    )
  }
}
