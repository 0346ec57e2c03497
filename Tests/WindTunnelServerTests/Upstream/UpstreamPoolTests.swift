import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// Requests that only pass share connections; those that are recorded do not.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct UpstreamPoolTests {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// An origin that says of every request on which of its connections it came, as which there.
  private struct Origin {
    let url: RequestURL
    let asked: Events<String>

    /// `answer` gets the number of the connection and of the request on it, both from 1; without
    /// one the connection is closed.
    init(_ answer: @escaping @Sendable (Int, Int) -> String?) async throws {
      let asked = Events<String>()
      let connections = Locked(0)
      let address = try await EventLoop.serve { script in
        let connection = connections.withLock { count in
          count += 1
          return count
        }
        var (requests, text) = (0, "")
        script.received = { channel, bytes in
          text += String(decoding: bytes, as: UTF8.self)
          guard text.contains("\r\n\r\n") else { return }
          requests += 1
          asked("\(text.prefix { $0 != " " }) \(connection).\(requests)")
          text = ""
          guard let answer = answer(connection, requests) else { return channel.close() }
          channel.write(Array(answer.utf8))
        }
        script.ended = { $0.close() }
      }
      self.asked = asked
      url = RequestURL("http://127.0.0.1:\(address.port)")
    }

    var name: String { "\(url.host ?? ""):\(url.port ?? 0)" }

    /// What a client gets that sends these one after the other through a server that passes them.
    func answers(to methods: [String]) async throws -> [String] {
      var options = ReplayServer.Options.patient
      options.ignoredHosts = [try Upstream(url)]
      options.limits.upstreamIdleSeconds = 600
      let deck = Deck(
        Cassette(),
        options: PlaybackOptions(matcher: .pathAndQuery, ignoring: [name])
      )
      return try await ReplayServer.serving(deck, options) { server in
        let client = try server.client()
        defer { client.close() }
        var lines: [String] = []
        for method in methods {
          await client.send("\(method) / HTTP/1.1\r\nHost: \(name)\r\nContent-Length: 0\r\n\r\n")
          let text = String(decoding: await client.receive(atLeast: 40), as: UTF8.self)
          lines.append(text.statusLine)
        }
        return lines
      }
    }
  }

  private static let ok = "HTTP/1.1 200 OK"

  @Test func `requests that follow each other come over one connection`() async throws {
    let origin = try await Origin { _, _ in Self.answer }
    try await expectEqual(
      origin.answers(to: ["GET", "DELETE", "PUT"]),
      [Self.ok, Self.ok, Self.ok]
    )
    await expectEqual(origin.asked.first(3), ["GET 1.1", "DELETE 1.2", "PUT 1.3"])
  }

  @Test func `a request that must not come twice has a connection of its own`() async throws {
    let origin = try await Origin { _, _ in Self.answer }
    _ = try await origin.answers(to: ["GET", "POST", "GET"])
    // What comes after it may follow it.
    await expectEqual(origin.asked.first(3), ["GET 1.1", "POST 2.1", "GET 2.2"])
  }

  @Test func `a connection that ends is not used again`() async throws {
    let end = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    let origin = try await Origin { _, _ in end }
    try await expectEqual(origin.answers(to: ["GET", "GET"]), [Self.ok, Self.ok])
    await expectEqual(origin.asked.first(2), ["GET 1.1", "GET 2.1"])
  }

  @Test func `what died with a connection that was used before is asked once more`() async throws {
    let origin = try await Origin { $0 == 1 && $1 == 2 ? nil : Self.answer }
    try await expectEqual(origin.answers(to: ["GET", "GET", "GET"]), [Self.ok, Self.ok, Self.ok])
    await expectEqual(origin.asked.first(4), ["GET 1.1", "GET 1.2", "GET 2.1", "GET 2.2"])
  }

  @Test func `and never a third time`() async throws {
    let origin = try await Origin { $0 == 1 && $1 == 1 ? Self.answer : nil }
    try await expectEqual(
      origin.answers(to: ["GET", "GET"]),
      [Self.ok, "HTTP/1.1 502 Bad Gateway"]
    )
    await expectEqual(origin.asked.first(3), ["GET 1.1", "GET 1.2", "GET 2.1"])
  }

  @Test func `a connection on which too much came is not used again`() async throws {
    let origin = try await Origin { $0 == 1 && $1 == 2 ? Self.answer + "!" : Self.answer }
    try await expectEqual(origin.answers(to: ["GET", "GET", "GET"]), [Self.ok, Self.ok, Self.ok])
    await expectEqual(origin.asked.first(3), ["GET 1.1", "GET 1.2", "GET 2.1"])
  }
}
