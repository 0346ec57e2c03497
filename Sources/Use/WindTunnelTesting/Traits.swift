internal import Foundation
public import Testing
public import WindTunnel

/// A trait that plays a cassette for a test, each time from its beginning.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let name: String
  fileprivate let file: String
  fileprivate let module: String
  fileprivate let settings: CassetteSettings
  fileprivate let sharedSession: Bool

  /// Always `true`: a suite's cassette is played for each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test with its cassette.
  ///
  /// A request without a recording fails the test at its own line, with an explanation. So does a
  /// violated expectation of the cassette. A recording is written if the test neither throws nor
  /// violates an expectation.
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
      let problems = try await place.run(deck, settings, reporting: record, part)
      for problem in problems { record(problem, .error) }
    }
    guard let mutation = try MutationRun(test, testCase, place, deck) else {
      return try await play()
    }
    try await mutation.run(part, first: play)
  }
}

extension Trait where Self == CassetteTrait {
  /// Plays the cassette `NAME.json` for a test.
  ///
  /// The file is in `$WINDTUNNEL_CASSETTES` if that is set, otherwise in `Cassettes` next to the
  /// test's file. It is also recorded there. If it is missing, or if there are no sources, it is
  /// read from the resources of the test's target.
  ///
  /// ```swift
  /// @Test(.cassette("users", expecting: .inOrder)) func `a user is read`() async throws {
  ///   #expect(try await UserAPI(session: .windTunnel).profile(7).name == "Ada")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The cassette's name. A name that begins with a `/` is a path.
  ///   - matcher: The parts of a request that select its recording.
  ///   - then: The policy for requests after their recordings are used up.
  ///   - pace: The speed of recorded responses.
  ///   - rules: Further redaction rules for recordings: `.personalData`, or names of secrets as in
  ///     `RedactionRules(names: ["loginToken"])`.
  ///   - ignored: The hosts whose requests always use the network, unrecorded: `api.example.com`
  ///     for every port, or `api.example.com:8443`.
  ///   - mapping: The addresses of hosts for requests to a live origin:
  ///     `["api.example.com": "http://127.0.0.1:8000"]`. The cassette contains the original hosts.
  ///   - refreshesDates: Whether to move dates in responses forward by the age of the recording
  ///     (`Interaction.refreshingDates(at:)`).
  ///   - sharedSession: Whether `URLSession.shared` plays the cassette too, for code that does not
  ///     accept a session. On Linux any number of tests can use it at once: a request belongs to
  ///     the test whose task resumes it. A request from elsewhere, such as a detached task, a
  ///     dispatch queue or a completion handler, fails with an explanation and is not sent. So does
  ///     a request of a test without the shared session. On Apple platforms one test uses it at a
  ///     time, and all requests belong to that test. After the last such test, requests of
  ///     `URLSession.shared` use the network again. Await all work that the test begins, because
  ///     nothing stops work that outlives it.
  ///   - expectation: The conditions at the end: `.everyInteraction` and `.inOrder` for the
  ///     cassette, `.everyRule` for the faults. Without them, a rule that matched no request is a
  ///     warning. So is a cassette without a request, even if the test throws.
  ///   - file: The test's file.
  ///   - fileID: The same file with its module, whose resources are searched.
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

  /// Always `true`: each of a suite's tests is played on a server.
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
  /// Plays the deck on real sockets: for downloads, redirects and clients that do not accept a
  /// session.
  ///
  /// ```swift
  /// @Test(.cassette("users"), .onTheWire) func `real sockets play the cassette`() async throws {
  ///   let api = UserAPI(session: .windTunnel, base: Deck.current.url)
  ///   #expect(try await api.profile(7).name == "Ada")
  /// }
  /// ```
  ///
  /// Send requests to `Deck.current.url`. Requests to other hosts are refused, unless the cassette
  /// ignores these hosts. A redirect to another host leads back to the server, which plays its
  /// recording like any other. With `.cassette("NAME", sharedSession: true)` all of this also
  /// applies to `URLSession.shared`, except for its cookies, which the whole process shares.
  ///
  /// On Apple platforms, a test hosted by an app requires `NSAllowsLocalNetworking` in the app's
  /// Info.plist. Otherwise App Transport Security refuses `http://127.0.0.1`. A test run by
  /// `swift test` does not require it.
  ///
  /// A cassette can be recorded on the wire if it already names the server, or if `mapping:` does.
  /// A cassette with a WebSocket conversation is played on the wire even without this trait.
  public static var onTheWire: Self { Self() }
}

/// A trait that runs a test in a scenario.
public struct FaultsTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let scenario: Scenario
  fileprivate let seed: UInt64?

  /// The trait of a test whose cassette is not loaded yet.
  @TaskLocal fileprivate static var pending: FaultsTrait?

  /// Always `true`: a suite's scenario applies to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test in the scenario.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try scenario.check()
    guard let deck = Tunnel.current?.deck else {
      // The trait precedes the cassette's trait, which applies it.
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
  /// Runs the test in a scenario, or with fault rules.
  ///
  /// An example with rules is `.faults([.on("GET /x", .first(2), .status(503))], seed: 7)`.
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

/// Runs a part of a test in a scenario. Before and after it, the test's own scenario applies.
///
/// ```swift
/// let user = try await withFaults([.on("GET /users/*", .first(1), .status(503))]) {
///   try await UserAPI(session: .windTunnel).profile(7)
/// }
/// ```
///
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, and `FormatError` for a scenario that no file can contain, such
///   as one for the first -2 requests.
public func withFaults<Result>(
  _ scenario: Scenario,
  _ body: () async throws -> Result
) async throws -> Result {
  try scenario.check()
  return try await FaultsTrait(scenario: scenario, seed: nil).apply(to: .current, body)
}

extension Scenario: CustomTestStringConvertible {
  /// The scenario's name, so that a test with several scenarios has a row for each.
  public var testDescription: String { name }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 21)
