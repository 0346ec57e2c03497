import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelHTTP
@testable import WindTunnelServer
@testable import WindTunnelWire

/// WebSockets over HTTP/2 (RFC 8441), which are played as over HTTP/1.1.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct HTTP2WebSocketTests {
  private static func deck(
    _ faults: [Fault] = [],
    link: Link? = nil,
    _ texts: [String] = ["welcome"],
    observe: @escaping @Sendable (ExchangeEvent) -> Void = { _ in }
  ) -> Deck {
    let goodbye: [WebSocketMessage] = [
      ReplayedConversationTests.message(.client, "bye"),
      WebSocketMessage(from: .server, closing: 1000, offset: .zero),
    ]
    let messages = texts.map { ReplayedConversationTests.message(.server, $0) }
    var rules: [FaultRule] = [.on("GET /large", .always, .reset(afterBodyBytes: 4))]
    if !faults.isEmpty { rules.append(.on("GET /chat", .always, faults)) }
    return Deck(
      Cassette([
        ReplayedConversationTests.chat(messages + goodbye, ["X-Room": "7"]),
        Interaction(Request("GET", "/a"), Response(body: Body("a"))),
        Interaction(Request("GET", "/large"), Response(body: Body("0123456789"))),
      ]),
      scenario: Scenario("one", link: link, rules: rules),
      options: PlaybackOptions(then: .repeat),
      observe: observe
    )
  }

  private static func masked(_ frames: [WebSocketFrame]) -> [UInt8] {
    frames.flatMap { Array($0.encoded(masking: 0x0A0B_0C0D)) }
  }

  private static let bye = masked([WebSocketFrame(.text, Data("bye".utf8))])
  /// A frame of a server, as the client spells it.
  private static func spelled(_ code: UInt8, _ content: [UInt8]) -> String {
    "1 =" + String(decoding: [code, UInt8(content.count)] + content, as: UTF8.self)
  }
  private static let welcome = spelled(0x81, Array("welcome".utf8))

  /// A neighbour's request is still served.
  private static func expectNeighbour(_ client: FrameClient, on stream: Int) async {
    await client.ask("/a", on: stream)
    let words = await client.receive(until: "\(stream) end")
    expectEqual(words.filter { $0.hasPrefix("\(stream) ") }.last, "\(stream) end")
    expectEqual(client.content[stream], Array("a".utf8))
  }

  @Test func `a conversation is a stream, beside others`() async throws {
    let deck = Self.deck()
    try await HTTP2ServerTests.serving(deck) { client, _ in
      await client.connect("/chat", on: 1)
      await expectEqual(client.receive(until: Self.welcome), ["1 200", Self.welcome])
      await Self.expectNeighbour(client, on: 3)
      await client.send(Self.bye, on: 1)
      let close = Self.spelled(0x88, [0x03, 0xE8])
      await expectEqual(client.receive(until: "1 end"), [close, "1 end"])
      await client.send([], on: 1, isLast: true)
      await Self.expectNeighbour(client, on: 5)
    }
    expectEqual(deck.journal.all.map(\.misfits), [[], [], []])
    let request = try #require(deck.requests().first)
    expectEqual("\(request.method) \(request.url.path)", "GET /chat")
    expectEqual(request.connection?.isHTTP2, true)
  }

  /// The bytes of one conversation, and whether it was reset: over HTTP/1.1, and on a stream.
  private static func seen(
    _ fault: ConversationFault,
    at server: ReplayServer,
    isHTTP2: Bool
  ) async throws -> ([UInt8], Bool) {
    var said = masked([WebSocketFrame(.ping, Data("x".utf8))]) + bye
    said += masked([WebSocketClose(1000, "").frame])
    // Bytes to a socket that was reset fail, and the reading of it then does not.
    if case .end(.reset, _) = fault { said = [] }
    if isHTTP2 {
      let client = try await FrameClient(to: .loopback(port: server.port))
      await client.connect("/chat", on: 1)
      await client.send(said, on: 1, isLast: true)
      let words = await client.receive(until: "1 end", "1 reset cancel")
      await expectNeighbour(client, on: 3)
      client.raw.close()
      return (client.content[1] ?? [], words.contains("1 reset cancel"))
    }
    let client = try server.client()
    await client.send(WebSocketPeer.wish("/chat"))
    await client.send(said)
    client.socket.finishWriting()
    let (bytes, end) = await client.finish()
    let separator = Array("\r\n\r\n".utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: separator) } ?? bytes.endIndex
    return (Array(bytes[start...].dropFirst(4)), end == .reset)
  }

  /// All faults of conversations. The end of each one comes before a late message or pong.
  private static let faults = FaultKind.all.compactMap { kind -> ConversationFault? in
    switch kind.fault {
    case .conversation(.message(.late, let number)): .message(.late(.seconds(3600)), number)
    case .conversation(.control(.latePong)): .control(.latePong(.seconds(3600)))
    case .conversation(let fault): fault
    default: nil
    }
  }

  private static let slow = Link.Direction(delay: .milliseconds(5))

  @Test(arguments: [nil, Link(up: slow, down: slow)])
  func `each fault is that of HTTP/1.1`(link: Link?) async throws {
    for fault in Self.faults {
      let undone = Locked<[String]>([])
      let deck = Self.deck([.conversation(fault)], link: link, ["one", "n\u{E4}chste"]) { event in
        if case .undone(_, let faults) = event { undone.withLock { $0 += faults.map(\.reason) } }
      }
      try await ReplayServer.serving(deck, .patient) { server in
        let old = try await Self.seen(fault, at: server, isHTTP2: false)
        let before = undone.withLock { $0 }
        let new = try await Self.seen(fault, at: server, isHTTP2: true)
        #expect(new == old, "\(fault)")
        let key = ["a handshake of HTTP/2 has no Sec-WebSocket-Accept"]
        let all = before + before + (fault == .handshake(.wrongAccept) ? key : [])
        expectEqual(undone.withLock { $0 }, all, "\(fault)")
      }
    }
  }

  @Test func `messages wait for the windows of both sides`() async throws {
    let long = String(repeating: "x", count: 300_000)
    let deck = Self.deck([], [long])
    try await HTTP2ServerTests.serving(deck, window: 10) { client, _ in
      await client.connect("/chat", on: 1)
      // The bytes that come before the response wait; the message is that of no recording.
      let said = WebSocketFrame(.text, Data(repeating: 97, count: 700_000))
      let bytes = Self.masked([said])
      await client.send(Array(bytes.prefix(200_000)), on: 1)
      _ = await client.receive(until: "1 200")
      await Self.expectNeighbour(client, on: 3)
      expectEqual(client.content[1]?.count, 10)
      await client.send { $0.appendWindowUpdate(1_000_000, on: 1) }
      await client.send { $0.appendWindowUpdate(1_000_000, on: 0) }
      await Self.expectNeighbour(client, on: 5)
      await client.send(Array(bytes.dropFirst(200_000)), on: 1)
      _ = await client.receive(until: "1 end")
      let frame = [0x81, 127, 0, 0, 0, 0, 0, 4, 0x93, 0xE0] + Array(long.utf8)
      #expect(client.content[1]?.starts(with: frame) == true)
      // The code 1008 follows: the message is not on the cassette.
      expectEqual(client.content[1]?.dropFirst(frame.count).prefix(1), [0x88])
    }
    expectEqual(deck.mismatches.count, 1)
  }

  @Test func `a request that is no handshake is refused on its stream`() async throws {
    try await HTTP2ServerTests.serving(Self.deck()) { client, _ in
      await client.connect("/chat", on: 1, version: "12")
      await expectEqual(client.receive(until: "1 reset noError").first, "1 426")
      await client.ask("/chat", on: 3)
      await expectEqual(client.receive(until: "3 end").first, "3 426")
      await client.connect("/a", on: 5)
      await expectEqual(client.receive(until: "5 reset http11Required").count, 1)
      await client.connect("/none", on: 7)
      await expectEqual(client.receive(until: "7 reset noError").first, "7 501")
      await client.connect("/chat", on: 11, isWhole: true)
      await expectEqual(client.receive(until: "11 end").first, "11 400")
      await Self.expectNeighbour(client, on: 13)
    }
  }

  @Test(arguments: [false, true])
  func `a reset on a link is reported although the server stops`(leaves: Bool) async throws {
    let slow = Link.Direction(delay: .milliseconds(150))
    for grace in [Duration.zero, .seconds(40)] {
      let logs = Events<ConversationLog>()
      let deck = Self.deck(link: Link(up: slow, down: slow)) { event in
        if case .conversed(_, let log) = event { logs(log) }
      }
      let server = try await ReplayServer(deck, .patient)
      let client = try await FrameClient(to: .loopback(port: server.port))
      await client.connect("/chat", on: 1)
      _ = await client.receive(until: Self.welcome)
      await client.send(Self.bye, on: 1)
      await client.send { $0.appendReset(.cancel, on: 1) }
      if leaves { client.raw.close() }
      await server.stop(grace: grace)
      let end = try #require(await logs.first(2).last?.ending)
      // The stop comes before, between or behind the message and the reset.
      #expect([.stopped, .clientLeft, .server(1000)].contains(end))
      if !leaves { client.raw.close() }
    }
  }

  @Test func `a conversation ends as its client, its server or a neighbour does`() async throws {
    let close = Self.spelled(0x88, [0x03, 0xE9] + Array("the server is stopped".utf8))
    let stopped = ["goaway 2147483647 noError", close, "1 end", "goaway 1 noError"]
    let rows: [(name: String, end: ConversationLog.ConversationEnd, words: [String])] = [
      ("reset", .clientLeft, []), ("finish", .clientLeft, []), ("leave", .clientLeft, []),
      ("neighbour", .serverLeft, ["3 200", "3 =0123"]), ("stop", .stopped, stopped),
    ]
    for row in rows {
      let logs = Events<ConversationLog>()
      let deck = Self.deck { if case .conversed(_, let log) = $0 { logs(log) } }
      let server = try await ReplayServer(deck, .patient)
      let client = try await FrameClient(to: .loopback(port: server.port))
      await client.connect("/chat", on: 1)
      _ = await client.receive(until: Self.welcome)
      async let stop: Void? = row.name == "stop" ? server.stop(grace: .seconds(40)) : nil
      switch row.name {
      case "reset": await client.send { $0.appendReset(.cancel, on: 1) }
      case "finish":
        await client.send([], on: 1, isLast: true)
        _ = await client.receive(until: "1 end")
      case "neighbour": await client.ask("/large", on: 3)
      case "leave": client.raw.socket.finishWriting()
      default: break
      }
      if ["reset", "finish"].contains(row.name) {
        await Self.expectNeighbour(client, on: 3)
      } else if row.name != "leave" {
        await expectEqual(client.receiveAll().words, row.words, "\(row.name)")
      }
      await expectEqual(logs.first(2).map(\.ending), [nil, row.end], "\(row.name)")
      await stop
      client.raw.close()
      await server.stop()
    }
  }
}
