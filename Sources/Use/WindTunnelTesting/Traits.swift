internal import Foundation
public import Testing
public import WindTunnel
internal import WindTunnelServer

/// A trait that plays a cassette for a test, each time from its beginning.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let name: String
  fileprivate let file: String
  fileprivate let module: String
  fileprivate let settings: CassetteSettings
  fileprivate let sharedSession: Bool

  /// Tells that a suite's cassette is played for each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test with its cassette. A request that no recording answers fails the test at its own
  /// line, with the explanation, and so does an expectation of the cassette that does not hold.
  ///
  /// A recording is written if the test does not fail, by an expectation or by an error.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let place = try CassettePlace(name, besides: file, in: module)
    let deck = try place.deck(settings)
    let record = { @Sendable (words: String, severity: Issue.Severity) in
      _ = Issue.record(
        Comment(rawValue: words),
        severity: severity,
        sourceLocation: test.sourceLocation
      )
    }
    let wire = { @Sendable in try place.wire(for: deck, settings) }
    let options = OnTheWireTrait.isPending ? try wire() : nil
    @Sendable func run() async throws {
      try await Tunnel.run(
        deck,
        onTheWire: options,
        by: wire,
        sharedSession: sharedSession,
        function
      )
    }
    @Sendable func part() async throws {
      guard let faults = FaultsTrait.pending else { return try await run() }
      try await faults.apply(to: deck, run)
    }
    @Sendable func play() async throws {
      let problems = try await place.run(deck, settings, telling: record, part)
      for problem in problems { record(problem, .error) }
    }
    guard let mutation = try MutationRun(test, testCase, place, deck) else {
      return try await play()
    }
    try await mutation.run(part, first: play)
  }
}

extension Trait where Self == CassetteTrait {
  /// Plays `NAME.json` from `$WINDTUNNEL_CASSETTES` where that is set, else from `Cassettes` beside
  /// the test's file, where it is also recorded. Without a recording there, or without sources, it
  /// is played from the resources of the test's target.
  ///
  /// ```swift
  /// @Test(.cassette("users", expecting: .inOrder)) func `a user is read`() async throws {
  ///   #expect(try await UserAPI(session: .windTunnel).profile(7).name == "Ada")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The cassette's name. A name that begins with a `/` is a path.
  ///   - matcher: The parts of a request that decide which recording answers it.
  ///   - then: The policy for requests after their recordings are used up.
  ///   - pace: The speed of recorded answers.
  ///   - rules: Further rules of redaction for recordings: `.personalData`, or names of secrets as
  ///     in `RedactionRules(names: ["loginToken"])`.
  ///   - ignored: The hosts whose requests go to them in every mode, unrecorded: `api.example.com`
  ///     at every port, or `api.example.com:8443`.
  ///   - mapping: The addresses that stand in for hosts where a live origin is asked:
  ///     `["api.example.com": "http://127.0.0.1:8000"]`. On the cassette the hosts
  ///     keep their names.
  ///   - refreshesDates: True to move dates in answers forward by the time since the recording
  ///     (`Interaction.refreshingDates(at:)`).
  ///   - sharedSession: True to play the cassette by `URLSession.shared`, too, for code that does
  ///     not accept a session. On Linux any number of tests can do so at once: a request belongs to
  ///     the test whose task resumes it. A request from elsewhere meanwhile – a detached task, a
  ///     dispatch queue, a completion handler – fails with an error that says so, and is not sent;
  ///     so does a request of a test without the shared session. On Apple platforms one test has it
  ///     at a time, and all requests are that test's. When the last such test has ended, requests
  ///     of `URLSession.shared` go to the network again: await in a test all work that it has
  ///     begun, since nothing holds back work that outlives it.
  ///   - expectation: The conditions at the end: `.everyInteraction` and `.inOrder` for the
  ///     cassette, `.everyRule` for the weather. Without them a rule that matched no request is a
  ///     warning, and so is a cassette without a request, in a test that throws, too.
  ///   - file: The test's file.
  ///   - fileID: The same with its module, whose resources are searched.
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

/// A trait that plays a test's deck on a loopback server instead of in process.
public struct OnTheWireTrait: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal fileprivate static var isPending = false

  /// Tells that each of a suite's tests is played on a server.
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
    try await Tunnel.run(
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
  /// ```swift
  /// @Test(.cassette("users"), .onTheWire) func `real sockets give the same`() async throws {
  ///   let api = UserAPI(session: .windTunnel, base: Deck.current.url)
  ///   #expect(try await api.profile(7).name == "Ada")
  /// }
  /// ```
  ///
  /// Send requests to `Deck.current.url`; requests to other hosts are refused, except to those that
  /// the cassette ignores. A redirect to another host leads back to the server, which answers it
  /// from the cassette like any other request. With `.cassette("NAME", sharedSession: true)` all of
  /// this holds for `URLSession.shared`, too, except for its cookies, which are the process's.
  ///
  /// On Apple platforms a test that an app hosts needs `NSAllowsLocalNetworking` in that app's
  /// Info.plist: App Transport Security refuses `http://127.0.0.1` otherwise. A test by
  /// `swift test` does not need it.
  ///
  /// A cassette can be recorded on the wire where it already names the server, or where `mapping:`
  /// does. One that holds a conversation by WebSocket is played on the wire without this trait.
  public static var onTheWire: Self { Self() }
}

/// A trait that runs a test in a scenario.
public struct FaultsTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let scenario: Scenario
  fileprivate let seed: UInt64?

  /// The trait of a test whose cassette is not loaded yet.
  @TaskLocal fileprivate static var pending: FaultsTrait?

  /// Whether a suite's scenario is that of each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test in the scenario.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try scenario.check()
    guard let deck = Tunnel.current?.deck else {
      // Listed in front of the cassette, which applies it.
      return try await Self.$pending.withValue(self) { try await function() }
    }
    try await apply(to: deck, function)
  }

  /// Runs a function while a deck has the scenario.
  fileprivate func apply<Result>(
    to deck: Deck,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let before = deck.swap(scenario, seed: seed)
    defer { deck.swap(before.scenario, seed: before.seed) }
    return try await body()
  }
}

extension Trait where Self == FaultsTrait {
  /// Flies the test in a scenario, which may be a plan:
  /// `.faults([.on("GET /x", .first(2), .status(503))], seed: 7)`.
  ///
  /// ```swift
  /// @Test(.cassette("users"), .faults([.on("GET /users/*", .first(2), .status(503))], seed: 7))
  /// func `two 503s cost two retries`() async throws {
  ///   _ = try await UserAPI(session: .windTunnel).profile(7)
  ///   #expect(Deck.current.attempts("GET /users/7") == 3)
  /// }
  /// ```
  public static func faults(_ scenario: Scenario, seed: UInt64? = nil) -> Self {
    Self(scenario: scenario, seed: seed)
  }
}

/// Runs a part of a test in a scenario; before and after, the test has its own.
///
/// ```swift
/// let user = try await withFaults([.on("GET /users/*", .first(1), .status(503))]) {
///   try await UserAPI(session: .windTunnel).profile(7)
/// }
/// ```
///
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, and `FormatError` for a scenario that no file could hold, such as
///   one for the first -2 requests.
public func withFaults<Result>(
  _ scenario: Scenario,
  _ body: () async throws -> Result
) async throws -> Result {
  try scenario.check()
  return try await FaultsTrait(scenario: scenario, seed: nil).apply(to: .current, body)
}

extension Scenario: CustomTestStringConvertible {
  /// The scenario's name, so that a test with several has a row for each.
  public var testDescription: String { name }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 21)
