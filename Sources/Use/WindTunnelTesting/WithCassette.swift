internal import Testing
public import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
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
/// A recording is written if the part does not fail, which means that it does not throw and, in a
/// test of Swift Testing, that no expectation fails in it; otherwise standard error or an issue
/// says that it is not written. An assertion of XCTest that fails without throwing is not noticed.
///
/// - Parameters:
///   - name: The cassette `NAME.json`: in `$WINDTUNNEL_CASSETTES` where that is set, else in
///     `Cassettes` beside the test's file, where it is also recorded; without a recording there, or
///     without sources, among the resources of the test's target. A name that begins with a `/` is
///     a path.
///   - scenario: The faults and the link.
///   - matcher: The parts of a request that decide which recording answers it.
///   - then: The policy for requests after their recordings are used up.
///   - pace: The speed of recorded answers.
///   - rules: Further rules of redaction for recordings, such as `.personalData`.
///   - ignored: The hosts whose requests go to them in every mode, unrecorded.
///   - mapping: The addresses that stand in for hosts where a live origin is asked.
///   - refreshesDates: True to move dates in answers forward by the time since the recording.
///   - sharedSession: True to play it by `URLSession.shared`, too, for code that does not accept a
///     session; see the trait `.cassette`.
///   - expectation: The conditions that the cassette must meet at the end.
///   - file: The test's file.
///   - fileID: The same with its module, whose resources are searched.
///   - body: The part of the test, with the session that leads to the cassette.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`; `CassetteProblem` where there is no such cassette, where requests
///   were not answered (with the error of `body` as its `underlyingError`), where an expectation of
///   the cassette does not hold, and where a recording cannot be written.
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
  return try await answer(of: deck, sharedSession: sharedSession, body) {
    place.told($0)
  } by: { run in
    // What is an error is thrown in the end.
    try await place.run(deck, settings, telling: { if $1 == .warning { tell($0) } }, run)
  }
}

/// Plays a deck for a part of a test: one with answers written in Swift, or with a cassette made
/// there.
///
/// ```swift
/// let deck = Deck([.get("/users/{id}", json: ["id": 7, "name": "Ada"])])
/// let user = try await withDeck(deck) { session in
///   try await UserAPI(session: session).profile(7)
/// }
/// ```
///
/// - Parameters:
///   - deck: The deck that answers.
///   - sharedSession: True to play it by `URLSession.shared`, too, for code that does not accept a
///     session; see the trait `.cassette`.
///   - expectation: The conditions that the cassette must meet at the end.
///   - body: The part of the test, with the session that leads to the deck.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`; `CassetteProblem` where requests were not answered (with the
///   error of `body` as its `underlyingError`), and where an expectation of the cassette does not
///   hold.
public func withDeck<Result: Sendable>(
  _ deck: Deck,
  sharedSession: Bool = false,
  expecting expectation: CassetteExpectation = [],
  _ body: @Sendable (URLSession) async throws -> Result
) async throws -> Result {
  try await answer(of: deck, sharedSession: sharedSession, body) {
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

/// Says something beside the test's own words, where no issue can be made of it.
private func tell(_ note: String) {
  // A note that nobody can read ends no test; `write(_:)` would end the process.
  try? FileHandle.standardError.write(contentsOf: Data("\(note)\n".utf8))
}

/// Runs a part of a test with a deck's session, and throws what there is to be told of it.
///
/// - Parameters:
///   - deck: The deck that answers.
///   - sharedSession: Whether `URLSession.shared` plays it, too.
///   - body: The part.
///   - told: Says why nothing answered.
///   - take: Runs what it is handed, and says what fails it beside what that throws.
/// - Returns: What the part returns.
/// - Throws: What the part throws, by itself or with the reasons why nothing answered it.
private func answer<Result: Sendable>(
  of deck: Deck,
  sharedSession: Bool,
  _ body: @Sendable (URLSession) async throws -> Result,
  told: (Mismatch) -> String,
  by take: @escaping @Sendable (@Sendable () async throws -> Void) async throws -> [String]
) async throws -> Result {
  let answer = Locked<Result?>(nil)
  let problems: [String]
  do {
    problems = try await take {
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
  } catch {
    // Mostly they are why it has thrown.
    let mismatches = deck.mismatches.map(told)
    if mismatches.isEmpty { throw error }
    throw CassetteProblem(mismatches, beside: error)
  }
  if !problems.isEmpty { throw CassetteProblem(problems) }
  guard let result = answer.withLock({ $0 }) else {
    preconditionFailure("a body that did not throw has returned")
  }
  return result
}
