import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// Conversations that a server plays from a cassette, seen by a peer at a raw connection.
@Suite(.timeLimit(.minutes(5))) struct ReplayedConversationTests {
  static func message(_ sender: WebSocketMessage.Sender, _ text: String) -> WebSocketMessage {
    WebSocketMessage(from: sender, Body(text), isText: true, offset: .zero)
  }

  /// A recorded conversation at `/chat`.
  static func chat(
    _ messages: [WebSocketMessage],
    _ fields: HeaderFields = ["Upgrade": "websocket"]
  ) -> Interaction {
    var interaction = Interaction(Request("GET", "/chat"), Response(status: 101, headers: fields))
    interaction.messages = messages
    return interaction
  }

  private static let small = chat([
    message(.server, "welcome"), message(.client, "a"), message(.server, "for a"),
  ])

  @Test func `it is played, and pings are answered between`() async throws {
    let deck = Deck(Cassette([Self.small]))
    try await ReplayServer.serving(deck) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      expectEqual(
        peer.head,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
      )
      await expectEqual(peer.hear(1), [.text("welcome", frames: 1)])
      await peer.say(WebSocketFrame(.ping, Data("x".utf8)))
      await peer.say(WebSocketFrame(.pong, Data("nobody asked".utf8)))
      await peer.say("a", in: [1])
      await expectEqual(peer.hear(2), [.pong("x"), .text("for a", frames: 1)])
      await peer.close(1000, "done")
      await expectEqual(peer.hearAll(), [.close(1000, "done"), .end(.finished)])
    }
    expectEqual(deck.journal.all.last?.misfits, [])
    #expect(deck.mismatches.isEmpty)
    expectEqual(deck.arrivals.carriedCount, 0)
  }

  @Test func `whoever has left before the server stops has left, and was not stopped`() async throws
  {
    let ends = Locked<[ConversationLog.ConversationEnd?]>([])
    let deck = Deck(
      Cassette([Self.small]),
      options: PlaybackOptions(),
      observe: { event in
        if case .conversed(_, let log) = event { ends.withLock { $0.append(log.ending) } }
      }
    )
    let loop = try EventLoop()
    let live = LiveConnections(ConnectionLimit())
    let address = try await loop.run { reactor in
      let context = PortContext(deck: deck, owner: .fixed(.deck), options: .patient, port: 1)
      let receiver = ConnectionReceiver(context: context, live: live)
      return try Listener(on: reactor) { receiver.receive($0, on: reactor) }.address
    }
    let client = try RawClient(address)
    let peer = try await WebSocketPeer(client, "/chat")
    await expectEqual(peer.hear(1), [.text("welcome", frames: 1)])
    // In one turn of the loop, so that it has not looked at the connection between.
    try await loop.run { reactor in
      client.close()
      live.drain(on: reactor)
    }
    await loop.stop()
    expectEqual(ends.withLock { $0.last }, .some(.clientLeft))
  }

  @Test
  func `a message sent before the handshake response is processed, however its bytes are split`()
    async throws
  {
    try await ReplayServer.serving(Deck(Cassette([Self.small]))) { server in
      let client = try server.client()
      let frame = WebSocketWriter(as: .client, nil).message(Data("a".utf8), isText: true)
      for byte in Array(WebSocketPeer.wish("/chat").utf8) + frame { await client.send([byte]) }
      var expected = Array(
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n").utf8
      )
      for text in ["welcome", "for a"] { expected += [0x81, UInt8(text.utf8.count)] + text.utf8 }
      await expectEqual(client.receive(exactly: expected.count), expected)
      client.close()
    }
  }

  @Test func `a client that says something else is told the nearest message`() async throws {
    let deck = Deck(Cassette([Interaction(Request("GET", "/"), Response()), Self.small]))
    try await ReplayServer.serving(deck) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await peer.say("b")
      await expectEqual(
        peer.hearAll(),
        [
          .text("welcome", frames: 1),
          .close(
            1008,
            #"not on the cassette; nearest: #2, differs in its content: recorded "a", asked "b""#
          ),
          .end(.finished),
        ]
      )
    }
    expectEqual(
      deck.mismatches.map(\.line),
      [
        "a message within GET http://x/chat is not on the cassette; nearest: #2 GET http://x/chat, "
          + #"message 2, differs in its content: recorded "a", asked "b""#
      ]
    )
    // A client's own values may be secret.
    expectEqual(
      deck.journal.all.last?.misfits,
      [
        "1 message waits for #2, which the client has not sent.",
        "A message is not on the cassette: nearest #2 GET http://x/chat, message 2, differs in its content.",
      ]
    )
  }

  @Test func `a reconnection begins the next conversation, and then what then says`() async throws {
    var last = Self.chat([Self.message(.server, "second")])
    last.then = .repeat
    let cassette = Cassette([Self.chat([Self.message(.server, "first")]), last])
    try await ReplayServer.serving(Deck(cassette)) { server in
      for expected in ["first", "second", "second"] {
        let peer = try await WebSocketPeer(try server.client(), "/chat")
        await expectEqual(peer.hear(1), [.text(expected, frames: 1)])
        await peer.leave()
      }
    }
  }

  @Test func `frames, bytes, empty messages and ends are those of the cassette`() async throws {
    var split = Self.message(.server, "häppchen")
    split.fragments = [2, 0, 7]
    let binary = WebSocketMessage(
      from: .server,
      Body(Data([0, 255])),
      isText: false,
      offset: .zero
    )
    let end = WebSocketMessage(from: .server, closing: 4321, "enough", offset: .zero)
    let messages = [split, binary, Self.message(.server, ""), end]
    let interaction = Self.chat(messages)
    try await ReplayServer.serving(Deck(Cassette([interaction]))) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await expectEqual(
        peer.hearAll(),
        [
          .text("häppchen", frames: 3), .binary([0, 255], frames: 1), .text("", frames: 1),
          .close(4321, "enough"), .end(.finished),
        ]
      )
    }
  }

  @Test(arguments: [(1005, [WebSocketPeer.Said.close(1005, "")]), (1006, [])])
  func `an end without a code, and one without a word`(
    code: Int,
    expected: [WebSocketPeer.Said]
  ) async throws {
    let end = WebSocketMessage(from: .server, closing: code, offset: .zero)
    try await ReplayServer.serving(Deck(Cassette([Self.chat([end])]))) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await expectEqual(peer.hearAll(), expected + [.end(.finished)])
    }
  }

  @Test(.enabled(if: PerMessageDeflate.isSupported))
  func `messages are compressed where they were and the client offers it`() async throws {
    let text = String(repeating: "again ", count: 500)
    var answer = Self.message(.server, text)
    answer.fragments = [10, 20]
    let interaction = Self.chat(
      [Self.message(.client, text), answer],
      [
        "Upgrade": "websocket", "Sec-WebSocket-Protocol": "v2.chat",
        "Sec-WebSocket-Extensions": "permessage-deflate; server_no_context_takeover",
        "Set-Cookie": "a=b",
      ]
    )
    let offer: HeaderFields = [
      "Sec-WebSocket-Protocol": "v1.chat, v2.chat",
      "Sec-WebSocket-Extensions": "permessage-deflate; client_no_context_takeover",
    ]
    var terms = PerMessageDeflate()
    terms.client.keepsContext = false
    try await ReplayServer.serving(Deck(Cassette([interaction]), then: .repeat)) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat", offer, deflate: terms)
      expectEqual(
        peer.head.components(separatedBy: "\r\n").dropFirst(4),
        [
          "Sec-WebSocket-Protocol: v2.chat",
          "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover",
          "Set-Cookie: a=b", "", "",
        ]
      )
      await peer.say(text)
      await expectEqual(peer.hear(1), [.text(text, frames: 2)])
      await peer.leave()
      let plain = try await WebSocketPeer(try server.client(), "/chat")
      #expect(!plain.head.contains("Sec-WebSocket-Extensions"))
      #expect(!plain.head.contains("Sec-WebSocket-Protocol"))
      await plain.say(text)
      await expectEqual(plain.hear(1), [.text(text, frames: 2)])
      await plain.leave()
    }
  }

  @Test(arguments: [
    ("GET /chat HTTP/1.1\r\nHost: x\r\n\r\n", 426, "The recording is a WebSocket"),
    (WebSocketPeer.wish("/chat").replacing("Version: 13", with: "Version: 12"), 426, "not 13"),
    (WebSocketPeer.wish("/chat").replacing("dGhlIH", with: ""), 400, "Sec-WebSocket-Key"),
    (WebSocketPeer.wish("/chat").replacing("Connection: Upgrade", with: "A: b"), 400, "Connection"),
    (WebSocketPeer.wish("/chat").replacing("HTTP/1.1", with: "HTTP/1.0"), 426, "WebSocket"),
  ])
  func `a handshake that breaks the rules is refused by name`(
    wish: String,
    status: Int,
    word: String
  ) async throws {
    let deck = Deck(Cassette([Self.small]))
    try await ReplayServer.serving(deck) { server in
      let (bytes, end) = try await server.client().all(after: wish)
      let heard = String(decoding: bytes, as: UTF8.self)
      #expect(heard.hasPrefix("HTTP/1.1 \(status) ") && heard.content.contains(word), "\(heard)")
      if status == 426 { #expect(heard.contains("Upgrade: websocket\r\n")) }
      expectEqual(end, .finished)
    }
    expectEqual(deck.arrivals.carriedCount, 0)
  }

  @Test(arguments: [
    (WebSocketFrame(.text, Data([0xFF])).encoded(masking: 1), 1007),
    (WebSocketFrame(.text, Data("a".utf8)).encoded(masking: nil), 1002),
    (Data([0x83, 0x80, 0, 0, 0, 0]), 1002), (Data([0x88, 0x81, 0, 0, 0, 0, 1]), 1002),
    (Data([0x81, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), 1009),
  ])
  func `a client that breaks a rule is told the code of it`(frame: Data, code: Int) async throws {
    try await ReplayServer.serving(Deck(Cassette([Self.small]))) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await peer.send(frame)
      let heard = await peer.hearAll()
      expectEqual(heard.first, .text("welcome", frames: 1))
      guard case .close(let told, let reason)? = heard.dropFirst().first else {
        Issue.record("\(heard)")
        return
      }
      #expect(told == code && reason.contains("RFC 6455") != (code == 1009), "\(reason)")
      expectEqual(heard.last, .end(.finished))
    }
  }

  @Test func `an injected status refuses the handshake, and a delay delays it`() async throws {
    let scenario: Scenario = [
      .on("GET /chat", .first(1), .status(503)),
      .on("GET /chat", .always, .delay(.exactly(.milliseconds(1)))),
    ]
    try await ReplayServer.serving(Deck(Cassette([Self.small]), scenario: scenario)) { server in
      let refused = try await WebSocketPeer(try server.client(), "/chat")
      expectEqual(refused.head.statusLine, "HTTP/1.1 503 Service Unavailable")
      await refused.leave()
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await expectEqual(peer.hear(1), [.text("welcome", frames: 1)])
      await peer.leave()
    }
  }

  @Test func `faults of a body are named as not done`() async throws {
    let faults: [Fault] = [
      .reset(afterBodyBytes: 3), .dribble(bytes: 1, every: .milliseconds(1)),
      .malformed(.garbage),
    ]
    let deck = Deck(
      Cassette([Self.small]),
      scenario: [.on("GET /chat", .always, faults[0], faults[1], faults[2])]
    )
    try await ReplayServer.serving(deck) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await expectEqual(peer.hear(1), [.text("welcome", frames: 1)])
      await peer.close(1000)
      _ = await peer.hearAll()
    }
    expectEqual(
      deck.journal.all.last?.misfits.prefix(3),
      faults.map {
        "\($0.json) was not done: the response is a WebSocket, which has no body."
      }[...]
    )
  }

  @Test func `a server that stops goes away`() async throws {
    try await ReplayServer.serving(Deck(Cassette([Self.small]))) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await expectEqual(peer.hear(1), [.text("welcome", frames: 1)])
      async let stopped: Void = server.stop(grace: .seconds(60))
      await expectEqual(peer.hearAll(), [.close(1001, "the server is stopped"), .end(.finished)])
      await stopped
    }
  }

  @Test func `a client that leaves without a word leaves nothing behind`() async throws {
    let deck = Deck(Cassette([Self.small]))
    try await ReplayServer.serving(deck) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      await expectEqual(peer.hear(1), [.text("welcome", frames: 1)])
      await peer.leave()
    }
    expectEqual(deck.arrivals.carriedCount, 0)
    expectEqual(
      deck.journal.all.last?.misfits,
      ["1 message waits for #2, which the client has not sent."]
    )
  }

  @Test func `what a client reads late comes whole and in order`() async throws {
    let texts = (0..<5000).map { "\($0) " + String(repeating: "x", count: 1000) }
    let end = WebSocketMessage(from: .server, closing: 1000, offset: .zero)
    let deck = Deck(Cassette([Self.chat(texts.map { Self.message(.server, $0) } + [end])]))
    try await ReplayServer.serving(deck) { server in
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      let other = try await WebSocketPeer(try server.client(), "/none")
      expectEqual(other.head.statusLine, "HTTP/1.1 501 Not Implemented")
      await other.leave()
      let heard = await peer.hearAll()
      expectEqual(heard, texts.map { .text($0, frames: 1) } + [.close(1000, ""), .end(.finished)])
    }
  }
}
