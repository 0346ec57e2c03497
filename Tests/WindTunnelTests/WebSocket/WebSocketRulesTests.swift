import Mutations
import TestSupport

@testable import WindTunnel
@testable import WindTunnelHTTP

/// A frame as it stands in what a side has written.
private struct Written: Hashable {
  var first: UInt8
  /// The masking key; `nil`: it is not masked.
  var key: [UInt8]?
  /// The content, without its mask.
  var payload: Data

  /// Returns the frames of what was written, by no code of the codec's.
  static func all(in bytes: Data) -> [Written] {
    var rest = Array(bytes)[...]
    var frames: [Written] = []
    while rest.count >= 2 {
      let first = rest.removeFirst()
      let second = rest.removeFirst()
      var length = Int(second & 0x7F)
      if length > 125 {
        let size = length == 126 ? 2 : 8
        length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(size)
      }
      let key: [UInt8]? = second & 0x80 == 0 ? nil : Array(rest.prefix(4))
      rest = rest.dropFirst(key?.count ?? 0)
      let mask = key ?? [0, 0, 0, 0]
      let plain = rest.prefix(length).enumerated().map { $1 ^ mask[$0 % 4] }
      rest = rest.dropFirst(length)
      frames.append(Written(first: first, key: key, payload: Data(plain)))
    }
    return frames
  }
}

/// The rules of RFC 6455 §4 to §8 and §10.3 that the suites of the handshake and the reader leave
/// open.
@Suite struct WebSocketRulesTests {
  typealias Event = WebSocketReader.Event
  typealias Raw = WebSocketReaderTests.Raw

  private static let (asked, answered) = (
    WebSocketHandshakeTests.asked, WebSocketHandshakeTests.answered
  )

  // MARK: The handshake

  @Test(
    arguments: [
      ([], nil), (["chat"], "chat"), (["chat", "superchat"], "chat, superchat"),
    ] as [([String], String?)]
  )
  func `a client's request has the fields of a handshake, and no more`(
    subprotocols: [String],
    field: String?
  ) {
    let key = (1...16).map { UInt8($0) }
    var expected: HeaderFields = [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Key": "AQIDBAUGBwgJCgsMDQ4PEA==", "Sec-WebSocket-Version": "13",
    ]
    if let field { expected.append("Sec-WebSocket-Protocol", field) }
    let plain = WebSocketHandshake.request(key: key, subprotocols: subprotocols, compresses: false)
    expectEqual(plain, expected)
    expected.append("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")
    let compressing = WebSocketHandshake.request(
      key: key,
      subprotocols: subprotocols,
      compresses: true
    )
    expectEqual(compressing, expected)
  }

  /// The fields that a client sends beside its handshake, the server's choice, and the fields that
  /// the answer has beside its proof.
  @Test(
    arguments: [
      ([:], nil, [:]), ([:], "chat", [:]),
      (
        ["Sec-WebSocket-Protocol": "chat, superchat"], "superchat",
        ["Sec-WebSocket-Protocol": "superchat"]
      ),
      (["Sec-WebSocket-Protocol": "chat, superchat"], nil, [:]),
      (["Sec-WebSocket-Protocol": "chat, superchat"], "other", [:]),
      (["Sec-WebSocket-Protocol": "chat, superchat"], "chat, superchat", [:]),
      (["Sec-WebSocket-Protocol": "chat"], "", [:]),
      (["Sec-WebSocket-Extensions": "x-mux; max=4"], nil, [:]),
      (["Sec-WebSocket-Extensions": "permessage-deflate; unknown"], nil, [:]),
      (["Origin": "https://app.example", "Cookie": "a=b", "X-Unknown": "c"], nil, [:]),
    ] as [(HeaderFields, String?, HeaderFields)]
  )
  func `a server's handshake response has only its proof and the agreed parameters`(
    asked: HeaderFields,
    choice: String?,
    agreed: HeaderFields
  ) throws {
    let request = Request(
      "GET",
      RequestURL("/chat"),
      headers: HeaderFields(Array(Self.asked) + Array(asked))
    )
    let (head, terms) = try WebSocketHandshake.answer(to: request, choosing: { _ in choice })
    let fields = HeaderFields(Array(Self.answered) + Array(agreed))
    expectEqual(head, ResponseHead(status: 101, headers: fields))
    expectEqual(
      terms,
      WebSocketHandshake.Terms(subprotocol: agreed["Sec-WebSocket-Protocol"], deflate: nil)
    )
  }

