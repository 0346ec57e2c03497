public import Foundation
internal import Testing
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelServer

/// The file of a test's cassette, and the mode in which it is played or recorded.
struct CassettePlace: Sendable, Hashable {
  let file: URL
  let mode: RecordMode
  /// The values of redacted parts by name, for requests to the live origin.
  let secrets: [String: String]
  /// The folders in the given name, up to the last `/`; empty if there are none.
  let folders: String
  /// Whether each recorded interaction contains its date.
  private let isDated: Bool

  /// Finds `NAME.json` and the mode of its use.
  ///
  /// A name that begins with a `/` is a path. Otherwise these folders are searched:
  ///
  /// 1. `$WINDTUNNEL_CASSETTES`, if it is set.
  /// 2. If nothing can be recorded: the folder `Cassettes` in the resources of the test's module.
  /// 3. `Cassettes` next to the test's own file.
  /// 4. The top of these resources, if the file there is a cassette.
  ///
  /// If recording is possible, resources are used only if the folder of the test's file is missing.
  ///
  /// The mode is `$WINDTUNNEL_RECORD`. Without it, a missing cassette is recorded, unless `$CI` is
  /// set. With `$WINDTUNNEL_DATES`, recordings contain dates.
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
    // The build's copy is never recorded to.
    (file, self.mode) = (copy, mode == .once ? .none : mode)
  }

  /// Returns the build's copy of a cassette, if that is the one to play.
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
      // On a machine with the sources, a missing cassette is recorded, even if the build has an old
      // copy. A device has no sources.
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
      throw CassetteProblem("WINDTUNNEL_RECORD=\(asked): the values are \(known).")
    }
    return mode
  }

  /// Returns the module of a file, from its `#fileID`.
  static func module(of fileID: String) -> String { String(fileID.prefix { $0 != "/" }) }

  private static func isDated(_ environment: [String: String]) throws -> Bool {
    switch environment["WINDTUNNEL_DATES"] {
    case nil, "", "0": return false
    case "1": return true
    case let asked?:
      throw CassetteProblem("WINDTUNNEL_DATES=\(asked): 1 stores recording dates, 0 does not.")
    }
  }

  /// Plays or records the cassette for a part of a test.
  ///
  /// The recording is written if nothing in the part fails. Otherwise it is discarded, which is
  /// reported.
  ///
  /// - Parameters:
  ///   - deck: The deck of this cassette.
  ///   - settings: The settings of playing and recording.
  ///   - report: Receives notes as warnings. If the part throws, it also receives the explanations
  ///     of requests without a recording, as errors.
  ///   - run: Runs the part.
  /// - Returns: The problems of a part that did not throw.
  /// - Throws: The error of the part.
  func run(
    _ deck: Deck,
    _ settings: CassetteSettings,
    reporting report: (String, Issue.Severity) -> Void,
    _ run: @Sendable () async throws -> Void
  ) async throws -> [String] {
    let watch = FailureWatch { thrownAway(deck) }
    do {
      // Issues of tests that only play are not observed.
      if records(deck) { try await watch.run(run) } else { try await run() }
    } catch {
      discard(deck)
      // They are usually the reason for the error.
      for mismatch in deck.mismatches { report(explanation(of: mismatch), .error) }
      if let note = deck.oversight(after: error, of: file.lastPathComponent) {
        report(note, .warning)
      }
      // A cancelled test throws too, but has not failed.
      if deck.hasRecorded { report(thrownAway(deck), .warning) }
      throw error
    }
    var problems = deck.mismatches.map { explanation(of: $0) }
    problems += deck.unmet(settings.expectation).map { "\($0)" }
    let drift = await drift(of: deck, settings)
    problems += drift.drifted.map { "\(Drift([$0]))" }
    let oversights = deck.oversights(expecting: settings.expectation, of: file.lastPathComponent)
    for note in await skipped(drift) + oversights { report(note, .warning) }
    guard problems.isEmpty, !watch.hasFailed else {
      if deck.hasRecorded, !problems.isEmpty { problems.append(thrownAway(deck)) }
      discard(deck)
      return problems
    }
    do {
      if let note = try keep(deck, settings) { report(note, .warning) }
    } catch let problem as CassetteProblem {
      return [problem.description]
    }
    return []
  }

  /// Returns whether requests of a deck may be sent to the live origin and recorded.
  private func records(_ deck: Deck) -> Bool { deck.records && mode != .none && mode != .verify }

  var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// Returns a new deck of the cassette in its current state.
  ///
  /// Recordings are written to a journal next to the cassette until ``keep(_:_:)`` or
  /// ``discard(_:)``. The recordings of a killed process are added to the cassette, and recording
  /// continues after them. It also continues on a cassette that another test of this process has
  /// begun.
  func deck(_ settings: CassetteSettings = CassetteSettings()) throws -> Deck {
    try settings.check()
    guard mode != .none, mode != .verify else {
      let journals = RecordingRegistry.journals(besides: file)
      guard exists else {
        if let journal = journals.first {
          throw CassetteProblem(
            """
            The cassette \(file.path) does not exist, only the journal of an interrupted recording: \
            \(journal.lastPathComponent). Continue the recording on your machine: \
            WINDTUNNEL_RECORD=once swift test
            """
          )
        }
        throw CassetteProblem(
          """
          The cassette \(file.path) does not exist, and recording is off.\(suggestion) \
          Record it on your machine: WINDTUNNEL_RECORD=once swift test
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

  /// Writes the recordings of a deck, if there are any.
  ///
  /// Tests that share a cassette write to it one after the other. Each replaces the recordings that
  /// would have been played for it. It leaves all others unchanged, including the recordings of
  /// other tests in this process.
  ///
  /// - Returns: A note about a new cassette, because its name may be misspelt.
  @discardableResult
  func keep(_ deck: Deck, _ settings: CassetteSettings = CassetteSettings()) throws -> String? {
    guard mode != .none, mode != .verify else { return nil }
    return try RecordingRegistry.shared.withLock { registry in
      guard !deck.recordedRefusalsAlone else {
        registry.end(deck.recordingJournal)
        throw CassetteProblem(
          """
          Every connection was refused while \(file.path) was recorded, so nothing is written. \
          Start the server, or play the existing recordings: WINDTUNNEL_RECORD=none swift test
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
          The secrets in some recordings of this test cannot be removed, so nothing is written to \
          \(file.path). Affected:
          \(leftOut.map { "  \($0)" }.joined(separator: "\n"))
          Request another encoding (Accept-Encoding: gzip), or do not record its host: \
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

  /// Discards the recordings of a deck whose test has failed.
  func discard(_ deck: Deck) { RecordingRegistry.shared.withLock { $0.end(deck.recordingJournal) } }

  /// Returns the options of a deck's loopback server. If it records, they include the live server.
  ///
  /// - Throws: `CassetteProblem` if the live server is unknown or cannot be used.
  func wire(for deck: Deck, _ settings: CassetteSettings) throws -> ReplayServer.Options {
    var options = Tunnel.standardOptions
    guard records(deck) else { return options }
    guard let (name, place) = settings.upstream(of: deck.origin) else {
      throw CassetteProblem(
        """
        On the wire \(file.path) cannot be recorded: requests name only the loopback server, and the \
        live server is unknown. Name it with \
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
  /// Reads the current cassette that `.cassette("NAME")` finds, for a drill, which never records.
  ///
  /// - Parameters:
  ///   - name: The cassette's name.
  ///   - test: The test's file.
  ///   - fileID: The same file with its module, whose resources are searched.
  /// - Throws: `CassetteProblem` if the cassette is missing, `FormatError` if it is invalid.
  package init(playing name: String, besides test: String, _ fileID: String) throws {
    let place = try CassettePlace(name, besides: test, in: CassettePlace.module(of: fileID))
    guard FileManager.default.fileExists(atPath: place.file.path) else {
      throw CassetteProblem(
        """
        The cassette \(place.file.path) does not exist, and a drill does not record.\(place.suggestion) \
        Record it in a test with .cassette(…), or with windtunnel record.
        """
      )
    }
    self = try Cassette.withLeftovers(place.file).cassette
  }
}

/// Detects whether a part of a test has failed, including failed expectations.
///
/// Known issues and warnings do not count. Without a test of Swift Testing, as in XCTest, nothing
/// is detected: a part then fails only by throwing.
private final class FailureWatch: Sendable {
  private let heard = Locked(false)
  /// Returns the comment that is added to the first failure.
  private let words: @Sendable () -> String

  init(_ words: @escaping @Sendable () -> String) { self.words = words }

  /// Whether a failure was detected.
  var hasFailed: Bool { heard.withLock { $0 } }

  /// Runs a part of the current test.
  func run(_ body: @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return try await body() }
    let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
      guard issue.isFailure else { return issue }
      let isFirst = heard.withLock { !exchange(&$0, with: true) }
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
  /// The error that the test itself threw, usually because of this one; `nil` if it threw none.
  public let underlyingError: (any Error)?
  /// The description, for code that prints a `LocalizedError`.
  public var errorDescription: String? { description }

  init(_ description: String) { (self.description, underlyingError) = (description, nil) }

  /// Creates an error with several problems, and the error that the test threw because of them.
  init(_ problems: [String], beside error: (any Error)? = nil) {
    let thrown = error.map { ["The test threw: \($0)"] } ?? []
    description = (problems + thrown).joined(separator: "\n\n")
    underlyingError = error
  }
}
