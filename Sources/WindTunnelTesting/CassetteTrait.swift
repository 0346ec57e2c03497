internal import Foundation
public import Testing
public import WindTunnel
internal import WindTunnelServer

/// Plays a cassette for a test, a fresh tape for each.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
  let name: String
  let file: String
  let matcher: Matcher
  let then: EndPolicy
  let pace: Pace
  let refreshesDates: Bool
  let sharedSession: Bool
  let expectation: TapeExpectation

  /// A suite's cassette is that of each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the cassette in place; a request that nothing answered fails the test at its
  /// own line, with the explanation, and so does what was expected of the tape and does not hold.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let place = try CassettePlace(
      name,
      besides: file,
      environment: ProcessInfo.processInfo.environment
    )
    let deck = try place.deck(
      matcher,
      then: then,
      pace: pace,
      refreshesDates: refreshesDates
    )
    let record = { (problem: String) in
      _ = Issue.record(Comment(rawValue: problem), sourceLocation: test.sourceLocation)
    }
    do {
      try await Weather.pending.apply(to: deck) {
        try await Tunnel.fly(
          deck,
          onTheWire: OnTheWireTrait.isPending,
          sharedSession: sharedSession,
          function
        )
      }
    } catch {
      // Mostly it is why the test has thrown.
      for mismatch in deck.mismatches { record("\(mismatch)") }
      place.discard(deck)
      throw error
    }
    for mismatch in deck.mismatches { record("\(mismatch)") }
    for unmet in deck.unmet(expectation) { record("\(unmet)") }
    for entry in await place.drift(of: deck).drifted { record("\(Drift([entry]))") }
    try place.keep(deck)
  }
}

extension Trait where Self == CassetteTrait {
  /// Plays `NAME.json` from `Cassettes` beside the test's file.
  ///
  /// - Parameters:
  ///   - name: The cassette's name. One that begins with a `/` is a path.
  ///   - matcher: What requests are compared by.
  ///   - then: What follows when the recordings of a request are used up.
  ///   - pace: How long recorded answers take.
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
  ///   - expectation: What must be true of the tape at the end: `.everyInteraction`, `.inOrder`.
  ///   - file: The test's file.
  /// - Returns: The trait.
  public static func cassette(
    _ name: String,
    matching matcher: Matcher = .url,
    then: EndPolicy = .fail,
    pace: Pace = .immediately,
    refreshingDates refreshesDates: Bool = false,
    sharedSession: Bool = false,
    expecting expectation: TapeExpectation = [],
    file: String = #filePath
  ) -> Self {
    Self(
      name: name,
      file: file,
      matcher: matcher,
      then: then,
      pace: pace,
      refreshesDates: refreshesDates,
      sharedSession: sharedSession,
      expectation: expectation
    )
  }
}
