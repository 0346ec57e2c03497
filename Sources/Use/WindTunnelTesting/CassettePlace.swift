public import Foundation
internal import Testing
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// The place of a test's cassette, and the mode in which it is played or recorded.
struct CassettePlace: Sendable, Hashable {
  let file: URL
  let mode: RecordMode
  /// The texts for redacted parts where the live origin is asked, by their names.
  let secrets: [String: String]
  /// The folders in the name that the test says, up to the last `/`; empty where it says none.
  let folders: String
  /// Tells whether each interaction that is recorded bears the day on which it was.
  private let isDated: Bool

  /// Finds `NAME.json`: in `$WINDTUNNEL_CASSETTES` if that is set; else, where nothing can be
  /// recorded, in the folder `Cassettes` amongst the resources of the test's module; else in
  /// `Cassettes` beside the test's own file; else, if it is a cassette, at the top of those
  /// resources. Where something can be recorded, the resources count only if the folder of the
  /// test's file is not there. A name that begins with a `/` is a path.
  ///
  /// The mode is `$WINDTUNNEL_RECORD`; without it a missing cassette is recorded at a desk, and
  /// where `$CI` is set nothing is ever recorded. With `$WINDTUNNEL_DATES` recordings bear dates.
  init(
    _ name: String,
    besides test: String,
    in module: String = "",
    environment: [String: String] = ProcessInfo.processInfo.environment,
    resources: Resources = .built
  ) throws {
    let path = name.hasSuffix(".json") ? name : "\(name).json"
    let mode = try Self.mode(environment)
    folders = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    secrets = try Self.secrets(environment)
    isDated = try Self.isDated(environment)
    if path.hasPrefix("/") {
      (file, self.mode) = (URL(filePath: path), mode)
      return
    }
    if let folder = environment["WINDTUNNEL_CASSETTES"] {
      (file, self.mode) = (URL(filePath: folder).appending(path: path), mode)
      return
    }
    let tests = URL(filePath: test).deletingLastPathComponent()
    let source = tests.appending(path: "Cassettes").appending(path: path)
    guard let copy = Self.copy(of: source, in: tests, path, module, mode, resources) else {
      (file, self.mode) = (source, mode)
      return
    }
    // A build's copy is not recorded onto.
    (file, self.mode) = (copy, mode == .once ? .none : mode)
  }

  /// Returns the build's copy of a cassette, where that is what is played.
  private static func copy(
    of source: URL,
    in tests: URL,
    _ path: String,
    _ module: String,
    _ mode: RecordMode,
    _ resources: Resources
  ) -> URL? {
    func isThere(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }
    switch mode {
    case .none, .verify:
      if let file = resources.file(inCassettes: path, of: module) { return file }
      let isKnown = isThere(source) || !RecordingRegistry.journals(besides: source).isEmpty
      return isKnown ? nil : resources.file(atTop: path, of: module)
    case .once:
      // Where the sources are, a cassette that is missing is to be recorded, however old a copy of
      // it the build has kept. On a device they are not.
      guard !isThere(tests) else { return nil }
      return resources.file(inCassettes: path, of: module)
        ?? resources.file(atTop: path, of: module)
    case .newEpisodes, .rewrite: return nil
    }
  }

  private static func mode(_ environment: [String: String]) throws -> RecordMode {
    guard let asked = environment["WINDTUNNEL_RECORD"] else {
      return environment["CI"] == nil ? .once : .none
    }
    guard let mode = RecordMode(name: asked) else {
      let known = RecordMode.names.joined(separator: ", ")
      throw CassetteProblem("WINDTUNNEL_RECORD=\(asked): there are \(known).")
    }
    return mode
  }

  /// Returns the module that a file is of, by `#fileID`.
  static func module(of fileID: String) -> String { String(fileID.prefix { $0 != "/" }) }

  private static func isDated(_ environment: [String: String]) throws -> Bool {
    switch environment["WINDTUNNEL_DATES"] {
    case nil, "", "0": return false
    case "1": return true
    case let asked?:
      throw CassetteProblem("WINDTUNNEL_DATES=\(asked): 1 dates what is recorded, 0 does not.")
    }
  }

  /// Plays or records the cassette for a part of a test.
  ///
  /// What it records is written if nothing of it fails; else it is thrown away, and that is told.
  ///
  /// - Parameters:
  ///   - deck: The deck of this place.
  ///   - settings: How it is played.
  ///   - tell: Receives the reasons why nothing answered, as errors, if the part throws, and notes,
  ///     as warnings.
  ///   - run: Runs the part.
  /// - Returns: The problems of a part that has not thrown.
  /// - Throws: The error of the part.
  func run(
    _ deck: Deck,
    _ settings: CassetteSettings,
    telling tell: (String, Issue.Severity) -> Void,
    _ run: @Sendable () async throws -> Void
  ) async throws -> [String] {
    let watch = FailureWatch { thrownAway(deck) }
    do {
      // Issues of tests that only play are nobody's affair.
      if records(deck) { try await watch.run(run) } else { try await run() }
    } catch {
      discard(deck)
      // Mostly they are why it has thrown.
      for mismatch in deck.mismatches { tell(told(mismatch), .error) }
      if let note = deck.oversight(after: error, of: file.lastPathComponent) {
        tell(note, .warning)
      }
      // A test that is cancelled throws, too, and has not failed.
      if deck.hasRecorded { tell(thrownAway(deck), .warning) }
      throw error
    }
    var problems = deck.mismatches.map { told($0) }
    problems += deck.unmet(settings.expectation).map { "\($0)" }
    let drift = await drift(of: deck, settings)
    problems += drift.drifted.map { "\(Drift([$0]))" }
    let oversights = deck.oversights(expecting: settings.expectation, of: file.lastPathComponent)
    for note in await skipped(drift) + oversights { tell(note, .warning) }
    guard problems.isEmpty, !watch.hasFailed else {
      if deck.hasRecorded, !problems.isEmpty { problems.append(thrownAway(deck)) }
      discard(deck)
      return problems
    }
    do {
      if let note = try keep(deck, settings) { tell(note, .warning) }
    } catch let problem as CassetteProblem {
      return [problem.description]
    }
    return []
  }

