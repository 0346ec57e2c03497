import TestSupport

@testable import WindTunnel

/// The bytes and the end that each failure of a conversation comes to.
@Suite struct ConversationFaultTests {
  private static let request = Request(
    "GET",
    "/chat",
    headers: [
      "Host": "x", "Connection": "Upgrade", "Upgrade": "websocket",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13",
    ]
  )
  static let (one, two, three) = (text("1"), text("ä"), text("3"))

  private static func text(_ text: String) -> [UInt8] {
    [0x81, UInt8(text.utf8.count)] + text.utf8
  }

  /// Three messages, and what a client sends that wants them.
  private static func server(_ faults: [ConversationFault]) throws -> ConversationServer {
    try server(
      Conversation(["1", "ä", "3"].map { said(.server, 0, $0) }, roundTrip: .zero),
      faults
    )
  }

  static func server(
    _ conversation: Conversation,
    _ faults: [ConversationFault]
  ) throws -> ConversationServer {
    try ConversationServer(
      answering: request,
      "HTTP/1.1",
      as: ResponseHead(status: 101, headers: [:]),
      ConversationPlayer(conversation, pace: .immediately),
      faults,
      most: 1 << 20
    )
  }

  private static func bytes(_ actions: [ConversationServer.Action]) -> [UInt8] {
    actions.flatMap { action -> [UInt8] in
      if case .bytes(let data) = action { Array(data) } else { [] }
    }
  }

  private static func ends(_ actions: [ConversationServer.Action]) -> [ConversationServer.Action] {
    actions.filter { if case .bytes = $0 { false } else { true } }
  }

  typealias Case = (fault: ConversationFault, bytes: [UInt8], ends: [String])

  /// What comes of each failure, here and on the way of a live conversation: its bytes, and the
  /// names of the ends behind them.
  static let shared: [Case] = [
    (.end(.reset, before: 1), [], ["reset"]), (.end(.reset, before: 3), one + two, ["reset"]),
    (.end(.close, before: 2), one, ["close"]), (.end(.stall, before: 2), one, ["stall"]),
    (.end(.frame(1012), before: 2), one + [0x88, 2, 0x03, 0xF4], ["close"]),
    (.end(.frame(1006), before: 2), one + [0x88, 2, 0x03, 0xEE], ["close"]),
    (.end(.oneByteFrame, before: 2), one + [0x88, 1, 3], ["close"]),
    (.end(.close, before: 4), one + two + three, []),
    (.form(.masked, of: 1), [0x81, 0x81, 1, 2, 3, 4, 0x30] + two + three, []),
    (.form(.reservedBit, of: 1), [0xA1, 1, 0x31] + two + three, []),
    (.form(.reservedOpcode, of: 1), [0x83, 1, 0x31] + two + three, []),
    (.form(.longLength, of: 1), [0x81, 127, 0, 0, 0, 0, 0, 0, 0, 1, 0x31] + two + three, []),
    (
      .form(.hugeLength, of: 1),
      [0x81, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255, 0x31] + two + three, []
    ),
    (
      .form(.fragmentedPing, of: 2),
      one + [0x09, 2] + Array("pi".utf8) + [0x80, 2] + Array("ng".utf8) + two + three, []
    ),
    (.form(.invalidUTF8, of: 1), [0x81, 2, 0x31, 0xFF] + two + three, []),
    (.form(.fragmented, of: 2), one + [0x01, 1, 0xC3, 0x80, 1, 0xA4] + three, []),
    (.message(.duplicate, 2), one + two + two + three, []),
    (.message(.drop, 2), one + three, []), (.message(.swap, 1), two + one + three, []),
    (.message(.swap, 3), one + two, []),
  ]

  private static let own: [Case] = [
    (.end(.frame(999), before: 2), one + [0x88, 2, 0x03, 0xE7], ["close"]),
    (.end(.frame(5000), before: 2), one + [0x88, 2, 0x13, 0x88], ["close"]),
  ]
  private static let cases = shared + own

  @Test(arguments: 0..<cases.count)
  func `a failure is these bytes and this end`(number: Int) throws {
    let (fault, bytes, ends) = Self.cases[number]
    var server = try Self.server([fault])
    let actions = server.open(at: .zero)
    expectEqual(Self.bytes(actions), bytes, "\(fault)")
    expectEqual(Self.ends(actions).map { "\($0)" }, ends, "\(fault)")
    expectEqual(server.isOver, !ends.isEmpty)
    if server.isOver {
      let frame = WebSocketFrame(.ping).encoded(masking: 1)
      expectEqual(frame.withUnsafeBytes { server.receive($0, at: .zero) }, [])
      #expect(server.tick(at: .seconds(1)).isEmpty)
    }
  }

  @Test func `a message that is held back comes in front of the end`() throws {
    var server = try Self.server([.message(.swap, 3)])
    _ = server.open(at: .zero)
    let close = WebSocketClose(1000).frame.encoded(masking: 1)
    let actions = close.withUnsafeBytes { server.receive($0, at: .zero) }
    expectEqual(Self.bytes(actions), Self.three + [0x88, 2, 0x03, 0xE8])
  }

