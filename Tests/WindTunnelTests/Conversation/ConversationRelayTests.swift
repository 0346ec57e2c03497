import TestSupport

@testable import WindTunnel

/// The bytes that each side of a live conversation gets of what the other one sends.
@Suite struct ConversationRelayTests {
  private static let (one, two, three) = (
    ConversationFaultTests.one, ConversationFaultTests.two, ConversationFaultTests.three
  )

  private typealias Action = ConversationRelay.Action

  /// Feeds pieces of so many bytes, and returns what comes of it, pieces for a side joined.
  private static func fed(
    _ relay: inout ConversationRelay,
    _ bytes: [UInt8],
    from side: WebSocketRole,
    by size: Int = .max,
    at now: Duration = .zero
  ) -> [Action] {
    var actions: [Action] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      actions += piece.withUnsafeBytes { relay.receive($0, from: side, at: now) }
    }
    return joined(actions)
  }

  private static func joined(_ actions: [Action]) -> [Action] {
    actions.reduce(into: []) { all, action in
      if case .bytes(let more, let side) = action, case .bytes(let before, side)? = all.last {
        all[all.count - 1] = .bytes(before + more, to: side)
      } else {
        all.append(action)
      }
    }
  }

  private static func down(_ bytes: [UInt8]) -> [Action] {
    bytes.isEmpty ? [] : [.bytes(Data(bytes), to: .client)]
  }

  private static let own: [ConversationFaultTests.Case] = [
    (.handshake(.wrongAccept), one + two + three, [])
  ]
  private static let cases = ConversationFaultTests.shared + own

  @Test(arguments: 0..<cases.count, [1, 3, Int.max])
  func `a failure is these bytes and this end, whatever pieces they come in`(
    number: Int,
    size: Int
  ) {
    let (fault, bytes, ends) = Self.cases[number]
    var relay = ConversationRelay([fault], most: 1 << 20)
    let actions = Self.fed(&relay, Self.one + Self.two + Self.three, from: .server, by: size)
    let end = [Action.reset, .close, .stall].filter { ends.contains("\($0)") }
    expectEqual(actions, Self.down(bytes) + end, "\(fault)")
    expectEqual(relay.isOver, !ends.isEmpty)
    if relay.isOver {
      #expect(Self.fed(&relay, Self.one, from: .server).isEmpty)
      #expect(Self.fed(&relay, Self.one, from: .client).isEmpty)
      #expect(relay.tick(at: .seconds(1)).isEmpty)
      #expect(relay.ended(.server, at: .zero).isEmpty)
      expectEqual(relay.ended(.client, at: .zero), [.close])
    }
  }

  @Test(arguments: [1, 2, Int.max])
  func `what no fault is about passes byte by byte, forbidden or not`(size: Int) {
    // A message in three frames with a ping between, a masked one, a reserved opcode, a compressed
    // one, a control frame that is too long, a length in more bytes than it needs.
    let frames: [[UInt8]] = [
      [0x01, 1, 0x61, 0x00, 0, 0x89, 1, 0x70, 0x80, 1, 0x62], [0x81, 0x81, 1, 2, 3, 4, 0x30],
      [0x83, 1, 9], [0xC1, 3, 7, 7, 7], [0x8A, 126, 0, 126], [UInt8](repeating: 1, count: 126),
      [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 1, 0x31],
    ]
    let strange = Array(frames.joined())
    let faults: [ConversationFault] = [
      .control(.noPong), .message(.drop, 9), .control(.pingFlood), .control(.unansweredClose),
    ]
    var relay = ConversationRelay(faults, most: 1 << 20)
    expectEqual(Self.fed(&relay, strange, from: .server, by: size), Self.down(strange))
    expectEqual(
      Self.fed(&relay, strange, from: .client, by: size),
      [.bytes(Data(strange), to: .server)]
    )
    expectEqual(
      relay.undone.map(\.description),
      [#"{"webSocket":"drop","message":9} was not done: 4 messages were sent."#]
    )
  }

  @Test(arguments: [1, 2, Int.max])
  func `a changed message is that of all its frames, and a ping between them passes`(size: Int) {
    let split: [UInt8] = [0x01, 1, 0x61, 0x89, 1, 0x70, 0x80, 1, 0x62]
    var twice = ConversationRelay([.message(.duplicate, 1)], most: 1 << 20)
    let message: [UInt8] = [0x01, 1, 0x61, 0x80, 1, 0x62]
    expectEqual(
      Self.fed(&twice, split + Self.two, from: .server, by: size),
      Self.down([0x89, 1, 0x70] + message + message + Self.two)
    )
    var masked = ConversationRelay([.form(.fragmented, of: 1)], most: 1 << 20)
    expectEqual(
      Self.fed(&masked, [0x81, 0x82, 1, 2, 3, 4, 0x60, 0x60], from: .server, by: size),
      Self.down([0x01, 1, 0x61, 0x80, 1, 0x62])
    )
  }

  @Test func `a message that is held back comes in front of the last word, or of the end`() {
    var closed = ConversationRelay([.message(.swap, 1)], most: 1 << 20)
    let close: [UInt8] = [0x88, 2, 0x03, 0xE8]
    expectEqual(Self.fed(&closed, Self.one + close, from: .server), Self.down(Self.one + close))
    var ended = ConversationRelay([.message(.swap, 1)], most: 1 << 20)
    expectEqual(Self.fed(&ended, Self.one, from: .server), [])
    expectEqual(ended.ended(.server, at: .zero), Self.down(Self.one) + [.end(to: .client)])
  }

  @Test func `a late message holds up all behind it, the end included`() {
    let late = ConversationFault.message(.late(.milliseconds(50)), 2)
    var relay = ConversationRelay([late, .message(.duplicate, 3)], most: 1 << 20)
    expectEqual(
      Self.fed(&relay, Self.one + Self.two, from: .server),
      Self.down(Self.one) + [.wake(.milliseconds(50))]
    )
    #expect(relay.isPaused)
    expectEqual(Self.fed(&relay, Self.three, from: .server, by: 1), [])
    expectEqual(relay.ended(.server, at: .zero), [])
    // The client's side goes on.
    expectEqual(Self.fed(&relay, Self.one, from: .client), [.bytes(Data(Self.one), to: .server)])
    expectEqual(relay.tick(at: .milliseconds(49)), [.wake(.milliseconds(50))])
    expectEqual(
      relay.tick(at: .milliseconds(50)),
      Self.down(Self.two + Self.three + Self.three) + [.end(to: .client)]
    )
    #expect(!relay.isPaused && relay.undone == [])
  }

  @Test func `pongs are dropped, or come late and between two frames`() {
    let pong: [UInt8] = [0x8A, 1, 0x70]
    var silent = ConversationRelay([.control(.noPong)], most: 1 << 20)
    expectEqual(
      Self.fed(&silent, Self.one + pong + Self.two, from: .server, by: 1),
      Self.down(Self.one + Self.two)
    )
    var late = ConversationRelay([.control(.latePong(.milliseconds(30)))], most: 1 << 20)
    expectEqual(
      Self.fed(&late, pong + Self.one, from: .server, at: .milliseconds(5)).first,
      .wake(.milliseconds(35))
    )
    expectEqual(late.tick(at: .milliseconds(34)), [.wake(.milliseconds(35))])
    // A frame is under way.
    expectEqual(
      Self.fed(&late, Array(Self.two.prefix(3)), from: .server, at: .milliseconds(34)),
      Self.down(Array(Self.two.prefix(3)))
    )
    expectEqual(late.tick(at: .milliseconds(35)), [])
    expectEqual(
      Self.fed(&late, Array(Self.two.suffix(1)), from: .server, at: .milliseconds(36)),
      Self.down(Array(Self.two.suffix(1)) + pong)
    )
  }

  @Test func `the answers to a flood of pings are not passed on, and other pongs are`() {
    var relay = ConversationRelay([.control(.pingFlood)], most: 1 << 20)
    guard case .bytes(let pings, to: .client)? = relay.open().first else {
      Issue.record("no pings")
      return
    }
    #expect(pings.starts(with: [0x89, 1, 0x30, 0x89, 1, 0x31]))
    func pong(_ text: String) -> [UInt8] {
      Array(WebSocketFrame(.pong, Data(text.utf8)).encoded(masking: 0x0102_0304))
    }
    let message = Array(WebSocketFrame(.text, Data("a".utf8)).encoded(masking: 7))
    expectEqual(
      Self.fed(
        &relay,
        pong("0") + message + pong("999") + pong("1000") + pong("x"),
        from: .client,
        by: 1
      ),
      [.bytes(Data(message + pong("1000") + pong("x")), to: .server)]
    )
    // A number that is answered is open no more, and one in another spelling never was.
    let real = pong("0") + pong("+1") + pong("01") + pong("")
    expectEqual(Self.fed(&relay, real, from: .client), [.bytes(Data(real), to: .server)])
    expectEqual(Self.fed(&relay, pong("1"), from: .client), [])
  }

  @Test func `a close reaches the server, and its answer does not come back`() {
    let close = Array(WebSocketClose(1000).frame.encoded(masking: 9))
    for isWordless in [false, true] {
      var relay = ConversationRelay([.control(.unansweredClose)], most: 1 << 20)
      expectEqual(Self.fed(&relay, close, from: .client, by: 1), [.bytes(Data(close), to: .server)])
      // It had that under way.
      expectEqual(Self.fed(&relay, Self.one, from: .server), Self.down(Self.one))
      let end =
        isWordless
        ? relay.ended(.server, at: .zero)
        : Self.fed(&relay, [0x88, 2, 0x03, 0xE8], from: .server)
      expectEqual(end, [.stall])
      #expect(relay.isOver)
      expectEqual(relay.ended(.client, at: .zero), [.close])
    }
    var left = ConversationRelay([.end(.stall, before: 1)], most: 1 << 20)
    expectEqual(left.ended(.client, at: .zero), [.end(to: .server)])
    expectEqual(Self.fed(&left, Self.one, from: .server), [.close])
    var own = ConversationRelay([.control(.unansweredClose)], most: 1 << 20)
    expectEqual(Self.fed(&own, [0x88, 0], from: .server), Self.down([0x88, 0]))
    expectEqual(Self.fed(&own, close, from: .client), [.bytes(Data(close), to: .server)])
    expectEqual(own.ended(.server, at: .zero), [.end(to: .client)])
    #expect(!own.isOver)
  }

  @Test func `an answer to a close that is held back is read to its end, in whatever pieces`() {
    let close = Array(WebSocketClose(1000).frame.encoded(masking: 9))
    var relay = ConversationRelay([.control(.unansweredClose)], most: 1 << 20)
    _ = Self.fed(&relay, close, from: .client)
    expectEqual(Self.fed(&relay, [0x88, 2, 0x03], from: .server, by: 1), [])
    #expect(!relay.isOver)
    expectEqual(Self.fed(&relay, [0xE8], from: .server), [.stall])
    var cut = ConversationRelay([.control(.unansweredClose)], most: 1 << 20)
    _ = Self.fed(&cut, close, from: .client)
    expectEqual(Self.fed(&cut, [0x88, 2], from: .server), [])
    expectEqual(cut.ended(.server, at: .zero), [.stall])
  }

  @Test func `nothing comes behind the last word, a late pong neither`() {
    let fault = ConversationFault.control(.latePong(.milliseconds(30)))
    var relay = ConversationRelay([fault], most: 1 << 20)
    let pong: [UInt8] = [0x8A, 1, 0x70]
    expectEqual(Self.fed(&relay, pong, from: .server).first, .wake(.milliseconds(30)))
    expectEqual(Self.fed(&relay, [0x88, 0], from: .server), Self.down([0x88, 0]))
    expectEqual(relay.tick(at: .milliseconds(30)), [])
  }

  @Test func `an end of the server's is one, however often it is told`() {
    var relay = ConversationRelay([.control(.unansweredClose)], most: 1 << 20)
    expectEqual(relay.ended(.server, at: .zero), [.end(to: .client)])
    let close = Array(WebSocketClose(1000).frame.encoded(masking: 9))
    expectEqual(Self.fed(&relay, close, from: .client), [.bytes(Data(close), to: .server)])
    expectEqual(relay.ended(.server, at: .zero), [])
    #expect(!relay.isOver)
  }

  @Test(arguments: [1, Int.max])
  func `a changed message that does not come whole passes as far as it came`(size: Int) {
    let sentence =
      #"{"webSocket":"duplicate"} was not done: the message is incomplete."#
    // Within a frame, and between two.
    for part: [UInt8] in [[0x81, 5, 0x61, 0x62], [0x01, 1, 0x61]] {
      var ended = ConversationRelay([.message(.duplicate, 1)], most: 1 << 20)
      expectEqual(Self.fed(&ended, part, from: .server, by: size), [])
      expectEqual(ended.undone.map(\.description), [sentence])
      expectEqual(ended.ended(.server, at: .zero), Self.down(part) + [.end(to: .client)])
      expectEqual(ended.undone.map(\.description), [sentence])
    }
    let (first, close): ([UInt8], [UInt8]) = ([0x01, 1, 0x61], [0x88, 2, 0x03, 0xE8])
    for last in [close, Self.two] {
      var relay = ConversationRelay([.message(.duplicate, 1)], most: 1 << 20)
      expectEqual(Self.fed(&relay, first + last, from: .server, by: size), Self.down(first + last))
      expectEqual(relay.undone.map(\.description), [sentence])
    }
    var swapped = ConversationRelay([.message(.swap, 1), .message(.duplicate, 2)], most: 1 << 20)
    expectEqual(Self.fed(&swapped, Self.one + first, from: .server, by: size), [])
    expectEqual(
      swapped.ended(.server, at: .zero),
      Self.down(Self.one + first) + [.end(to: .client)]
    )
  }

  @Test func `a message that is too long to be changed passes, and is named`() {
    let long: [UInt8] = [0x82, 126, 1, 0] + [UInt8](repeating: 7, count: 256)
    // Frames without content take memory, too.
    let empty: [UInt8] = [0x02, 0] + (0..<200).flatMap { _ -> [UInt8] in [0x00, 0] } + [0x80, 0]
    for message in [long, empty] {
      var relay = ConversationRelay([.message(.drop, 1)], most: 100)
      expectEqual(
        Self.fed(&relay, message + Self.two, from: .server, by: 7),
        Self.down(message + Self.two)
      )
      expectEqual(
        relay.undone.map(\.description),
        [#"{"webSocket":"drop"} was not done: the message has more than the maximum of 100 bytes."#]
      )
    }
  }
}
