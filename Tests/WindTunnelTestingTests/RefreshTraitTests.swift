import Foundation
import TestSupport
import Testing
import WindTunnel
import WindTunnelTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct RefreshTraitTests {
  private func now() async throws -> String? {
    let url = try #require(URL(string: "https://api.example.test/now"))
    // By completion handler: it is safe to cancel on every platform.
    return await withCheckedContinuation { continuation in
      URLSession.windTunnel.dataTask(with: url) { _, response, _ in
        let response = response as? HTTPURLResponse
        continuation.resume(returning: response?.value(forHTTPHeaderField: "X-Now"))
      }.resume()
    }
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
