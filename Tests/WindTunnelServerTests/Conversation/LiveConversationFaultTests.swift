import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The failures of a conversation with a live origin, which a client cannot tell from those of a
/// played one.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct LiveConversationFaultTests {
  private static let texts = ["first", "n\u{E4}chste", "third"]
  private static let goodbye = "bye"
  /// Three messages of the server's, and an end once the client has said that it goes.
  private static let tape = Cassette([
    ReplayedConversationTests.chat(
      texts.map { ReplayedConversationTests.message(.server, $0) }
        + [
          ReplayedConversationTests.message(.client, goodbye),
          WebSocketMessage(from: .server, closing: 1000, offset: .zero),
        ]
    )
  ])
  private static let plain = texts.flatMap { [0x81, UInt8($0.utf8.count)] + $0.utf8 }
  private static let pong: [UInt8] = [0x8A, 4] + "ping".utf8

  private static let faults = FaultKind.all.compactMap { kind -> ConversationFault? in
    if case .conversation(let fault) = kind.fault { fault } else { nil }
  }

  private static func scenario(_ faults: [ConversationFault]) -> Scenario {
    Scenario("one", rules: [.on("GET /chat", .always, faults.map { .conversation($0) })])
  }

  private static func masked(_ frame: WebSocketFrame) -> [UInt8] {
    Array(frame.encoded(masking: 0x0A0B_0C0D))
  }

  /// The sight of one conversation.
  private struct Seen: Equatable {
    var bytes: [UInt8]
    var end: RawClient.End
  }

  /// Returns everything that a client gets, from its handshake on.
  private static func seen(
    _ fault: ConversationFault,
    at server: ReplayServer,
    asking target: String
  ) async throws -> Seen {
    let client = try server.client()
    defer { client.close() }
    await client.send(WebSocketPeer.wish(target))
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let more = await client.receive(exactly: 1)
      if more.isEmpty { break }
      bytes += more
    }
    let ping = masked(WebSocketFrame(.ping, Data("ping".utf8)))
    switch fault {
    // What stands still is seen by what does not come in front of the end.
    case .end(.stall, _):
      bytes += await client.receive(exactly: 2 + texts[0].utf8.count)
      client.socket.finishWriting()
    case .control(.unansweredClose):
      await client.send(ping)
      bytes += await client.receive(exactly: plain.count + pong.count)
      await client.send(masked(WebSocketClose(1000).frame))
      client.socket.finishWriting()
    case .control(.latePong):
      await client.send(ping)
      bytes += await client.receive(exactly: plain.count + pong.count)
      await client.send(masked(WebSocketFrame(.text, Data(goodbye.utf8))))
    // A pong goes before a late message that is played, and behind a live one.
    case .message(.late, _):
      await client.send(masked(WebSocketFrame(.text, Data(goodbye.utf8))))
    default:
      await client.send(ping + masked(WebSocketFrame(.text, Data(goodbye.utf8))))
    }
    let (rest, end) = await client.receiveAll()
    return Seen(bytes: bytes + rest, end: end)
  }

  private static func played(_ fault: ConversationFault) async throws -> Seen {
    let deck = Deck(tape, scenario: scenario([fault]))
    return try await ReplayServer.serving(deck) { server in
      try await seen(fault, at: server, asking: "/chat")
    }
  }

  /// The proxy of an origin that plays the conversation in good weather.
  private static func live<Result>(
    _ body: (ReplayServer) async throws -> Result
  ) async throws -> Result {
    try await ReplayServer.serving(Deck(tape, then: .repeat)) { try await body($0) }
  }

  private static func recording(_ faults: [ConversationFault]) -> Deck {
    Deck(Cassette(), scenario: scenario(faults), mode: .rewrite)
  }

  private static func options(recording origin: ReplayServer) throws -> ReplayServer.Options {
    try .before(RequestURL("http://127.0.0.1:\(origin.port)"))
  }

  /// Returns what a client gets of a conversation with the origin while a deck records it.
  private static func seen(
    _ fault: ConversationFault,
    recording origin: ReplayServer,
    by deck: Deck
  ) async throws -> Seen {
    try await ReplayServer.serving(deck, options(recording: origin)) {
      try await seen(fault, at: $0, asking: "/chat")
    }
  }

  @Test(arguments: faults)
  func `a client sees of a live conversation what it sees of a played one`(
    fault: ConversationFault
  ) async throws {
    let played = try await Self.played(fault)
    try await Self.live { origin in
      let deck = Self.recording([fault])
      let start = ContinuousClock.now
      let recorded = try await Self.seen(fault, recording: origin, by: deck)
      expectEqual(recorded, played)
      if case .control(.latePong(let wait)) = fault { #expect(ContinuousClock.now - start >= wait) }
      expectEqual(deck.journal.all.last?.misfits, [])
      expectEqual(deck.arrivals.carriedCount, 0)
      try await ReplayServer.proxying(Self.scenario([fault])) { server, deck, _ async throws in
        let target = "http://127.0.0.1:\(origin.port)/chat"
        try await expectEqual(Self.seen(fault, at: server, asking: target), played)
        expectEqual(deck.journal.all.last?.misfits, [])
        expectEqual(deck.arrivals.carriedCount, 0)
      }
    }
  }

  @Test(arguments: faults)
  func `the cassette has the origin's messages, and marks the fault that ended them`(
    fault: ConversationFault
  ) async throws {
    try await Self.live { origin in
      let deck = Self.recording([fault])
      _ = try await Self.seen(fault, recording: origin, by: deck)
      let interaction = try #require(deck.recorded().cassette.interactions.first)
      let said = interaction.messages.filter { $0.sender == .server && !$0.isClose }
      let isCut = if case .end = fault { true } else { false }
      // What the origin says behind an end need not have come.
      let texts = said.compactMap(\.body.text)
      if case .end = fault {
        #expect(!texts.isEmpty && Self.texts.starts(with: texts))
      } else {
        expectEqual(texts, Self.texts)
      }
      expectEqual(
        interaction.notes,
        (isCut ? [JSON.Member("_incomplete", "a fault ended it")] : [])
      )
    }
  }

  @Test func `a fault of a message that does not come is named as not done`() async throws {
    let fault = ConversationFault.end(.reset, before: 9)
    try await Self.live { origin in
      let deck = Self.recording([fault])
      let seen = try await Self.seen(fault, recording: origin, by: deck)
      expectEqual(seen.end, .finished)
      expectEqual(
        deck.journal.all.last?.misfits,
        [#"{"webSocket":"reset","message":9} was not done: 3 messages were sent."#]
      )
    }
  }

  @Test func `a late message comes as late as it is told to`() async throws {
    try await Self.live { origin in
      let deck = Self.recording([.message(.late(.seconds(2)), 2)])
      try await ReplayServer.serving(deck, Self.options(recording: origin)) { server in
        // The first one may be seen late, too, so that the time runs from before all of them.
        let start = ContinuousClock.now
        let peer = try await WebSocketPeer(try server.client(), "/chat")
        await expectEqual(peer.hear(1), [.text(Self.texts[0], frames: 1)])
        await expectEqual(peer.hear(1), [.text(Self.texts[1], frames: 1)])
        // Far longer than a handshake and two messages take.
        #expect(ContinuousClock.now - start >= .seconds(2))
        await expectEqual(peer.hear(1), [.text(Self.texts[2], frames: 1)])
        await peer.leave()
      }
    }
  }

  @Test func `an origin that does not answer leaves no room for a fault`() async throws {
    let origin = try await EventLoop.serve { script in
      script.received = { channel, _ in channel.close() }
    }
    let undone = ConversationFault.message(.drop, 1).undone("the origin has not answered")
    let told = Events<[UndoneFault]>()
    let deck = Deck(
      Cassette(),
      scenario: Self.scenario([.message(.drop, 1)]),
      options: PlaybackOptions(mode: .rewrite),
      observe: { if case .undone(_, let faults) = $0 { told(faults) } }
    )
    let options = try ReplayServer.Options.before(RequestURL("http://\(origin)"))
    try await ReplayServer.serving(deck, options) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      #expect(peer.head.hasPrefix("HTTP/1.1 502 "))
      await peer.leave()
    }
    try await expectEqual(told.next(), [undone])
    expectEqual(deck.journal.all.last?.misfits, [undone.description])
  }

  @Test(arguments: [false, true])
  func `a connection that ends before the handshake leaves no room for a fault`(
    isCutFirst: Bool
  ) async throws {
    let faults: [Fault] = [
      .conversation(.message(.drop, 1)), .cut(at: .afterRequest, then: .reset),
    ]
    let rule = FaultRule.on("GET /chat", .always, isCutFirst ? faults.reversed() : faults)
    try await Self.live { origin in
      let deck = Deck(Cassette(), scenario: Scenario("one", rules: [rule]), mode: .rewrite)
      try await ReplayServer.serving(deck, Self.options(recording: origin)) { server async throws in
        #expect(try await server.client().all(after: WebSocketPeer.wish("/chat")) == ([], .reset))
      }
      expectEqual(
        deck.journal.all.last?.misfits,
        [#"{"webSocket":"drop"} was not done: the handshake is not answered."#]
      )
    }
  }

  @Test func `an origin that agrees to no WebSocket leaves no room for one`() async throws {
    let origin = Deck([.get("/chat") { _ in .text(Body("no")) }])
    try await ReplayServer.serving(origin) { origin in
      let deck = Self.recording([.message(.drop, 1), .control(.noPong)])
      try await ReplayServer.serving(deck, Self.options(recording: origin)) { server in
        let peer = try await WebSocketPeer(try server.client(), "/chat")
        expectEqual(peer.head.statusLine, "HTTP/1.1 200 OK")
        await peer.leave()
      }
      expectEqual(
        deck.journal.all.last?.misfits,
        [
          #"{"webSocket":"drop"} was not done: the response is not a WebSocket."#,
          #"{"webSocket":"noPong"} was not done: the response is not a WebSocket."#,
        ]
      )
    }
  }

  @Test func `faults of a body are named as not done, and the origin is asked`() async throws {
    let faults: [Fault] = [
      .reset(afterBodyBytes: 3), .dribble(bytes: 1, every: .milliseconds(1)), .malformed(.garbage),
    ]
    try await Self.live { origin in
      let scenario = Scenario("one", rules: [.on("GET /chat", .always, faults)])
      let deck = Deck(Cassette(), scenario: scenario, mode: .rewrite)
      let seen = try await Self.seen(.control(.pingFlood), recording: origin, by: deck)
      expectEqual(seen.end, .finished)
      expectEqual(
        deck.journal.all.last?.misfits,
        faults.map {
          "\($0.json) was not done: a WebSocket is requested, which has no body."
        }
      )
    }
  }

  // MARK: Compression

  /// Sends back each message twice, and answers pings.
  private static func twice(_ event: WebSocketReader.Event, _ writer: WebSocketWriter) -> [Data] {
    guard case .message(let data, let isText, _) = event else {
      return WebSocketOrigin.echo(event, writer)
    }
    return (0..<2).map { _ in writer.message(data, isText: isText) }
  }

  private static let long = String(repeating: "again ", count: 500)

  @Test(.enabled(if: PerMessageDeflate.isSupported))
  func `messages stay compressed where none of them is changed`() async throws {
    let origin = try await WebSocketOrigin(compresses: true, answering: Self.twice)
    let faults: [ConversationFault] = [.control(.noPong), .end(.frame(1012), before: 4)]
    let interactions = try await origin.recording(in: Self.scenario(faults)) { server in
      let peer = try await WebSocketPeer(
        try server.client(),
        "/chat",
        ["Sec-WebSocket-Extensions": "permessage-deflate"],
        deflate: PerMessageDeflate()
      )
      #expect(peer.head.contains("Sec-WebSocket-Extensions: permessage-deflate\r\n"))
      await peer.say(WebSocketFrame(.ping, Data("p".utf8)))
      await peer.say(Self.long)
      await expectEqual(peer.hear(2), [.text(Self.long, frames: 1), .text(Self.long, frames: 1)])
      await peer.say("b")
      await expectEqual(peer.hearAll(), [.text("b", frames: 1), .close(1012, ""), .end(.finished)])
    }
    #expect(try await origin.asked.next().contains("permessage-deflate"))
    expectEqual(
      interactions.first?.messages.compactMap(\.body.text).prefix(3),
      [Self.long, Self.long, Self.long]
    )
  }

  @Test(.enabled(if: PerMessageDeflate.isSupported))
  func `no compression is offered to the origin where messages are changed`() async throws {
    let origin = try await WebSocketOrigin(compresses: true, answering: Self.twice)
    let faults: [ConversationFault] = [.message(.drop, 2), .form(.fragmented, of: 3)]
    let interactions = try await origin.recording(in: Self.scenario(faults)) { server in
      let peer = try await WebSocketPeer(
        try server.client(),
        "/chat",
        ["Sec-WebSocket-Extensions": "permessage-deflate"]
      )
      #expect(!peer.head.contains("Sec-WebSocket-Extensions"))
      await peer.say(Self.long)
      await expectEqual(peer.hear(1), [.text(Self.long, frames: 1)])
      await peer.say("ab")
      await expectEqual(peer.hear(2), [.text("ab", frames: 2), .text("ab", frames: 1)])
      await peer.close(1000, "done")
      await expectEqual(peer.hearAll(), [.close(1000, "done"), .end(.finished)])
    }
    #expect(try await !origin.asked.next().contains("Sec-WebSocket-Extensions"))
    expectEqual(
      interactions.map(RecordedConversationTests.lines),
      [
        [
          "client text \(Self.long)", "server text \(Self.long) after 1",
          "server text \(Self.long) after 1", "client text ab", "server text ab after 4",
          "server text ab after 4", "client close(1000) done", "server close(1000) done after 7",
        ]
      ]
    )
  }
}
