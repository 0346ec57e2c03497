internal import Foundation
public import WindTunnel

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Plays a cassette for a part of a test, in XCTest and anywhere else.
///
/// - Parameters:
///   - name: The cassette `NAME.json`, in `Cassettes` beside the test's file. A name that begins
///     with a `/` is a path.
///   - scenario: The weather.
///   - matcher: What requests are compared by.
///   - then: What follows when the recordings of a request are used up.
///   - pace: How long recorded answers take.
///   - sharedSession: Whether `URLSession.shared` plays it, too, for code that takes no session; see
///     the trait `.cassette`.
///   - expectation: What must be true of the tape at the end.
///   - file: The test's file.
///   - body: What is tested, with the session that leads to the tape.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; `CassetteProblem` where there is no such cassette, where a request
///   was not answered, and where what was expected of the tape does not hold.
public func withCassette<Result: Sendable>(
  _ name: String,
  in scenario: Scenario = .calm,
  matching matcher: Matcher = .url,
  then: EndPolicy = .fail,
  pace: Pace = .immediately,
  sharedSession: Bool = false,
  expecting expectation: TapeExpectation = [],
  file: String = #filePath,
  _ body: @Sendable (URLSession) async throws -> Result
) async throws -> Result {
  let place = try CassettePlace(
    name,
    besides: file,
    environment: ProcessInfo.processInfo.environment
  )
  let deck = try place.deck(matcher, then: then, pace: pace)
  deck.swap(scenario)
  let result: Result
  do {
    result = try await withDeck(
      deck,
      sharedSession: sharedSession,
      expecting: expectation,
      body
    )
  } catch {
    place.discard(deck)
    throw error
  }
  let drift = await place.drift(of: deck)
  if !drift.isEmpty { throw CassetteProblem("\(drift)") }
  try place.keep(deck)
  return result
}

/// Plays a deck for a part of a test: one with answers written in Swift, or of a cassette made there.
///
/// - Parameters:
///   - deck: What answers.
///   - sharedSession: Whether `URLSession.shared` plays it, too, for code that takes no session; see
///     the trait `.cassette`.
///   - expectation: What must be true of the tape at the end.
///   - body: What is tested, with the session that leads to the deck.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; `CassetteProblem` where a request was not answered, and where what
///   was expected of the tape does not hold.
public func withDeck<Result: Sendable>(
  _ deck: Deck,
  sharedSession: Bool = false,
  expecting expectation: TapeExpectation = [],
  _ body: @Sendable (URLSession) async throws -> Result
) async throws -> Result {
  let answer = Locked<Result?>(nil)
  try await Tunnel.fly(deck, onTheWire: false, sharedSession: sharedSession) {
    let result = try await body(.windTunnel)
    answer.withLock { $0 = result }
  }
  let problems = deck.mismatches.prefix(1).map { "\($0)" } + deck.unmet(expectation).map { "\($0)" }
  if !problems.isEmpty { throw CassetteProblem(problems.joined(separator: "\n\n")) }
  guard let result = answer.withLock({ $0 }) else {
    preconditionFailure("a body that did not throw has returned")
  }
  return result
}
