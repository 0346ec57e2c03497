import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The exchanges of one connection on a link: a handshake once, and one sender in each direction.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct SharedLinkTests {
  private static let link = Link(
    up: .init(delay: .milliseconds(20)),
    down: .init(delay: .milliseconds(30)),
    dnsDelay: .milliseconds(7)
  )

  /// The stages of the exchanges, as the link gives them.
  private typealias Stages = Events<ExchangeStages?>

  private static func deck(_ link: Link = link, to stages: Stages) -> Deck {
    let bodies = ["/a": "a", "/large": String(repeating: "x", count: 60_000)]
    let interactions = bodies.sorted { $0.key < $1.key }.map { path, body in
      Interaction(
        Request("GET", RequestURL("http://api.example.test\(path)")),
        Response(headers: ["Content-Length": "\(body.utf8.count)"], body: Body(body))
      )
    }
    return Deck(
      Cassette(interactions),
      scenario: Scenario("linked", link: link),
      options: PlaybackOptions(then: .repeat),
      observe: { event in
        if case .requestEnd(let outcome, _, _) = event { stages(outcome.linkStages) }
      }
    )
  }

  private static let get = "GET /a HTTP/1.1\r\nHost: api.example.test\r\n\r\n"

  /// The stages of a request that opens its connection, and of one on an open connection.
  private static let (first, later) = { () -> (ExchangeStages, ExchangeStages) in
    var (first, later) = (ExchangeStages(), ExchangeStages())
    (first.dns, first.connect) = (.milliseconds(7), .milliseconds(50))
    (first.upload, later.upload) = (.milliseconds(20), .milliseconds(20))
    return (first, later)
  }()

  @Test func `requests on a kept connection pay for one handshake`() async throws {
    let stages = Stages()
    try await ReplayServer.serving(Self.deck(to: stages)) { server in
      for _ in 0..<2 {
        let client = try server.client()
        for _ in 0..<3 {
          await client.send(Self.get)
          await expectEqual(String(decoding: client.message(), as: UTF8.self).content, "a")
        }
        client.close()
      }
    }
    let connection = [Self.first, Self.later, Self.later]
    await expectEqual(stages.first(6), connection + connection)
  }

  @Test func `streams of a connection pay for one handshake, and take turns`() async throws {
    let stages = Stages()
    try await ReplayServer.serving(Self.deck(to: stages)) { server in
      let client = try await FrameClient(to: .loopback(port: server.port))
      await client.send { bytes in
        for (id, path) in [(1, "/large"), (3, "/a")] { bytes.appendRequest(path, on: id) }
      }
      let words = await client.receive(until: "1 end")
      expectEqual(words.filter { $0.hasPrefix("3 ") }, ["3 200", "3 =a", "3 end"])
      expectEqual(words.last, "1 end")
      client.raw.close()
    }
    let seen = await stages.first(2)
    expectEqual(seen[0], Self.first)
    #expect(seen[1]?.connect == nil && seen[1]?.dns == nil)
  }

  @Test func `a server that ends each connection gives each stream one of its own`() async throws {
    let stages = Stages()
    var options = ReplayServer.Options.patient
    options.closesConnections = true
    try await ReplayServer.serving(Self.deck(to: stages), options) { server in
      let client = try await FrameClient(to: .loopback(port: server.port))
      await client.send { bytes in
        for id in [1, 3] { bytes.appendRequest("/a", on: id) }
      }
      _ = await client.receiveAll()
      client.raw.close()
    }
    await expectEqual(stages.first(2), [Self.first, Self.first])
  }
}
