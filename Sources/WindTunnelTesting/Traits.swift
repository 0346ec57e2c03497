internal import Foundation
public import Testing
public import WindTunnel
internal import WindTunnelServer

/// Plays a cassette for a test, each from its beginning.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let name: String
  fileprivate let file: String
  fileprivate let module: String
  fileprivate let settings: CassetteSettings
  fileprivate let sharedSession: Bool

  /// A suite's cassette is that of each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the cassette in place; a request that nothing answered fails the test at its
  /// own line, with the explanation, and so does what was expected of the cassette and does not
  /// hold.
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
  /// `Cassettes` beside the test's file, which is where it is recorded. Where nothing is recorded,
  /// or there are no sources, it is played from the resources of the test's target.
  ///
  /// - Parameters:
  ///   - name: The cassette's name. One that begins with a `/` is a path.
  ///   - matcher: What requests are compared by.
  ///   - then: What follows when the recordings of a request are used up.
  ///   - pace: How long recorded answers take.
  ///   - rules: What a recording is written without, beside what it always is: `.personalData`, or
  ///     names of secrets as in `RedactionRules(names: ["loginToken"])`.
  ///   - ignored: Hosts whose requests pass to them in every mode, unrecorded: `api.example.com` at
  ///     every port, or `api.example.com:8443`.
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
  ///   - expectation: What must be true at the end: `.everyInteraction` and `.inOrder` of the
  ///     cassette, `.everyRule` of the weather. Without it a rule that met no request is a warning,
  ///     and so is a cassette that nobody has asked.
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

/// Plays a test's deck on a loopback server instead of in process.
public struct OnTheWireTrait: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal fileprivate static var isPending = false

  /// A suite's tests are each played on a server.
  public var isRecursive: Bool { true }

  /// Runs a test against a server of its own.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    guard let tunnel = Tunnel.current else {
      return try await Self.$isPending.withValue(true) { try await function() }
    }
    try await Tunnel.fly(
      tunnel.deck,
      onTheWire: try tunnel.wire(),
      by: tunnel.wire,
      sharedSession: tunnel.sharedDestination != nil,
      function
    )
  }
}

extension Trait where Self == OnTheWireTrait {
  /// Plays the deck on real sockets: for downloads, redirects and clients that take no session.
  ///
  /// Ask by `Deck.current.url`; whatever asks elsewhere is refused, but for hosts that the cassette
  /// ignores. A redirect to another host leads back to the server, which answers it from the
  /// cassette like any other request. With `.cassette("NAME", sharedSession: true)` all that holds
  /// for `URLSession.shared`, too, but for its cookies, which are the process's.
  ///
  /// On Apple platforms a test that an app hosts needs `NSAllowsLocalNetworking` in that app's
  /// Info.plist: App Transport Security refuses `http://127.0.0.1` else. `swift test` does not.
  ///
  /// A cassette can be recorded on the wire where it names the server already, or `mapping:` does.
  public static var onTheWire: Self { Self() }
}

/// Makes the weather of a test.
public struct WeatherTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let scenario: Scenario
  fileprivate let seed: UInt64?

  /// A suite's weather is that of each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test in this weather.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try scenario.check()
    guard let deck = Tunnel.current?.deck else {
      // Listed in front of the cassette, which will take it up.
      return try await Weather.$pending.withValue(Weather(scenario: scenario, seed: seed)) {
        try await function()
      }
    }
    try await Weather(scenario: scenario, seed: seed).apply(to: deck, function)
  }
}

/// The weather that a deck will be given.
private struct Weather: Sendable {
  var scenario: Scenario?
  var seed: UInt64?

  @TaskLocal static var pending = Weather()

  func apply(to deck: Deck, _ body: () async throws -> Void) async throws {
    guard let scenario else { return try await body() }
    let before = deck.swap(scenario, seed: seed)
    defer { deck.swap(before.scenario, seed: before.seed) }
    try await body()
  }
}

extension Trait where Self == WeatherTrait {
  /// Flies the test in a scenario, which may be a plan:
  /// `.weather([.on("GET /x", .first(2), .status(503))], seed: 7)`.
  public static func weather(_ scenario: Scenario, seed: UInt64? = nil) -> Self {
    Self(scenario: scenario, seed: seed)
  }
}

/// Flies a part of a test in a scenario; before and after, the weather is as it was.
///
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, and `FormatError` for a scenario that no file could say, such as
///   one for the first -2 requests.
public func flying<Result>(
  in scenario: Scenario,
  _ body: () async throws -> Result
) async throws -> Result {
  try scenario.check()
  let deck = Deck.current
  let before = deck.swap(scenario)
  defer { deck.swap(before.scenario, seed: before.seed) }
  return try await body()
}

extension Scenario: CustomTestStringConvertible {
  /// Its name, so that a test that flies in several has a row for each.
  public var testDescription: String { name }
}