  @Test func `a late message holds up all behind it`() throws {
    var server = try Self.server([.message(.late(.milliseconds(50)), 2)])
    let actions = server.open(at: .zero)
    expectEqual(Self.bytes(actions), Self.one)
    expectEqual(actions.last, .wake(.milliseconds(50)))
    #expect(Self.bytes(server.tick(at: .milliseconds(49))).isEmpty)
    expectEqual(Self.bytes(server.tick(at: .milliseconds(50))), Self.two + Self.three)
  }

  @Test func `pings are answered, late, or not at all`() throws {
    let ping = WebSocketFrame(.ping, Data("p".utf8)).encoded(masking: 1)
    let pong: [UInt8] = [0x8A, 1, 0x70]
    var plain = try Self.server([])
    _ = plain.open(at: .zero)
    expectEqual(Self.bytes(ping.withUnsafeBytes { plain.receive($0, at: .zero) }), pong)
    var silent = try Self.server([.control(.noPong)])
    _ = silent.open(at: .zero)
    expectEqual(ping.withUnsafeBytes { silent.receive($0, at: .zero) }, [])
    var late = try Self.server([.control(.latePong(.milliseconds(30)))])
    _ = late.open(at: .zero)
    let both = ping + ping
    expectEqual(Self.bytes(both.withUnsafeBytes { late.receive($0, at: .milliseconds(5)) }), [])
    expectEqual(Self.bytes(late.tick(at: .milliseconds(34))), [])
    expectEqual(Self.bytes(late.tick(at: .milliseconds(35))), pong + pong)
  }

  @Test func `behind an end no time comes, and a client that leaves is let go`() throws {
    var late = try Self.server([.control(.latePong(.milliseconds(30)))])
    _ = late.open(at: .zero)
    let ping = WebSocketFrame(.ping, Data("p".utf8)).encoded(masking: 1)
    let close = WebSocketClose(1000).frame.encoded(masking: 1)
    _ = (ping + close).withUnsafeBytes { late.receive($0, at: .zero) }
    let isOver = late.isOver
    #expect(isOver)
    // A wake in the past would come again for ever.
    expectEqual(late.tick(at: .milliseconds(30)), [])
    var stalled = try Self.server([.end(.stall, before: 1)])
    expectEqual(stalled.open(at: .zero), [.stall])
    expectEqual(stalled.clientEnded(at: .zero), [.close])
  }

  @Test func `a conversation fault that could not fire is reported as not applied`() throws {
    var server = try Self.server([.end(.reset, before: 9), .form(.masked, of: 1)])
    _ = server.open(at: .zero)
    let (left, undone, head) = (server.left, server.undone.map(\.description), server.head)
    expectEqual(left, [])
    expectEqual(undone, [#"{"webSocket":"reset","message":9} was not done: 3 messages were sent."#])
    expectNil(head.headers["Sec-WebSocket-Extensions"])
  }

  @Test func `a flood of pings comes first, and a close may go unanswered`() throws {
    var flood = try Self.server([.control(.pingFlood)])
    let bytes = Self.bytes(flood.open(at: .zero))
    #expect(bytes.starts(with: [0x89, 1, 0x30, 0x89, 1, 0x31]))
    #expect(bytes.suffix(3 + 4 + 3).elementsEqual(Self.one + Self.two + Self.three))
    var reader = WebSocketReader(from: .server)
    var pings = 0
    try bytes.withUnsafeBytes { try reader.read($0) { if case .ping = $0 { pings += 1 } } }
    expectEqual(pings, 1000)
    var mute = try Self.server([.control(.unansweredClose)])
    _ = mute.open(at: .zero)
    let close = WebSocketClose(1000).frame.encoded(masking: 1)
    expectEqual(close.withUnsafeBytes { mute.receive($0, at: .zero) }, [.stall])
  }

  @Test func `a handshake proves another key, or has what nobody asked for`() throws {
    let plain = try Self.server([]).head
    expectEqual(plain.headers["Sec-WebSocket-Accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    let wrong = try Self.server([.handshake(.wrongAccept)]).head
    #expect(wrong.headers["Sec-WebSocket-Accept"] != plain.headers["Sec-WebSocket-Accept"])
    for fault in ConversationFault.Handshake.allCases {
      let head = try Self.server([.handshake(fault)]).head
      expectEqual(head.status, 101)
      #expect(throws: WebSocketHandshake.Failure.self) {
        try WebSocketHandshake.terms(of: head, answering: Self.request.headers)
      }
    }
  }

  @Test(
    arguments: FaultKind.all.filter { if case .conversation = $0.fault { true } else { false } }
  )
  func `a kind comes back from its JSON, and takes the wire`(kind: FaultKind) throws {
    let text = String(decoding: kind.fault.json.bytes(), as: UTF8.self)
    let scenario = try Scenario(
      json:
        #"{"windtunnelScenario":1,"name":"one","rules":[{"when":{"first":1},"faults":[\#(text)]}]}"#
    )
    expectEqual(scenario.rules.map(\.faults), [[kind.fault]])
    expectEqual(kind.fault.ability(lackingOn: .inProcess), .conversations)
    expectNil(kind.fault.ability(lackingOn: .onTheWire))
  }
}
