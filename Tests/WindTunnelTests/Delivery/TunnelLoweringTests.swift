import TestSupport

@testable import WindTunnel

@Suite struct TunnelLoweringTests {
  private let start = Delivery.Step.await(.requestEnd)

  /// What the tunnels to a place meet, one after the other.
  private func steps(
    _ scenario: Scenario,
    to authority: String = "api.example.com:443",
    times count: Int = 1
  ) -> [[Delivery.Step]] {
    let deck = Deck(Cassette(), scenario: scenario, options: PlaybackOptions(isProxied: true))
    return (0..<count).map { _ in Delivery(deck.openTunnel(to: authority)).steps }
  }

  @Test func `without a scenario a tunnel is relayed`() {
    expectEqual(steps(.calm), [[start, .relay]])
  }

  @Test func `faults by host act on that host's tunnels, in their order`() {
    let scenario: Scenario = [
      .on("CONNECT api.example.com:443", .first(1), .delay(.exactly(.milliseconds(300)))),
      .on("CONNECT *.example.com", .attempt(2), .reset(afterBodyBytes: 4096)),
      .on("CONNECT api.example.com", .attempt(3), .truncate(afterBodyBytes: 9)),
      .on("CONNECT *", .attempt(4), .stall(afterBodyBytes: 1)),
      .on("* https://api.example.com/**", .attempt(5), .close),
    ]
    expectEqual(
      steps(scenario, times: 6),
      [
        [start, .wait(.milliseconds(300)), .relay],
        [start, .relayUntil(downBytes: 4096), .reset],
        [start, .relayUntil(downBytes: 9), .close],
        [start, .relayUntil(downBytes: 1), .stall],
        [start, .close],
        [start, .relay],
      ]
    )
    expectEqual(steps(scenario, to: "example.com:443", times: 5)[1], [start, .relay])
    expectEqual(steps(scenario, to: "other.test:443", times: 5).last, [start, .relay])
  }

  @Test func `a status answers the CONNECT only where its rule names tunnels`() {
    let head = ResponseHead(
      status: 403,
      headers: [
        "Content-Type": "text/plain; charset=utf-8", "Content-Length": "23", "Connection": "close",
      ]
    )
    expectEqual(
      steps([.on("CONNECT *:443", .always, .status(403))]),
      [[start, .head(head), .bytes(.data(Data("This 403 was injected.\n".utf8))), .close]]
    )
    expectEqual(steps([.always(.always, .status(503))]), [[start, .relay]])
    expectEqual(steps([.on("GET /home", .always, .reset(.afterRequest))]), [[start, .relay]])
    expectEqual(steps([.on("CONNECT *:8443", .always, .status(403))]), [[start, .relay]])
  }

  @Test func `a failed connection is the proxy's, which says 502`() throws {
    for fault: ConnectionFault in [.refused, .offline, .hostNotFound] {
      let steps = steps([.always(.always, .connection(fault))])
      expectEqual(Played(delivery: Delivery(try #require(steps.first))).head?.status, 502)
    }
  }

  @Test func `a failed handshake needs no certificate and no origin`() {
    expectEqual(
      steps([.always(.always, .connection(.tls(.handshakeFailure)))]),
      [
        [
          start, .head(ResponseHead(status: 200)), .await(.clientHello),
          .bytes(.data(Data([21, 3, 3, 0, 2, 2, 40]))), .close,
        ]
      ]
    )
  }

  @Test func `the link's round trip is paid before a tunnel opens, and a dead link opens none`() {
    let link = Link(up: .init(delay: .milliseconds(40)), down: .init(delay: .milliseconds(60)))
    expectEqual(steps(Scenario("x", link: link)), [[start, .wait(.milliseconds(100)), .relay]])
    let dead = Link(up: .init(), down: .init(lossProbability: 1))
    expectEqual(steps(Scenario("x", link: dead)), [[start, .stall]])
  }

  @Test func `the same seed decides the same for the n-th tunnel to a place, whoever else asks`() {
    let scenario: Scenario = [.always(.probability(0.5), .reset(afterBodyBytes: 1))]
    let alone = steps(scenario, times: 20)
    let deck = Deck(Cassette(), scenario: scenario, options: PlaybackOptions(isProxied: true))
    var among: [[Delivery.Step]] = []
    for _ in 0..<20 {
      _ = deck.openTunnel(to: "other.test:443")
      among.append(Delivery(deck.openTunnel(to: "api.example.com:443")).steps)
    }
    expectEqual(alone, among)
    expectEqual(Set(alone).count, 2)
  }

  @Test func `a proxied request pays for its connection and knows no handshake`() {
    let deck = Deck(
      Cassette(),
      scenario: [
        .always(.attempt(1), .connection(.refused)),
        .always(.attempt(2), .connection(.tls(.handshakeFailure))),
      ],
      options: PlaybackOptions(isProxied: true)
    )
    let request = Request("GET", "http://api.example.com/a")
    expectEqual(deck.decide(request).decision.faults, [.status(502)])
    expectEqual(deck.decide(request).decision.faults, [])
  }

  @Test func `hosts that are nowhere on the tape pass, and a miss on one that is does not`() {
    let tape = Cassette([
      Interaction(Request("GET", "http://api.example.com/a"), Response(body: Body("taped")))
    ])
    let deck = Deck(tape, options: PlaybackOptions(then: .repeat, isProxied: true))
    func source(_ url: RequestURL) -> Outcome.Source { deck.decide(Request("GET", url)).source }
    guard case .recording(_, place: 0) = source("http://api.example.com/a"),
      case .unmatched = source("http://api.example.com/b"),
      case .forward(ticket: nil) = source("http://other.test/b")
    else {
      Issue.record("\(deck.journal.all)")
      return
    }
    #expect(deck.openTunnel(to: "api.example.com:443").isOnCassette)
    #expect(!deck.openTunnel(to: "other.test:443").isOnCassette)
  }
}