  /// Tells whether what a deck is asked may go to the live origin and be kept.
  private func records(_ deck: Deck) -> Bool { deck.records && mode != .none && mode != .verify }

  var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// Returns a fresh deck of the cassette as it is now.
  ///
  /// What it records is journalled beside the cassette until ``keep(_:_:)`` or ``discard(_:)``.
  /// What a process had recorded when it was killed is on the cassette, and there the recording
  /// goes on; so it does on a cassette that another test of this process has begun.
  func deck(_ settings: CassetteSettings = CassetteSettings()) throws -> Deck {
    try settings.check()
    guard mode != .none, mode != .verify else {
      let journals = RecordingRegistry.journals(besides: file)
      guard exists else {
        if let journal = journals.first {
          throw CassetteProblem(
            """
            There is no cassette \(file.path), only what a recording had got that was ended before \
            it was written: \(journal.lastPathComponent). Let it go on at a desk: \
            WINDTUNNEL_RECORD=once swift test
            """
          )
        }
        throw CassetteProblem(
          """
          There is no cassette \(file.path), and nothing is recorded here.\(suggestion) \
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

  /// Writes what a deck has recorded, if it has. Tests that share a cassette write onto it one
  /// after the other: each puts what it asked for in the places that would have been played for it,
  /// and leaves the rest as it is, and what another test of this process has written.
  ///
  /// - Returns: What there is to tell of a cassette that was not there before: its name may be
  ///   misspelt.
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
        throw CassetteProblem(
          """
          What this test recorded cannot all be kept without its secrets, so nothing is written to \
          \(file.path). Left out:
          \(leftOut.map { "  \($0)" }.joined(separator: "\n"))
          Have it answered otherwise (Accept-Encoding: gzip), or leave its host alone: \
          ignoring: ["HOST"].
          """
        )
      }
      var note: String?
      if cassette != base, !cassette.interactions.isEmpty {
        if !exists || registry.goesOn(file) {
          let count = cassette.interactions.count
          note = "recorded \(file.lastPathComponent), \(count.counted("interaction")) (new)"
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

  /// Returns the options of a deck's loopback server: where it records, the server that it stands
  /// in front of.
  ///
  /// - Throws: `CassetteProblem` where nobody says which server that is, or where it cannot be
  ///   used.
  func wire(for deck: Deck, _ settings: CassetteSettings) throws -> ReplayServer.Options {
    var options = Tunnel.standardOptions
    guard records(deck) else { return options }
    guard let (name, place) = settings.upstream(of: deck.origin) else {
      throw CassetteProblem(
        """
        On the wire \(file.path) cannot be recorded: requests name only the loopback server, and \
        nothing says which server it stands for. Name it, \
        .cassette(…, mapping: ["api.example.com": "https://api.example.com"]), or record in process, \
        without .onTheWire.
        """
      )
    }
    do {
      options.upstream = try Upstream(place)
    } catch {
      throw CassetteProblem("On the wire \(file.path) cannot be recorded. \(error)")
    }
    if name.origin != place.origin { options.recordedOrigin = name }
    return options
  }
}

extension Cassette {
  /// Reads the cassette that `.cassette("NAME")` finds, as it is now, for a drill, which plays and
  /// never records.
  ///
  /// - Parameters:
  ///   - name: The cassette's name.
  ///   - test: The test's file.
  ///   - fileID: The same with its module, whose resources are looked through.
  /// - Throws: `CassetteProblem` where there is no such cassette, `FormatError` where it does not
  ///   read.
  package init(playing name: String, besides test: String, _ fileID: String) throws {
    let place = try CassettePlace(name, besides: test, in: CassettePlace.module(of: fileID))
    guard FileManager.default.fileExists(atPath: place.file.path) else {
      throw CassetteProblem(
        """
        There is no cassette \(place.file.path), and a drill records none.\(place.suggestion) \
        Record it in a test with .cassette(…), or by windtunnel record.
        """
      )
    }
    self = try Cassette.withLeftovers(place.file).cassette
  }
}

/// Knows whether a part of a test has failed, by an expectation that did not hold, too.
///
/// Issues that are known do not count, nor do warnings. Where no test of Swift Testing runs, as in
/// XCTest, nothing is heard: there a part fails by what it throws.
private final class FailureWatch: Sendable {
  private let heard = Locked(false)
  /// The words that go with the first failure.
  private let words: @Sendable () -> String

  init(_ words: @escaping @Sendable () -> String) { self.words = words }

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
      issue.comments.append(Comment(rawValue: words()))
      return issue
    }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }
}

/// The error of a test's cassette, in one or two sentences.
public struct CassetteProblem: LocalizedError, Sendable, CustomStringConvertible {
  /// The problem in one or two sentences.
  public let description: String
  /// The error that the test itself threw, mostly because of this one; `nil` where it threw none.
  public let underlyingError: (any Error)?
  /// The description, for code that prints errors by `LocalizedError`.
  public var errorDescription: String? { description }

  init(_ description: String) { (self.description, underlyingError) = (description, nil) }

  /// Several problems, and what the test has thrown for them.
  init(_ problems: [String], beside error: (any Error)? = nil) {
    let thrown = error.map { ["What was tested has thrown: \($0)"] } ?? []
    description = (problems + thrown).joined(separator: "\n\n")
    underlyingError = error
  }
}