  /// RFC 6455 §9.1: `1#extension`, whose elements that are empty count for nothing.
  @Test(arguments: ["", ",", " , ,"])
  func `a list of extensions has one of them, or breaks the rules`(value: String) {
    var asked = Self.asked
    asked["Sec-WebSocket-Extensions"] = value
    let request = Request("GET", RequestURL("/chat"), headers: asked)
    #expect(throws: WebSocketHandshake.Rejection.self) {
      try WebSocketHandshake.answer(to: request)
    }
    asked["Sec-WebSocket-Extensions"] = "permessage-deflate"
    var answered = Self.answered
    answered["Sec-WebSocket-Extensions"] = value
    let head = ResponseHead(status: 101, headers: answered)
    #expect(throws: WebSocketHandshake.Failure.self) {
      try WebSocketHandshake.terms(of: head, answering: asked)
    }
  }

  @Test(
    arguments: [
      (nil, "chat"), (nil, ""), ("chat", ""), ("chat", "superchat"),
      ("chat, superchat", "superchat, chat"),
    ] as [(String?, String)]
  )
  func `a client takes no subprotocol but one that it has offered`(
    offered: String?,
    answer: String
  ) {
    var asked = Self.asked
    asked["Sec-WebSocket-Protocol"] = offered
    var answered = Self.answered
    answered["Sec-WebSocket-Protocol"] = answer
    let head = ResponseHead(status: 101, headers: answered)
    let words = refusal { try WebSocketHandshake.terms(of: head, answering: asked) }
    expectEqual(words, "The response has an unrequested subprotocol (RFC 6455 §4.1).")
  }

  // MARK: What is written

  @Test(arguments: WebSocketRole.allCases, [true, false])
  func `a message says its kind on its first frame and its end on its last`(
    role: WebSocketRole,
    isText: Bool
  ) {
    let content = Data((0..<17).map { UInt8(0x61 + $0) })
    let writer = WebSocketWriter(as: role, nil)
    let kind: UInt8 = isText ? 0x01 : 0x02
    for (lengths, firsts) in [
      ([17], [0x80 | kind]), ([5, 12], [kind, 0x80]), ([4, 0, 8, 5], [kind, 0, 0, 0x80]),
    ] as [([Int], [UInt8])] {
      let bytes = writer.message(content, isText: isText, fragments: lengths)
      let frames = Written.all(in: bytes)
      expectEqual(frames.map(\.first), firsts)
      expectEqual(frames.map(\.payload.count), lengths)
      expectEqual(Data(frames.map(\.payload).joined()), content)
      // A client's frames are masked, each of them, and a server's are not.
      expectEqual(frames.map { $0.key != nil }, lengths.map { _ in role == .client })
      let event = Event.message(content, isText: isText, frames: lengths)
      WebSocketReaderTests.expect([event], of: bytes, from: role, inPiecesOf: 4)
    }
    let whole = Written.all(in: writer.message(content, isText: isText))
    expectEqual(whole.map(\.first), [0x80 | kind])
    expectEqual(whole.map(\.payload), [content])
  }

  @Test func `no two frames of a client have one key, nor two keys the same distance`() {
    let writer = WebSocketWriter(as: .client, nil)
    var bytes = writer.message(
      Data(count: 64),
      isText: false,
      fragments: [Int](repeating: 1, count: 64)
    )
    for _ in 0..<64 { bytes += writer.frame(WebSocketFrame(.ping)) }
    let keys = Written.all(in: bytes).compactMap(\.key).map { key in
      key.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    let distances = zip(keys, keys.dropFirst()).map { $1 &- $0 }
    expectEqual(keys.count, 128)
    expectEqual(Set(keys).count, keys.count)
    expectEqual(Set(distances).count, distances.count)
  }

  @Test(arguments: WebSocketRole.allCases)
  func `a frame of the connection itself is whole, short and never compressed`(
    role: WebSocketRole
  ) {
    let writer = WebSocketWriter(as: role, PerMessageDeflate())
    let close = WebSocketClose(1000, String(repeating: "x", count: 500)).frame
    for (frame, first) in [
      (WebSocketFrame(.ping, Data(count: 125)), 0x89),
      (WebSocketFrame(.pong, Data(count: 125)), 0x8A), (close, 0x88),
    ] as [(WebSocketFrame, UInt8)] {
      let frames = Written.all(in: writer.frame(frame))
      let key = frames.first?.key
      expectEqual(frames, [Written(first: first, key: key, payload: frame.payload)])
      expectEqual((key != nil), (role == .client))
      expectEqual(frame.payload.count, 125)
    }
  }

  // MARK: What is read

  @Test(arguments: WebSocketRole.allCases)
  func `a message has the kind of its first frame, and what follows is another`(
    sender: WebSocketRole
  ) {
    let frames = [
      Raw(0x02, [0xFF]), Raw(0x00, [0xFE]), Raw(0x80), Raw(0x01, [0x61]), Raw(0x80, [0x62]),
      Raw(0x82), Raw(0x81, [0x63]),
    ]
    let expected: [Event] = [
      .message(Data([0xFF, 0xFE]), isText: false, frames: [1, 1, 0]),
      WebSocketReaderTests.text("ab", frames: [1, 1]),
      .message(Data(), isText: false, frames: [0]), WebSocketReaderTests.text("c"),
    ]
    let bytes = frames.flatMap { $0.bytes(from: sender) }
    for size in 1...bytes.count {
      WebSocketReaderTests.expect(expected, of: bytes, from: sender, inPiecesOf: size)
    }
  }

  // MARK: Both

  @Test func `a ping within a message is answered at once, and nothing behind a close`() throws {
    let conversation = Conversation(
      [said(.client, 0, "Hi"), said(.server, 1, "Hello")],
      roundTrip: .zero
    )
    var server = try ConversationServer(
      answering: Request("GET", RequestURL("/chat"), headers: Self.asked),
      "HTTP/1.1",
      as: ResponseHead(status: 101, headers: [:]),
      ConversationPlayer(conversation, pace: .immediately),
      [],
      most: 1 << 20
    )
    let opening = server.open(at: .zero)
    expectEqual(opening, [])
    let frames = [
      WebSocketFrame(.text, Data("H".utf8), isFinal: false),
      WebSocketFrame(.ping, Data("?".utf8)), WebSocketFrame(.continuation, Data("i".utf8)),
      WebSocketClose(1000, "bye").frame, WebSocketFrame(.ping, Data("!".utf8)),
      WebSocketFrame(.text, Data("Hi".utf8)), WebSocketClose(1000).frame,
    ]
    let bytes = Data(frames.map { $0.encoded(masking: 0x0102_0304) }.joined())
    let actions = bytes.withUnsafeBytes { server.receive($0, at: .zero) }
    let pong = Data([0x8A, 1] + Array("?".utf8))
    let answer = Data([0x81, 5] + Array("Hello".utf8))
    let goodbye = Data([0x88, 5, 0x03, 0xE8] + Array("bye".utf8))
    expectEqual(actions, [.bytes(pong), .bytes(answer), .bytes(goodbye), .close])
    let late = WebSocketFrame(.ping).encoded(masking: 1)
    let behind = late.withUnsafeBytes { server.receive($0, at: .zero) }
    expectEqual(behind, [])
  }
}

