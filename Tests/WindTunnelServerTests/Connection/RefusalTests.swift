import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// What the replay server refuses, and how.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  /// Those that are too long for a table.
  private static let long = [
    ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 70_000))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: x\r\n\((0..<201).map { "X\($0): 1\r\n" }.joined())\r\n", 431),
  ]

  @Test(
    arguments: (try TestData.rows("refused-on-arrival.json", count: 12) as [(String, Int)]) + long
  )
  func `what cannot be served is refused, and nothing after it is taken for a request`(
    text: String,
    status: Int
  ) async throws {
    try await ReplayServer.serving(.echo("/", "/smuggled")) { server async throws in
      let answer = try await server.answer(to: text + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      expectEqual(answer.count(of: " 200 OK"), 0)
    }
  }
}
