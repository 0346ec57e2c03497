import TestSupport
import WindTunnel
import WindTunnelTesting

@Suite struct RefreshTraitTests {
  private func now() async throws -> String? {
    let url = try #require(URL(string: "https://api.example.test/now"))
    let answer = await URLSession.windTunnel.result(of: URLRequest(url: url)).response
    return answer?.value(forHTTPHeaderField: "X-Now")
  }

  @Test(.cassette("dated")) func `a recording is of its day`() async throws {
    try await expectEqual(now(), "2001-02-03T04:05:06Z")
  }

  @Test(.cassette("dated", refreshingDates: true)) func `and of today where a test wants it`()
    async throws
  {
    let date = try Date(try #require(await now()), strategy: .iso8601)
    // The clock has gone on a little since the answer.
    #expect((0..<600).contains(Date().timeIntervalSince(date)))
  }
}
