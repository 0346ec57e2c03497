import TestSupport

@testable import WindTunnel

/// All that a server sees of a conversation.
@Suite struct ConversationLogTests {
  private static func message(
    _ sender: WebSocketMessage.Sender,
    _ text: String
  ) -> WebSocketMessage {
    WebSocketMessage(from: sender, Body(text), isText: true, offset: .zero)
  }

  /// A welcome, a question with two answers, and one that nobody answers.
  private static func server(_ faults: [ConversationFault] = []) throws -> ConversationServer {
    let conversation = Conversation(
      [
        message(.server, "welcome"), message(.client, "a"), message(.server, "for a"),
        message(.server, "more for a"), message(.client, "b"),
      ],
      roundTrip: .zero
    )
    return try ConversationFaultTests.server(conversation, faults)
  }

  private static func say(
    _ frame: WebSocketFrame,
    to server: inout ConversationServer,
    at now: Int
  ) {
    frame.encoded(masking: 1).withUnsafeBytes { bytes in
      _ = server.receive(bytes, at: .milliseconds(now))
    }
  }

  private static func words(_ log: ConversationLog) -> [String] {
    log.messages.map { message in
      let number = message.number.map { " \($0)" } ?? ""
      let time = Int(message.at / .milliseconds(1))
      return "\(message.sender)\(number)\(message.asks ? "?" : "") at \(time)"
    }
  }

  @Test func `each logged message has its sender, its time and its number on the cassette`() throws
  {
    var server = try Self.server()
    _ = server.open(at: .milliseconds(1))
    expectEqual(server.seen.waiting, 2)
    Self.say(WebSocketFrame(.text, Data("a".utf8)), to: &server, at: 5)
    Self.say(WebSocketFrame(.text, Data("b".utf8)), to: &server, at: 7)
    expectEqual(
      Self.words(server.seen),
      ["server 1 at 1", "client 2? at 5", "server 3 at 5", "server 4 at 5", "client 5 at 7"]
    )
    #expect(server.seen.waiting == 0 && server.seen.ending == nil && server.seen.end == nil)
    Self.say(WebSocketFrame(.text, Data("c".utf8)), to: &server, at: 9)
    expectEqual(Self.words(server.seen).last, "client at 9")
    #expect(server.seen.ending == .server(1008) && server.seen.end == .milliseconds(9))
  }

  @Test func `pings are counted with the pongs that they got`() throws {
    var server = try Self.server()
    _ = server.open(at: .zero)
    Self.say(WebSocketFrame(.ping), to: &server, at: 2)
    #expect(server.seen.clientPings == 1 && server.seen.serverPongs == 1)
    expectNil(server.seen.unansweredSince)
    var deaf = try Self.server([.control(.noPong)])
    _ = deaf.open(at: .zero)
    Self.say(WebSocketFrame(.ping), to: &deaf, at: 2)
    Self.say(WebSocketFrame(.ping), to: &deaf, at: 3)
    #expect(deaf.seen.clientPings == 2 && deaf.seen.serverPongs == 0)
    expectEqual(deaf.seen.unansweredSince, .milliseconds(2))
    var late = try Self.server([.control(.latePong(.milliseconds(50)))])
    _ = late.open(at: .zero)
    Self.say(WebSocketFrame(.ping), to: &late, at: 2)
    expectEqual(late.seen.serverPongs, 0)
    _ = late.tick(at: .milliseconds(52))
    #expect(late.seen.serverPongs == 1 && late.seen.unansweredSince == nil)
  }

  @Test func `a pong answers its ping and those before it`() throws {
    var server = try Self.server([.control(.pingFlood)])
    _ = server.open(at: .zero)
    #expect(server.seen.serverPings == 1000 && server.seen.clientPongs == 0)
    Self.say(WebSocketFrame(.pong, Data("nobody asked".utf8)), to: &server, at: 1)
    expectEqual(server.seen.clientPongs, 0)
    Self.say(WebSocketFrame(.pong, Data("998".utf8)), to: &server, at: 1)
    expectEqual(server.seen.clientPongs, 999)
    Self.say(WebSocketFrame(.pong, Data("3".utf8)), to: &server, at: 1)
    expectEqual(server.seen.clientPongs, 999)
  }

