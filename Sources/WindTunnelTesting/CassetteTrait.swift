internal import Foundation
public import Testing
public import WindTunnel
internal import WindTunnelServer

/// Plays a cassette for a test, each from its beginning.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
  let name: String
  let file: String
  let module: String
  let settings: CassetteSettings
  let sharedSession: Bool

  /// A suite's cassette is that of each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the cassette in place; a request that nothing answered fails the test at its
  /// own line, with the explanation, and so does what was expected of the cassette and does not hold.
  ///
  /// What a test records is written if the test does not fail, by an expectation or by an error.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let place = try CassettePlace(
      name,
      besides: file,
      in: module,
      environment: ProcessInfo.processInfo.environment
    )
    let deck = try place.deck(settings)
    let record = { (words: String, severity: Issue.Severity) in
      _ = Issue.record(
        Comment(rawValue: words),
        severity: severity,
        sourceLocation: test.sourceLocation
      )
    }
    let wire = { @Sendable in try place.wire(for: deck, settings) }
    let told: (problems: [String], notes: [String])
    do {
      let options = OnTheWireTrait.isPending ? try wire() : nil
      told = try await place.run(deck, settings) {
        try await Weather.pending.apply(to: deck) {
          try await Tunnel.fly(
            deck,
            onTheWire: options,
            by: wire,
            sharedSession: sharedSession,
            function
          )
        }
      }
    } catch {
      // Mostly it is why the test has thrown.
      for mismatch in deck.mismatches { record(place.told(mismatch), .error) }
      // A test that is cancelled throws, too, and has not failed.
      if deck.hasRecorded { record(place.thrownAway, .warning) }
      throw error
    }
    for note in told.notes { record(note, .warning) }
    for problem in told.problems { record(problem, .error) }
  }
}

extension Trait where Self == CassetteTrait {
  /// Plays `NAME.json`: from `$WINDTUNNEL_CASSETTES` where that is set, else from
  /// `Cassettes` beside the test's file, which is where it is recorded. Where nothing is recorded, or
  /// there are no sources, it is played from the resources of the test's target.
  ///
  /// - Parameters:
  ///   - name: The cassette's name. One that begins with a `/` is a path.
  ///   - matcher: What requests are compared by.
  ///   - then: What follows when the recordings of a request are used up.
  ///   - pace: How long recorded answers take.
  ///   - rules: What a recording is written without, beside what it always is: `.personalData`, or names
  ///     of secrets as in `RedactionRules(names: ["loginToken"])`.
  ///   - ignored: Hosts whose requests pass to them in every mode, unrecorded: `api.example.com` at every
  ///     port, or `api.example.com:8443`.
  ///   - mapping: Hosts that are asked elsewhere where they are asked at all:
  ///     `["api.example.com": "http://127.0.0.1:8000"]`. On the cassette they keep their names.
  ///   - refreshesDates: Whether dates in answers are moved by the time that has gone by since
  ///     (`Interaction.refreshingDates(at:)`).
  ///   - sharedSession: Whether the cassette is played by `URLSession.shared`, too, for code that
  ///     takes no session. On Linux any number of tests has it at once: a request is the test's
  ///     whose task resumes it. One that is asked from elsewhere meanwhile – a detached task, a
  ///     dispatch queue, a completion handler – fails with an error that says so, and is not sent;
  ///     so does any test's that does not have the session. On Apple platforms one test has it at a
  ///     time, and all requests are that test's. When the last such test has ended, requests of
  ///     `URLSession.shared` go where they always went, to the network: await in a test what it
  ///     has begun, for work that outlives it is held by nothing.
  ///   - expectation: What must be true at the end: `.everyInteraction` and `.inOrder` of the cassette,
  ///     `.everyRule` of the weather. Without it a rule that met no request is a warning, and so is a
  ///     cassette that nobody has asked.
  ///   - file: The test's file.
  ///   - fileID: The same with its module, whose resources are looked through.
  /// - Returns: The trait.
  public static func cassette(
    _ name: String,
    matching matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately,
    redacting rules: RedactionRules = .standard,
    ignoring ignored: [String] = [],
    mapping: [String: RequestURL] = [:],
    refreshingDates refreshesDates: Bool = false,
    sharedSession: Bool = false,
    expecting expectation: CassetteExpectation = [],
    file: String = #filePath,
    fileID: String = #fileID
  ) -> Self {
    Self(
      name: name,
      file: file,
      module: CassettePlace.module(of: fileID),
      settings: CassetteSettings(
        options: PlaybackOptions(
          matcher: matcher,
          then: then,
          pace: pace,
          redaction: rules,
          ignoring: ignored,
          mapping: mapping,
          refreshingDates: refreshesDates ? CassetteSettings.today : nil
        ),
        expectation: expectation
      ),
      sharedSession: sharedSession
    )
  }
}
