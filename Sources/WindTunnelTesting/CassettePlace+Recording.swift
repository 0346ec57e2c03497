internal import Foundation
internal import Testing
internal import WindTunnel

extension CassettePlace {
  /// Plays or records the cassette for a part of a test.
  ///
  /// What it records is written if nothing of it fails; else it is thrown away, and that is told.
  ///
  /// - Parameters:
  ///   - deck: The deck of this place.
  ///   - settings: How it is played.
  ///   - fly: Runs the part.
  /// - Returns: What is to be told at the end, where the part has not thrown: what fails it, and what
  ///   is only to be known.
  /// - Throws: What the part throws. Then ``Deck/mismatches`` mostly say why.
  func run(
    _ deck: Deck,
    _ settings: CassetteSettings,
    _ fly: @Sendable () async throws -> Void
  ) async throws -> (problems: [String], notes: [String]) {
    let watch = FailureWatch(thrownAway)
    do {
      // Issues of tests that only play are nobody's affair.
      if records(deck) { try await watch.run(fly) } else { try await fly() }
    } catch {
      discard(deck)
      throw error
    }
    var problems = deck.mismatches.map { told($0) }
    problems += deck.unmet(settings.expectation).map { "\($0)" }
    let drift = await drift(of: deck, settings)
    problems += drift.drifted.map { "\(Drift([$0]))" }
    var notes = await skipped(drift)
    notes += deck.oversights(expecting: settings.expectation, of: file.lastPathComponent)
    guard problems.isEmpty, !watch.hasFailed else {
      if deck.hasRecorded, !problems.isEmpty { problems.append(thrownAway) }
      discard(deck)
      return (problems, notes)
    }
    do {
      if let note = try keep(deck, settings) { notes.append(note) }
    } catch let problem as CassetteProblem {
      return ([problem.description], notes)
    }
    return ([], notes)
  }

  /// Tells whether what a deck is asked may go to the live origin and be kept.
  func records(_ deck: Deck) -> Bool { deck.records && mode != .none && mode != .verify }

  /// The reason why nothing answered, with the remedy at a desk.
  func told(_ mismatch: Mismatch) -> String {
    guard mode == .once else { return "\(mismatch)" }
    return "\(mismatch)\nTo record what is missing beside the rest: "
      + "WINDTUNNEL_RECORD=new-episodes swift test"
  }

  /// The words for a failure of a test that records.
  var thrownAway: String {
    "Since this test has failed, nothing that it recorded is written to \(file.path)."
  }

  private var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// A fresh deck of the cassette as it is now.
  ///
  /// What it records is journalled beside the cassette until ``keep(_:_:)`` or ``discard(_:)``. What a
  /// process had recorded when it was killed is on the cassette, and there the recording goes on; so it
  /// does on a cassette that another test of this process has begun.
  func deck(_ settings: CassetteSettings = CassetteSettings()) throws -> Deck {
    try settings.check()
    guard mode != .none, mode != .verify else {
      let journals = RecordingRegistry.journals(besides: file)
      guard exists else {
        guard journals.isEmpty else { throw unfinished(journals[0]) }
        throw CassetteProblem(
          """
          There is no cassette \(file.path), and nothing is recorded here. \
          Record it at a desk: WINDTUNNEL_RECORD=once swift test
          """
        )
      }
      return settings.deck(try Cassette.withLeftovers(file, journals: journals).cassette, mode)
    }
    return try RecordingRegistry.shared.withLock { registry in
      try registry.takeUp(besides: file)
      let goesOn = mode == .once && registry.goesOn(file)
      let cassette = exists ? try Cassette(contentsOf: file) : Cassette()
      let plays = mode == .once && !goesOn && !cassette.interactions.isEmpty
      return settings.deck(
        cassette,
        goesOn ? .newEpisodes : mode,
        journal: plays ? nil : registry.journal(besides: file)
      )
    }
  }

  /// Writes what a deck has recorded, if it has. Tests that share a cassette write onto it one after
  /// the other: each puts what it asked for in the places that would have been played for it, and
  /// leaves the rest as it is, and what another test of this process has written.
  ///
  /// - Returns: What there is to tell of a cassette that was not there before: its name may be misspelt.
  @discardableResult
  func keep(_ deck: Deck, _ settings: CassetteSettings = CassetteSettings()) throws -> String? {
    guard mode != .none, mode != .verify else { return nil }
    return try RecordingRegistry.shared.withLock { registry in
      guard !deck.recordedRefusalsAlone else {
        registry.end(deck.recordingJournal)
        throw CassetteProblem(
          """
          Every connection was refused while \(file.path) was recorded, so nothing is written. \
          Start the server, or play what is there: WINDTUNNEL_RECORD=none swift test
          """
        )
      }
      if let (count, reason) = deck.unasked {
        registry.end(deck.recordingJournal)
        throw CassetteProblem(
          "\(count) requests of this test could not be passed on, so nothing is written to "
            + "\(file.path): \(reason)."
        )
      }
      let base = exists ? try Cassette(contentsOf: file) : Cassette()
      let (cassette, leftOut, run) = deck.recorded(
        into: base,
        then: settings.options.then,
        keepsOrder: settings.expectation.contains(.inOrder),
        on: isDated ? Date() : nil,
        beside: registry.run(on: file)
      )
      guard leftOut.isEmpty else {
        registry.end(deck.recordingJournal)
        throw notKept(leftOut)
      }
      var note: String?
      if cassette != base, !cassette.interactions.isEmpty {
        if !exists || registry.goesOn(file) {
          let count = cassette.interactions.count
          let noun = count == 1 ? "interaction" : "interactions"
          note = "recorded \(file.lastPathComponent), \(count) \(noun) (new)"
        }
        if mode == .once { registry.begin(file) }
        try RecordingRegistry.makeFolder(of: file)
        try cassette.write(to: file)
      }
      registry.end(deck.recordingJournal)
      registry.kept(file, run)
      return note
    }
  }

  /// Throws away what a deck has recorded: its test has failed.
  func discard(_ deck: Deck) { RecordingRegistry.shared.withLock { $0.end(deck.recordingJournal) } }

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

/// Knows whether a part of a test has failed, by an expectation that did not hold, too.
///
/// Issues that are known do not count, nor do warnings. Where no test of Swift Testing runs, as in
/// XCTest, nothing is heard: there a part fails by what it throws.
private final class FailureWatch: Sendable {
  private let heard = Locked(false)
  /// The words that go with the first failure.
  private let words: String

  init(_ words: String) { self.words = words }

  /// Tells whether a failure was heard of.
  var hasFailed: Bool { heard.withLock { $0 } }

  /// Runs a part of the test that runs here.
  func run(_ body: @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return try await body() }
    let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
      guard issue.isFailure else { return issue }
      let isFirst = heard.withLock { heard in
        defer { heard = true }
        return !heard
      }
      guard isFirst else { return issue }
      var issue = issue
      issue.comments.append(Comment(rawValue: words))
      return issue
    }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }
}
