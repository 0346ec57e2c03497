import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// A server that has as many connections as it takes.
@Suite(.timeLimit(.minutes(5))) struct ConnectionLimitTests {
  private static let ask = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test func `one connection too many waits until another has gone`() async throws {
    var options = ReplayServer.Options.patient
    options.limits.connectionsMax = 2
    try await ReplayServer.serving(.echo("/a"), options) { server async throws in
      let (first, second) = (try server.client(), try server.client())
      for client in [first, second] {
        await client.send(Self.ask)
        _ = await client.receive(atLeast: "HTTP/1.1 200 OK".utf8.count)
      }
      // Four at once, of which none is turned away.
      let others = try (0..<4).map { _ in try server.client() }
      for client in others { await client.send(Self.ask) }
      first.close()
      second.close()
      for client in others {
        let answer = await client.receive(atLeast: "HTTP/1.1 200 OK".utf8.count)
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK"))
        client.close()
      }
    }
  }

  @Test func `who waits is woken once, and only where there is none left`() {
    let limit = ConnectionLimit()
    let woken = Locked(0)
    func wait() -> Bool { limit.wait(forLessThan: 2) { woken.withLock { $0 += 1 } } }
    #expect(limit.enter(atMost: 2))
    #expect(!wait())
    #expect(limit.enter(atMost: 2))
    #expect(!limit.enter(atMost: 2))
    #expect(wait())
    expectEqual(woken.withLock { $0 }, 0)
    limit.leave()
    limit.leave()
    expectEqual(woken.withLock { $0 }, 1)
    expectEqual(limit.count, 0)
    #expect(limit.enter())
    expectEqual(limit.counts, ConnectionCounts(open: 1, most: 2, accepted: 3))
  }
}
