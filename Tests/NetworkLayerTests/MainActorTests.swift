import TestSupport
import WindTunnelNetworkLayer

/// A screen calls from the main actor, which has frames to draw meanwhile.
@Suite struct MainActorTests {
  private struct Loaf: Transport {
    let content: Data

    func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
      ServerResponse(status: 200, body: content)
    }
  }

  /// The turns that the main actor takes until it is told to stop.
  @MainActor private final class Turns {
    private(set) var count = 0
    /// The longest time from one to the next.
    private(set) var longestGap = Duration.zero

    func take() async {
      let clock = ContinuousClock()
      var last = clock.now
      while !Task.isCancelled {
        await Task.yield()
        longestGap = max(longestGap, clock.now - last)
        last = clock.now
        count += 1
      }
    }
  }

  @Test func `the main actor is free while a call of its own decodes 20 MB`() async {
    // In a process without other tests: they are on the main actor, too.
    await #expect(processExitsWith: .success) { try await Self.callFromTheMainActor() }
  }

  @MainActor private static func callFromTheMainActor() async throws {
    let content = Data("[\(String(repeating: "12345678,", count: 2_222_222))0]".utf8)
    try #require(content.count > 19_999_999)
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: Loaf(content: content)
    )
    let decoder = ResponseDecoder<(count: Int, time: Duration)> { answer throws(NetworkError) in
      let clock = ContinuousClock()
      let start = clock.now
      let numbers = try ResponseDecoder<[Int]>.json().decode(answer)
      return (numbers.count, clock.now - start)
    }
    let turns = Turns()
    let taking = Task { await turns.take() }
    while turns.count < 2 { await Task.yield() }
    let decoded = try await client.value(of: Endpoint(.get, "/loaf"), by: decoder)
    taking.cancel()
    await taking.value
    try #require(decoded.count == 2_222_223)
    try #require(turns.longestGap < decoded.time / 2, "\(turns.longestGap) of \(decoded.time)")
  }
}