  @Test func `a server that falls silent hears on, and answers nothing`() throws {
    var server = try Self.server([.end(.stall, before: 2)])
    _ = server.open(at: .zero)
    Self.say(WebSocketFrame(.text, Data("a".utf8)), to: &server, at: 5)
    #expect(server.seen.silentSince == .milliseconds(5) && server.seen.ending == nil)
    expectEqual(server.seen.waiting, 0)
    Self.say(WebSocketFrame(.ping), to: &server, at: 20)
    Self.say(WebSocketFrame(.text, Data("b".utf8)), to: &server, at: 30)
    #expect(server.seen.clientPings == 1 && server.seen.unansweredSince == .milliseconds(20))
    expectEqual(Self.words(server.seen).last, "client at 30")
    Self.say(WebSocketClose(1001).frame, to: &server, at: 40)
    #expect(server.seen.ending == .client(1001) && server.seen.end == .milliseconds(40))
  }

  @Test func `the end is that of the side that ended it first`() throws {
    func ended(
      _ faults: [ConversationFault] = [],
      _ end: (inout ConversationServer) -> Void = { _ in }
    ) throws -> ConversationLog.ConversationEnd? {
      var server = try Self.server(faults)
      _ = server.open(at: .zero)
      end(&server)
      server.left(at: .seconds(1))
      return server.seen.ending
    }
    try expectEqual(ended(), .clientLeft)
    try expectEqual(ended { Self.say(WebSocketClose(nil).frame, to: &$0, at: 1) }, .client(1005))
    try expectEqual(ended { _ = $0.clientEnded(at: .zero) }, .clientLeft)
    try expectEqual(ended { _ = $0.goAway(at: .zero) }, .stopped)
    try expectEqual(ended([.end(.reset, before: 1)]), .serverLeft)
    try expectEqual(ended([.end(.close, before: 1)]), .serverLeft)
    try expectEqual(ended([.end(.frame(1012), before: 1)]), .server(1012))
    try expectEqual(ended([.end(.oneByteFrame, before: 1)]), .server(1005))
  }

  @Test func `what the server sent is known again by its digest`() throws {
    var server = try Self.server([.message(.swap, 2), .message(.duplicate, 1)])
    _ = server.open(at: .zero)
    Self.say(WebSocketFrame(.text, Data("a".utf8)), to: &server, at: 5)
    let digests = server.seen.messages.map(\.digest)
    let said = ["welcome", "welcome", nil, "more for a", "for a"].map { text in
      text.map { ConversationLog.digest(of: Data($0.utf8)) }
    }
    expectEqual(digests, said)
    expectEqual(server.seen.messages.map(\.number), [1, 1, 2, 4, 3])
    // The first eight bytes of SHA-256 (FIPS 180-4, "abc").
    expectEqual(ConversationLog.digest(of: Data("abc".utf8)), 0xba78_16bf_8f01_cfea)
  }

  @Test func `a reply to a heartbeat has no digest, since nobody misses it`() throws {
    let beats = (0..<3).flatMap { _ in
      [Self.message(.client, "ping"), Self.message(.server, "pong")]
    }
    var player = ConversationPlayer(Conversation(beats, roundTrip: .zero), pace: .immediately)
    _ = player.next(.opened, at: .zero)
    expectEqual(
      (1...6).map { player.answersHeartbeat($0) },
      [false, true, false, true, false, true]
    )
  }

  @Test func `what is sent twice, not at all or behind the next one is seen as it is sent`() throws
  {
    func count(_ change: ConversationFault.Change) throws -> Int {
      var server = try Self.server([.message(change, 1)])
      _ = server.open(at: .zero)
      return server.seen.messages.count
    }
    try expectEqual(count(.duplicate), 2)
    try expectEqual(count(.drop), 0)
    try expectEqual(count(.swap), 0)
  }

  @Test func `of very many messages the first are kept, and the rest is counted`() {
    var log = ConversationLog()
    for _ in 0..<(ConversationLog.messagesMax + 3) { log.note(.init(from: .server, at: .zero)) }
    #expect(log.messages.count == ConversationLog.messagesMax && log.further == 3)
  }
}
