public import Testing
public import WindTunnel

/// Makes the weather of a test.
public struct WeatherTrait: TestTrait, SuiteTrait, TestScoping {
  let scenario: Scenario
  let seed: UInt64?

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
struct Weather: Sendable {
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
/// - Throws: What `body` throws, and `FormatError` for a scenario that no file could say, such as one for
///   the first -2 requests.
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
