import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelLink
@testable import WindTunnelServer
@testable import WindTunnelWire

/// Conversations over a link, played and live: each message comes whole and in order, and no sooner
/// than the link lets it.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct LinkedConversationTests {
  /// The ways in which a client comes to a server.
  enum Stage: CaseIterable { case played, recorded, proxied }

  /// Lets a client talk over a link, whose every message is answered by itself.
  private static func talking(
    _ stage: Stage,
    over link: Link,
    _ texts: [String],
    _ body: (WebSocketPeer) async throws -> Void
  ) async throws {
    let scenario = Scenario("linked", link: link)
    var (messages, number) = ([WebSocketMessage](), 0)
    for text in texts {
      number = messages.count + 1
      var answer = ReplayedConversationTests.message(.server, text)
      answer.cause = number
      messages += [ReplayedConversationTests.message(.client, text), answer]
    }
    let tape = Cassette([ReplayedConversationTests.chat(messages)])
    let deck: Deck
    var options = ReplayServer.Options.patient
    let origin = try await WebSocketOrigin(answering: WebSocketOrigin.echo)
    switch stage {
    case .played: deck = Deck(tape, scenario: scenario)
    case .recorded:
      deck = Deck(Cassette(), scenario: scenario, mode: .rewrite)
      options.upstream = try Upstream(RequestURL("http://\(origin.address)"))
    case .proxied:
      deck = Deck(Cassette(), scenario: scenario, options: PlaybackOptions(isProxied: true))
      options.proxy = Proxying()
    }
    let target = stage == .proxied ? "http://\(origin.address)/chat" : "/chat"
    try await ReplayServer.serving(deck, options) { server in
      let peer = try await WebSocketPeer(try server.client(), target)
      expectEqual(peer.head.statusLine, "HTTP/1.1 101 Switching Protocols")
      try await body(peer)
      await peer.leave()
    }
    expectEqual(deck.arrivals.carriedCount, 0)
    if stage == .recorded {
      let recorded = deck.recorded().cassette.interactions.first?.messages ?? []
      expectEqual(recorded.filter { !$0.isClose }.count, messages.count)
    }
  }

  @Test(arguments: Stage.allCases)
  func `each message and its answer take the delay of their directions`(stage: Stage) async throws {
    let link = Link(up: .init(delay: .milliseconds(120)), down: .init(delay: .milliseconds(80)))
    let texts = "abcdefghijklmnop".map(String.init)
    try await Self.talking(stage, over: link, texts) { peer in
      var times: [Duration] = []
      for text in texts {
        let start = ContinuousClock.now
        await peer.say(text)
        await expectEqual(peer.hear(1), [.text(text, frames: 1)])
        times.append(ContinuousClock.now - start)
      }
      // Whatever else the machine does, not every one is slow: the delay is not there twice.
      let least = times.min() ?? .zero
      #expect(least >= .milliseconds(200) && least < .milliseconds(400))
      let start = ContinuousClock.now
      await peer.say(WebSocketFrame(.ping, Data("p".utf8)))
      await expectEqual(peer.hear(1), [.pong("p")])
      await peer.close(1000, "done")
      await expectEqual(peer.hearAll(), [.close(1000, "done"), .end(.finished)])
      #expect(ContinuousClock.now - start >= .milliseconds(400))
    }
  }

  @Test(arguments: Stage.allCases)
  func `both directions have the rate of theirs, and wait for their queues`(
    stage: Stage
  ) async throws {
    // 80,000 bytes take a fifth of a second up and a tenth down.
    let link = Link(
      up: .init(bitsPerSecond: 3_200_000, queueBytes: 4096),
      down: .init(bitsPerSecond: 6_400_000, queueBytes: 4096)
    )
    let texts = (0..<4).map { "\($0) " + String(repeating: "x", count: 20_000) }
    try await Self.talking(stage, over: link, texts) { peer in
      let start = ContinuousClock.now
      for text in texts { await peer.say(text) }
      await expectEqual(peer.hear(4), texts.map { .text($0, frames: 1) })
      // The answer to the last one begins when that has come.
      #expect(ContinuousClock.now - start >= .milliseconds(200 + 25))
    }
  }

  @Test(arguments: Stage.allCases)
  func `what is lost is late and never missing`(stage: Stage) async throws {
    var link = Link(up: .init(delay: .milliseconds(2)), down: .init(delay: .milliseconds(2)))
    link.up.loss = .bernoulli(0.1)
    link.down.loss = .bernoulli(0.1)
    let texts = (0..<60).map { "\($0) " + String(repeating: "x", count: $0 * 100) }
    try await Self.talking(stage, over: link, texts) { peer in
      for text in texts { await peer.say(text) }
      await expectEqual(peer.hear(60), texts.map { .text($0, frames: 1) })
    }
  }

  @Test(arguments: Stage.allCases)
  func `a packet that is lost costs the time-out of its sender`(stage: Stage) async throws {
    // The request is the first packet with data up, and the answer to it the first down.
    var link = Link(up: .init(delay: .milliseconds(2)), down: .init(delay: .milliseconds(2)))
    link.up.loss = .script(LossScript(data: [2]))
    try await Self.talking(stage, over: link, ["a"]) { peer in
      let start = ContinuousClock.now
      await peer.say("a")
      await expectEqual(peer.hear(1), [.text("a", frames: 1)])
      // RFC 6298 as Linux has it: at least 200 ms, or a probe after twice the round trip.
      #expect(ContinuousClock.now - start >= .milliseconds(150))
    }
  }

  @Test(arguments: Stage.allCases)
  func `a fault is done behind the link, and comes with its delay`(stage: Stage) async throws {
    let slow = Link.Direction(delay: .milliseconds(50))
    let scenario = Scenario(
      "linked",
      link: Link(up: slow, down: slow),
      rules: [.on("GET /chat", .always, .conversation(.end(.frame(1012), before: 2)))]
    )
    let tape = Cassette([
      ReplayedConversationTests.chat(
        ["1", "2", "3"].map { ReplayedConversationTests.message(.server, $0) }
      )
    ])
    try await ReplayServer.serving(Deck(tape, then: .repeat)) { origin in
      let place = "http://127.0.0.1:\(origin.port)"
      var options = ReplayServer.Options.patient
      let deck: Deck
      switch stage {
      case .played: deck = Deck(tape, scenario: scenario)
      case .recorded:
        deck = Deck(Cassette(), scenario: scenario, mode: .rewrite)
        options.upstream = try Upstream(RequestURL(place))
      case .proxied:
        deck = Deck(Cassette(), scenario: scenario, options: PlaybackOptions(isProxied: true))
        options.proxy = Proxying()
      }
      try await ReplayServer.serving(deck, options) { server in
        let start = ContinuousClock.now
        let peer = try await WebSocketPeer(
          try server.client(),
          stage == .proxied ? place + "/chat" : "/chat"
        )
        await expectEqual(
          peer.hearAll(),
          [.text("1", frames: 1), .close(1012, ""), .end(.finished)]
        )
        // A round trip to open the connection, and one for the request and its answer.
        #expect(ContinuousClock.now - start >= .milliseconds(200))
      }
      expectEqual(deck.journal.all.last?.misfits, [])
      expectEqual(deck.arrivals.carriedCount, 0)
    }
  }

  @Test func `a server that stops keeps what was said before a reset that is on the link`()
    async throws
  {
    let slow = Link.Direction(delay: .milliseconds(150))
    let scenario = Scenario("linked", link: Link(up: slow, down: slow))
    let deck = Deck(Cassette(), scenario: scenario, mode: .rewrite)
    let origin = try await WebSocketOrigin(answering: WebSocketOrigin.echo)
    let options = try ReplayServer.Options.before(RequestURL("http://\(origin.address)"))
    try await ReplayServer.serving(deck, options) { server in
      let client = try server.client()
      await client.send(WebSocketPeer.wish("/chat"))
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        let more = await client.receive(exactly: 1)
        if more.isEmpty { break }
        head += more
      }
      let text = Array(WebSocketFrame(.text, Data("a".utf8)).encoded(masking: 7))
      await client.send(text)
      await expectEqual(client.receive(exactly: 3), [0x81, 1, 0x61])
      await client.send(text)
      client.socket.resetOnClose()
      client.close()
      await server.stop(grace: .zero)
    }
    let messages = deck.recorded().cassette.interactions.first?.messages ?? []
    expectEqual(messages.compactMap(\.body.text).prefix(2), ["a", "a"])
  }

  @Test func `a handshake that is refused comes with the delay of the link, too`() async throws {
    let slow = Link.Direction(delay: .milliseconds(50))
    let scenario = Scenario("linked", link: Link(up: slow, down: slow))
    let tape = Cassette([
      ReplayedConversationTests.chat([ReplayedConversationTests.message(.server, "1")])
    ])
    let deck = Deck(tape, scenario: scenario)
    try await ReplayServer.serving(deck) { server in
      let start = ContinuousClock.now
      let (bytes, end) = try await server.client().all(
        after: "GET /chat HTTP/1.1\r\nHost: x\r\n\r\n"
      )
      expectEqual(
        String(decoding: bytes, as: UTF8.self).statusLine,
        "HTTP/1.1 426 Upgrade Required"
      )
      #expect(end == .finished && ContinuousClock.now - start >= .milliseconds(200))
    }
    expectEqual(deck.arrivals.carriedCount, 0)
  }
}