/// The rules of RFC 7692 §5 to §7 that the suite of compression leaves open.
@Suite(.enabled(if: PerMessageDeflate.isSupported, "There is no zlib here."))
struct CompressionRulesTests {
  typealias Event = WebSocketReader.Event
  typealias Raw = WebSocketReaderTests.Raw

  /// The terms of both sides: whether it keeps its context, and how far back it refers.
  private static func terms(
    server: (Bool, Int?) = (true, nil),
    client: (Bool, Int?) = (true, nil)
  ) -> PerMessageDeflate {
    var terms = PerMessageDeflate()
    (terms.server.keepsContext, terms.server.windowBits) = server
    (terms.client.keepsContext, terms.client.windowBits) = client
    return terms
  }

  /// The terms of a side, and those of the other one.
  private static func terms(
    of role: WebSocketRole,
    _ own: (Bool, Int?),
    other: (Bool, Int?) = (true, nil)
  ) -> PerMessageDeflate {
    role == .server ? terms(server: own, client: other) : terms(server: other, client: own)
  }

  /// Bytes that nothing makes smaller, the same each time.
  private static func noise(_ count: Int) -> Data {
    var draws = Generator(seed: 7692)
    return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &draws) })
  }

  private static func asked(_ offer: String) -> HeaderFields {
    HeaderFields(
      WebSocketHandshakeTests.asked + [HeaderField("Sec-WebSocket-Extensions", offer)]
    )
  }

  private static func answered(_ answer: String) -> ResponseHead {
    var head = ResponseHead(status: 101, headers: WebSocketHandshakeTests.answered)
    head.headers["Sec-WebSocket-Extensions"] = answer
    return head
  }

  // MARK: The terms

  @Test(arguments: [
    "permessage-deflate, x-mux", "x-mux, permessage-deflate", "x-mux",
    "permessage-deflate, permessage-deflate; server_no_context_takeover",
  ])
  func `a client takes one extension and no other beside it`(answer: String) {
    #expect(throws: WebSocketHandshake.Failure.self) {
      try WebSocketHandshake.terms(
        of: Self.answered(answer),
        answering: Self.asked("permessage-deflate, x-mux")
      )
    }
  }

  @Test(arguments: try TestData.rows("bad-parameters.json", count: 19) as [String])
  func `a parameter that is not as it has to be is declined, and fails a client`(
    parameters: String
  ) throws {
    let words = refusal {
      try WebSocketHandshake.terms(
        of: Self.answered("permessage-deflate; \(parameters)"),
        answering: Self.asked("permessage-deflate; client_max_window_bits")
      )
    }
    expectEqual(
      words,
      "The response's parameters of permessage-deflate match no offer (RFC 7692 §7.1)."
    )
    let asked = Self.asked("permessage-deflate; \(parameters)")
    let (head, terms) = try WebSocketHandshake.answer(
      to: Request("GET", RequestURL("/"), headers: asked)
    )
    // A client may say without a value that it understands the word.
    let isOffer = parameters == "client_max_window_bits"
    expectEqual(head.headers["Sec-WebSocket-Extensions"], (isOffer ? "permessage-deflate" : nil))
    expectEqual(terms.deflate, (isOffer ? PerMessageDeflate() : nil))
  }

  /// The offers, the answer, and the terms that hold then: whether each side keeps its context, and
  /// its window, 0 for none. Hints that the answer does not take up bind nobody (§7.2.1, §7.2.2).
  @Test(
    arguments: try TestData.rows("deflate-agreements.json", count: 9)
      as [(String, String, Bool, Int, Bool, Int)]
  )
  func `the compression terms are those of the response, not of the offer`(
    offer: String,
    answer: String,
    serverKeeps: Bool,
    serverBits: Int,
    clientKeeps: Bool,
    clientBits: Int
  ) throws {
    let expected = Self.terms(
      server: (serverKeeps, serverBits == 0 ? nil : serverBits),
      client: (clientKeeps, clientBits == 0 ? nil : clientBits)
    )
    let terms = try WebSocketHandshake.terms(
      of: Self.answered(answer),
      answering: Self.asked(offer)
    )
    expectEqual(terms, WebSocketHandshake.Terms(subprotocol: nil, deflate: expected))
  }

  /// RFC 7692 §7.2.1 and §7.2.2 speak of a value in an offer that is smaller than the agreed one:
  /// the offer's is a hint, and the agreed one holds.
  @Test func `a window may be agreed on that is larger than a client's hint`() throws {
    let terms = try WebSocketHandshake.terms(
      of: Self.answered("permessage-deflate; client_max_window_bits=12"),
      answering: Self.asked("permessage-deflate; client_max_window_bits=10")
    )
    let expected = Self.terms(client: (true, 12))
    expectEqual(terms, WebSocketHandshake.Terms(subprotocol: nil, deflate: expected))
  }

  // MARK: What is sent

  @Test(arguments: WebSocketRole.allCases, [true, false])
  func `a compressed message is split as it is, and says so on its first frame alone`(
    role: WebSocketRole,
    isText: Bool
  ) throws {
    let content = Data(String(repeating: "again and ", count: 20).utf8)
    let deflater = try #require(MessageDeflater(PerMessageDeflate(), from: role))
    let deflated = try #require(deflater.deflated(content))
    let kind: UInt8 = isText ? 0x01 : 0x02
    for (lengths, firsts) in [
      ([], [0xC0 | kind]), ([1, 1, 2], [0x40 | kind, 0, 0x80]),
    ] as [([Int], [UInt8])] {
      let writer = WebSocketWriter(as: role, PerMessageDeflate())
      let bytes = writer.message(content, isText: isText, fragments: lengths)
      let frames = Written.all(in: bytes)
      expectEqual(frames.map(\.first), firsts)
      expectEqual(Data(frames.map(\.payload).joined()), deflated)
      let event = Event.message(content, isText: isText, frames: frames.map(\.payload.count))
      WebSocketReaderTests.expect([event], of: bytes, from: role, .init(), inPiecesOf: 5)
    }
  }

  @Test(arguments: WebSocketRole.allCases)
  func `a side whose window is too small sends its messages as they are`(role: WebSocketRole) {
    let deflate = Self.terms(of: role, (true, 8))
    let content = Data(repeating: 0x61, count: 600)
    let bytes = WebSocketWriter(as: role, deflate).message(content, isText: true)
    let frames = Written.all(in: bytes)
    expectEqual(frames.map(\.first), [0x81])
    expectEqual(frames.map(\.payload), [content])
    let event = Event.message(content, isText: true, frames: [600])
    WebSocketReaderTests.expect([event], of: bytes, from: role, deflate, inPiecesOf: 100)
  }

  @Test(arguments: WebSocketRole.allCases)
  func `a side begins each message anew where its own terms say so`(sender: WebSocketRole) throws {
    let message = Self.noise(300)
    for (own, other) in [(true, true), (true, false), (false, true), (false, false)] {
      let deflate = Self.terms(of: sender, (own, nil), other: (other, nil))
      let deflater = try #require(MessageDeflater(deflate, from: sender))
      let first = try #require(deflater.deflated(message))
      let second = try #require(deflater.deflated(message))
      expectEqual((second == first), !own)
      expectEqual((second.count < first.count / 4), own)
      let bytes = [first, second].flatMap { Raw(0xC2, Array($0)).bytes(from: sender) }
      let expected: [Event] = [first, second].map {
        .message(message, isText: false, frames: [$0.count])
      }
      WebSocketReaderTests.expect(expected, of: bytes, from: sender, deflate, inPiecesOf: 100)
    }
  }

  @Test(arguments: WebSocketRole.allCases, 9...15)
  func `nobody refers back further than its own window`(sender: WebSocketRole, bits: Int) throws {
    // Its bytes come again one byte too late.
    let half = Self.noise((1 << bits) + 1)
    let most = half.count * 2
    let size = try Self.size(of: half + half, from: sender, within: bits)
    #expect(size > most * 9 / 10)
    guard bits < 15 else { return }
    // A window of twice the size reaches the first half.
    let smaller = try Self.size(of: half + half, from: sender, within: bits + 1)
    #expect(smaller < most * 6 / 10)
  }

  private static func size(
    of message: Data,
    from sender: WebSocketRole,
    within bits: Int
  ) throws -> Int {
    let deflate = terms(of: sender, (true, bits), other: (true, bits == 15 ? 9 : 15))
    let deflater = try #require(MessageDeflater(deflate, from: sender))
    return try #require(deflater.deflated(message)).count
  }

  // MARK: What is read

  @Test(arguments: WebSocketRole.allCases)
  func `a reference may reach back 32 KiB, into the message before`(sender: WebSocketRole) {
    let far = Self.noise(32_768)
    // A block without compression, and the beginning of an empty one.
    let first: [UInt8] = [0x00, 0x00, 0x80, 0xFF, 0x7F] + Array(far) + [0x00]
    // The 258 bytes from 32,768 before, an end of the block, and the beginning of an empty one.
    let second: [UInt8] = [0x1A, 0xBD, 0xFF, 0x1F, 0x00]
    let expected: [Event] = [
      .message(far, isText: false, frames: [first.count]),
      .message(Data(far.prefix(258)), isText: false, frames: [second.count]),
    ]
    let bytes = [Raw(0xC2, first), Raw(0xC2, second)].flatMap { $0.bytes(from: sender) }
    for size in [7, bytes.count] {
      WebSocketReaderTests.expect(expected, of: bytes, from: sender, .init(), inPiecesOf: size)
    }
  }
}
