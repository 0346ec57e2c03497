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

  /// A suite's cassette is that of each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the cassette in place; a request that nothing answered fails the test at its
  /// own line, with the explanation.
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
    let deck = try place.deck(matcher, then: then)
    try await Weather.pending.apply(to: deck) {
      try await Tunnel.fly(deck, onTheWire: OnTheWireTrait.isPending, function)
    }
    for mismatch in deck.mismatches {
      Issue.record(Comment(rawValue: "\(mismatch)"), sourceLocation: test.sourceLocation)
    }
    try place.keep(deck)
  }
}

extension Trait where Self == CassetteTrait {
  /// Plays `NAME.json` from `Cassettes` beside the test's file.
  ///
  /// - Parameters:
  ///   - name: The cassette's name.
  ///   - matcher: What requests are compared by.
  ///   - then: What follows when the recordings of a request are used up.
  ///   - file: The test's file.
  /// - Returns: The trait.
  public static func cassette(
    _ name: String,
    matching matcher: Matcher = .url,
    then: EndPolicy = .fail,
    file: String = #filePath
  ) -> Self { Self(name: name, file: file, matcher: matcher, then: then) }
}
