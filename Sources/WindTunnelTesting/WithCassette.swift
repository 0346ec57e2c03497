internal import Foundation
public import WindTunnel

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Plays a cassette for a part of a test, in XCTest and anywhere else.
///
/// - Parameters:
///   - name: The cassette `NAME.json`, in `Cassettes` beside the test's file.
///   - scenario: The weather.
///   - file: The test's file.
///   - body: What is tested, with the session that leads to the tape.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; `CassetteProblem` where there is no such cassette, and where a
///   request was not answered.
public func withCassette<Result: Sendable>(
  _ name: String,
  in scenario: Scenario = .calm,
  file: String = #filePath,
  _ body: @Sendable (URLSession) async throws -> Result
) async throws -> Result {
  let place = try CassettePlace(
    name,
    besides: file,
    environment: ProcessInfo.processInfo.environment
  )
  let deck = try place.deck(.url, then: .fail)
  deck.swap(scenario)
  let answer = Locked<Result?>(nil)
  try await Tunnel.fly(deck, onTheWire: false) {
    let result = try await body(.windTunnel)
    answer.withLock { $0 = result }
  }
  if let mismatch = deck.mismatches.first { throw CassetteProblem("\(mismatch)") }
  try place.keep(deck)
  guard let result = answer.withLock({ $0 }) else {
    preconditionFailure("a body that did not throw has returned")
  }
  return result
}
