internal import Testing
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

#if canImport(FoundationNetworking)
  internal import Foundation
#else
  public import Foundation
#endif

/// Plays a cassette for a part of a test, in XCTest and anywhere else.
///
/// ```swift
/// let user = try await withCassette("users") { session in
///   try await UserAPI(session: session).profile(7)
/// }
/// ```
///
/// A recording is written if the part does not fail: it must not throw, and in a test of Swift
/// Testing no expectation may fail. Otherwise standard error or an issue reports that it is not
/// written. A failed XCTest assertion that does not throw is not noticed.
///
/// - Parameters:
///   - name: The cassette `NAME.json`, in `$WINDTUNNEL_CASSETTES` if that is set, otherwise in
///     `Cassettes` next to the test's file. It is also recorded there. If it is missing, or if
///     there are no sources, it is read from the resources of the test's target. A name that begins
///     with a `/` is a path.
///   - scenario: The faults and the network conditions.
///   - matcher: The parts of a request that select its recording.
///   - then: The policy for requests after their recordings are used up.
///   - pace: The speed of recorded responses.
///   - rules: Further redaction rules for recordings, such as `.personalData`.
///   - ignored: The hosts whose requests always use the network, unrecorded.
///   - mapping: The addresses of hosts for requests to a live origin.
///   - refreshesDates: Whether to move dates in responses forward by the age of the recording.
///   - sharedSession: Whether `URLSession.shared` plays it too, for code that does not accept a
///     session; see the trait `.cassette`.
///   - expectation: The conditions that the cassette must meet at the end.
///   - file: The test's file.
///   - fileID: The same file with its module, whose resources are searched.
///   - line: The line of the call, by which `windtunnel mutate` names the part.
///   - function: The test's function.
///   - body: The part of the test, with a session that plays the cassette.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or `CassetteProblem` if the cassette is missing, an expectation
///   of it is violated, or a recording cannot be written. It is also thrown if requests had no
///   recording, with the error of `body` as its `underlyingError`.
public func withCassette<Result: Sendable>(
  _ name: String,
  in scenario: Scenario = .calm,
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
  fileID: String = #fileID,
  line: Int = #line,
  function: String = #function,
  _ body: @Sendable (URLSession) async throws -> Result
) async throws -> Result {
  let settings = CassetteSettings(
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
  )
  let place = try CassettePlace(name, besides: file, in: CassettePlace.module(of: fileID))
  let deck = try place.deck(settings)
  try scenario.check()
  deck.swap(scenario)
  let part =
    try place.mode == .verify
    ? nil : MutationPart(deck, place.file, at: file, line, function)
  return try await answer(of: deck, part, sharedSession: sharedSession, body) {
    place.explanation(of: $0)
  } by: { run in
    // Errors are thrown at the end.
    try await place.run(deck, settings, reporting: { if $1 == .warning { tell($0) } }, run)
  }
}

/// Plays a deck for a part of a test, such as one with responses written in Swift.
///
/// ```swift
/// let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
/// let user = try await withDeck(deck) { session in
///   try await UserAPI(session: session).profile(7)
/// }
/// ```
///
/// - Parameters:
///   - deck: The deck that provides the responses.
///   - sharedSession: Whether `URLSession.shared` plays it too, for code that does not accept a
///     session; see the trait `.cassette`.
///   - expectation: The conditions that the cassette must meet at the end.
///   - file: The test's file.
///   - line: The line of the call, by which `windtunnel mutate` names the part.
///   - function: The test's function.
///   - body: The part of the test, with a session that plays the deck.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`, or `CassetteProblem` if an expectation of the cassette is
///   violated. It is also thrown if requests had no response, with the error of `body` as its
///   `underlyingError`.
public func withDeck<Result: Sendable>(
  _ deck: Deck,
  sharedSession: Bool = false,
  expecting expectation: CassetteExpectation = [],
  file: String = #filePath,
  line: Int = #line,
  function: String = #function,
  _ body: @Sendable (URLSession) async throws -> Result
) async throws -> Result {
  let part = try MutationPart(deck, nil, at: file, line, function)
  return try await answer(of: deck, part, sharedSession: sharedSession, body) {
    "\($0)"
  } by: { run in
    do { try await run() } catch {
      if let note = deck.oversight(after: error, of: "this deck") { tell(note) }
      throw error
    }
    for note in deck.oversights(expecting: expectation, of: "this deck") { tell(note) }
    return (deck.mismatches.map { "\($0)" } + deck.unmet(expectation).map { "\($0)" })
  }
}

/// Writes a note to standard error, for code in which issues cannot be recorded.
private func tell(_ note: String) {
  // A closed standard error must not end the process, as `write(_:)` would.
  try? FileHandle.standardError.write(contentsOf: Data("\(note)\n".utf8))
}

/// Runs a part of a test with a deck's session, and throws its problems.
///
/// - Parameters:
///   - deck: The deck that provides the responses.
///   - part: The part, if its suite runs with mutants.
///   - sharedSession: Whether `URLSession.shared` plays it, too.
///   - body: The part.
///   - explain: Returns the explanation of a request without a response.
///   - take: Runs its argument, and returns the problems in addition to thrown errors.
/// - Returns: The result of the part.
/// - Throws: The error of the part, alone or with the explanations of requests without a response.
private func answer<Result: Sendable>(
  of deck: Deck,
  _ part: MutationPart?,
  sharedSession: Bool,
  _ body: @Sendable (URLSession) async throws -> Result,
  explain: (Mismatch) -> String,
  by take: @escaping @Sendable (@Sendable () async throws -> Void) async throws -> [String]
) async throws -> Result {
  let answer = Locked<Result?>(nil)
  let isMutated = part?.isMutated ?? false
  let problems: [String]
  do {
    problems = try await take {
      @Sendable func play() async throws {
        try await Tunnel.run(
          deck,
          onTheWire: nil,
          by: { Tunnel.standardOptions },
          sharedSession: sharedSession
        ) {
          let result = try await body(.windTunnel)
          answer.withLock { $0 = result }
        }
      }
      if let part { try await part.run(play) } else { try await play() }
    }
  } catch {
    // They are usually the reason for the error.
    let mismatches = deck.mismatches.map(explain)
    if mismatches.isEmpty || isMutated { throw error }
    throw CassetteProblem(mismatches, beside: error)
  }
  if !problems.isEmpty, !isMutated { throw CassetteProblem(problems) }
  guard let result = answer.withLock({ $0 }) else {
    preconditionFailure("A body that did not throw must have returned.")
  }
  return result
}
