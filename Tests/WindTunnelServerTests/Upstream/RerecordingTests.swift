import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// A recorder in front of an origin that says the same every day, in the words of that day.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct RerecordingTests {
  private func record(_ address: SocketAddress, over tape: Cassette) async throws -> Cassette {
    var options = try ReplayServer.Options.before(RequestURL("http://\(address)"))
    options.recordedOrigin = "https://api.example.test"
    let deck = Deck(tape, matcher: .pathAndQuery, mode: .rewrite)
    let server = try await ReplayServer(deck, options)
    for path in ["/a", "/b?c=1", "/a"] {
      _ = try await RawClient(.loopback(port: server.port)).all(
        after: closing("GET \(path)", host: "127.0.0.1")
      )
    }
    await server.stop()
    return deck.recorded().cassette
  }

  @Test func `recording an unchanged origin anew gives the same bytes`() async throws {
    let day = Locked(0)
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        let today = day.withLock { day in
          day += 1
          return day
        }
        let pieces = today % 2 == 0 ? "4\r\nsame\r\n" : "2\r\nsa\r\n2\r\nme\r\n"
        let answer = """
          HTTP/1.1 103 Early Hints\r
          Date: day \(today)\r
          Link: </a.css>\r
          \r
          HTTP/1.1 200 OK\r
          Date: day \(today)\r
          X-Request-Id: \(today)\r
          Set-Cookie: a=b; Max-Age=\(today)\r
          Transfer-Encoding: chunked\r
          \r
          \(pieces)0\r
          \r

          """
        channel.write(Array(answer.utf8))
        channel.close()
      }
    }
    let first = try await record(address, over: Cassette())
    let second = try await record(address, over: first)
    let other = try await record(address, over: Cassette())
    expectEqual(first.interactions.map(\.response?.body.text), ["same", "same", "same"])
    expectEqual(second.data(), first.data())
    // Not because the origin repeated itself.
    #expect(other.data() != first.data())
    #expect(CassetteDifference(from: first, to: other).isEmpty)
  }
}
