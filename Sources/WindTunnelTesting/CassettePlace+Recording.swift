internal import Foundation
internal import WindTunnel

extension CassettePlace {
  private var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// A fresh deck of the tape as it is now.
  ///
  /// What it records is journalled beside the cassette until ``keep(_:)`` or ``discard(_:)``. What a
  /// process had recorded when it was killed is on the tape, and there the recording goes on.
  func deck(
    _ matcher: Matcher,
    then: EndPolicy,
    pace: Pace = .immediately,
    refreshesDates: Bool = false
  ) throws -> Deck {
    let clock: @Sendable () -> Date = { Date() }
    guard mode != .none, mode != .verify else {
      let journals = Desk.journals(besides: file)
      guard exists else {
        guard journals.isEmpty else { throw unfinished(journals[0]) }
        throw CassetteProblem(
          """
          There is no cassette \(file.path), and nothing is recorded here. \
          Record it at a desk: WINDTUNNEL_RECORD=once swift test
          """
        )
      }
      return Deck(
        try Cassette.withLeftovers(file, journals: journals).cassette,
        matcher: matcher,
        then: then,
        pace: pace,
        mode: mode,
        refreshingDates: refreshesDates ? clock : nil
      )
    }
    let goesOn = try Self.desk.withLock { desk in
      try desk.takeUp(besides: self)
      return mode == .once && desk.resumed.contains(file)
    }
    // Not while another test writes it: bodies beside the old text go with it.
    let tape = try Self.desk.withLock { _ in exists ? try Cassette(contentsOf: file) : Cassette() }
    let plays = mode == .once && !goesOn && !tape.interactions.isEmpty
    return Deck(
      tape,
      matcher: matcher,
      then: then,
      pace: pace,
      mode: goesOn ? .newEpisodes : mode,
      recordingJournal: plays ? nil : Self.desk.withLock { $0.journal(besides: file) },
      refreshingDates: refreshesDates ? clock : nil
    )
  }

  /// Writes what a deck has recorded, if it has. Tests that share a cassette add to it one after
  /// the other; the first of a run that rewrites it begins anew.
  func keep(_ deck: Deck) throws {
    guard mode != .none, mode != .verify else { return }
    try Self.desk.withLock { desk in
      guard !deck.recordedRefusalsAlone else {
        desk.end(deck.recordingJournal)
        throw CassetteProblem(
          """
          Every connection was refused while \(file.path) was recorded, so nothing is written. \
          Start the server, or play what is there: WINDTUNNEL_RECORD=none swift test
          """
        )
      }
      let begins = mode == .rewrite && !desk.rewritten.contains(file)
      let base = exists && !begins ? try Cassette(contentsOf: file) : Cassette()
      let (cassette, _) = deck.recorded(onto: base)
      if cassette != base, !cassette.interactions.isEmpty {
        try Self.makeFolder(of: file)
        try cassette.write(to: file)
        desk.rewritten.insert(file)
      }
      desk.end(deck.recordingJournal)
    }
  }

  /// Throws away what a deck has recorded: its test has failed.
  func discard(_ deck: Deck) { Self.desk.withLock { $0.end(deck.recordingJournal) } }

  private func unfinished(_ journal: URL) -> CassetteProblem {
    CassetteProblem(
      """
      There is no cassette \(file.path), only what a recording had got that was ended before it was \
      written: \(journal.lastPathComponent). Let it go on at a desk: WINDTUNNEL_RECORD=once swift test
      """
    )
  }

  /// Its lock also keeps writers apart.
  private static let desk = Locked(Desk())

  private static func makeFolder(of file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
  }

  /// What this process knows of the cassettes that it records.
  private struct Desk: Sendable {
    /// Those that it has begun anew.
    var rewritten: Set<URL> = []
    /// Those whose recording was cut off by the end of another process.
    var resumed: Set<URL> = []
    /// Those beside which it has looked for journals that were left.
    private var lookedBeside: Set<URL> = []
    /// The journals that are being written here: tests that share a cassette have one each.
    private var journals: Set<URL> = []

    /// Puts onto a tape what was left beside it.
    mutating func takeUp(besides place: CassettePlace) throws {
      let file = place.file
      guard !lookedBeside.contains(file) else { return }
      for url in Self.journals(besides: file) {
        // One that is locked is no leftover: somebody else is writing it.
        guard let journal = try? RecordingJournal(url, besides: file) else { continue }
        let tape = place.exists ? try Cassette(contentsOf: file) : Cassette()
        if try journal.takeUp(onto: tape).count > 0 { resumed.insert(file) }
        journal.remove()
      }
      // Where it has thrown, the next test is told the same.
      lookedBeside.insert(file)
    }

    /// A journal of one's own; without one, where it cannot be written, the recording is as good.
    mutating func journal(besides file: URL) -> RecordingJournal? {
      // What cannot be written here is told when the cassette is.
      try? CassettePlace.makeFolder(of: file)
      for number in 1...Self.journalsMax {
        let url = Self.journal(number, besides: file)
        // One that is locked belongs to another process.
        guard !journals.contains(url), let journal = try? RecordingJournal(url, besides: file)
        else { continue }
        journals.insert(url)
        return journal
      }
      return nil
    }

    mutating func end(_ journal: RecordingJournal?) {
      guard let journal else { return }
      journal.remove()
      journals.remove(journal.file)
    }

    /// How many tests journal at once what they record onto one cassette.
    private static let journalsMax = 64

    /// `users.json.journal`, `users.json.2.journal` and so on.
    private static func journal(_ number: Int, besides file: URL) -> URL {
      (number == 1 ? file : file.appendingPathExtension("\(number)"))
        .appendingPathExtension("journal")
    }

    static func journals(besides file: URL) -> [URL] {
      (1...journalsMax).map { journal($0, besides: file) }
        .filter { FileManager.default.fileExists(atPath: $0.path) }
    }
  }
}
