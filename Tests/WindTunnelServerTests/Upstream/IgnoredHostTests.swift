import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// A recording server with a host that it leaves alone.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct IgnoredHostTests {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

  @Test func `an ignored host is asked itself and is not on the tape`() async throws {
    let origin = try await Origin { _ in ([Self.answer], .close) }
    let telemetry = try await Origin { _ in ([Self.answer], .close) }
    let name = "127.0.0.1:\(telemetry.address.port)"
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(matcher: .pathAndQuery, mode: .rewrite, ignoring: [name])
    )
    var options = try ReplayServer.Options.before(origin.url)
    options.recordedOrigin = "https://api.example.test"
    options.ignoredHosts = [try Upstream(telemetry.url)]
    try await ReplayServer.serving(deck, options) { server async throws in
      let end = "Connection: close\r\n\r\n"
      for request in [
        "GET http://\(name)/whole HTTP/1.1\r\nHost: \(name)\r\n\(end)",
        "GET /named HTTP/1.1\r\nHost: \(name)\r\n\(end)",
        "GET /own HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(end)",
      ] {
        try await expectEqual(server.answer(to: request).content, "ok")
      }
    }
    let lines = await telemetry.asked.first(2).map {
      $0.components(separatedBy: "\r\n").prefix(2).joined(separator: " ")
    }
    expectEqual(lines, ["GET /whole HTTP/1.1 Host: \(name)", "GET /named HTTP/1.1 Host: \(name)"])
    expectEqual(
      deck.recorded().cassette.interactions.map(\.request.url),
      ["https://api.example.test/own"]
    )
  }

  @Test func `a host that is ignored without a port is at every port`() async throws {
    let telemetry = try await Origin { _ in ([Self.answer], .close) }
    let other = try await Origin { _ in ([Self.answer], .close) }
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(matcher: .pathAndQuery, mode: .rewrite, ignoring: ["127.0.0.1"])
    )
    var options = ReplayServer.Options.patient
    // The upstream itself is at an ignored host, too.
    options.upstream = try Upstream(other.url)
    options.ignoredHosts = [try Upstream("http://127.0.0.1")]
    options.ignoredHosts[0].isAnyPort = true
    try await ReplayServer.serving(deck, options) { server async throws in
      let end = "Connection: close\r\n\r\n"
      for request in [
        "GET /named HTTP/1.1\r\nHost: 127.0.0.1:\(telemetry.address.port)\r\n\(end)",
        "GET /own HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(end)",
      ] {
        try await expectEqual(server.answer(to: request).content, "ok")
      }
    }
    #expect(try await telemetry.asked.next().hasPrefix("GET /named HTTP/1.1"))
    #expect(try await other.asked.next().hasPrefix("GET /own HTTP/1.1"))
    #expect(deck.recorded().cassette.interactions.isEmpty)
  }
}
