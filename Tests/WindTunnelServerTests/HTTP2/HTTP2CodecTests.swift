import TestSupport

@testable import WindTunnelHTTP
@testable import WindTunnelWire

@Suite struct HTTP2CodecTests {
  private static let connect = ":method=CONNECT :protocol=websocket :scheme=http :authority=a.test"

  /// Checks rows of frames in, and frames out; `ANSWER` is a whole response.
  private static func check(
    _ name: String,
    count: Int,
    _ bounds: HTTP2Limits = HTTP2Limits()
  ) throws {
    let rows = try TestData.rows("HTTP2/\(name).json", count: count) as [([String], String)]
    for (inputs, output) in rows {
      for input in inputs {
        let frames = input.replacing("{connect}", with: Self.connect)
        expectEqual(FramePeer(bounds).exchange(frames), output, "\(input)")
      }
    }
  }

  @Test func `a connection begins with SETTINGS on both sides`() {
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    let first = "SETTINGS; WINDOW_UPDATE 0 983041"
    let failed = first + "; GOAWAY last=0 PROTOCOL_ERROR"
    let rows: [(bytes: [UInt8], output: String)] = [
      ([], first), (Array(preface.prefix(20)), first), (preface, first),
      (preface + FramePeer.frame("SETTINGS", []), first + "; SETTINGS ack"),
      (preface + FramePeer.frame("SETTINGS", ["ack"]), failed),
      (preface + FramePeer.frame("PING", []), failed), (Array("GET / HTTP/1.1\r\n".utf8), failed),
    ]
    for row in rows {
      let peer = FramePeer(isOpen: false)
      // One byte at a time: a codec sees bytes as they come.
      for byte in row.bytes { peer.feed([byte]) }
      expectEqual(peer.spell(), row.output)
    }
  }

  @Test func `requests are answered, and streams end on both sides`() throws {
    // Padding and priority, a block in three frames, a table that the client makes smaller.
    try Self.check("answered", count: 6)
  }

  @Test func `frames that are out of place end the stream or the connection`() throws {
    // Of the connection; of idle, half closed and closed streams; blocks, sizes and padding.
    try Self.check("misplaced", count: 17)
  }

  @Test func `content waits for its windows`() throws {
    // In the third row the window is -1, then 1.
    try Self.check("windows", count: 10)
    // The longest wait, with its start. An open tunnel may wait. Others wait for the connection's
    // window, or for a turn, only since a byte was sent last.
    let (peer, other) = (FramePeer(), FramePeer())
    var bytes: [UInt8] = []
    _ = peer.exchange("SETTINGS 4=1; OPEN 1 \(Self.connect) :path=/chat")
    peer.codec.append(Data(1...9), in: .none, on: 1, to: &bytes)
    #expect(peer.codec.isCongested(1) && peer.codec.longestWait(sending: nil) == nil)
    let both = "GET 1 :path=/wait; GET 3 :path=/wait; RESPOND 1 65536; RESPOND 3 5"
    _ = (peer.exchange("GET 3"), other.exchange("SETTINGS 4=100000; \(both)"))
    for each in [peer, other] { each.pass(seconds: 5) }
    _ = (peer.exchange("GET 5; WINDOW 3 1; RST 3 8; WINDOW 1 1"), other.exchange("WINDOW 0 1"))
    let (five, seven) = (Moment(nanoseconds: 5_000_000_000), Moment(nanoseconds: 7_000_000_000))
    #expect(peer.codec.longestWait(sending: seven).map { $0 == (5, five) } == true)
    expectEqual(other.codec.longestWait(sending: seven)?.since, five)
    _ = (peer.exchange("RST 5 8"), other.exchange("WINDOW 0 100", room: 0))
    expectEqual(other.codec.longestWait(sending: seven)?.since, seven)
    peer.codec.appendEnd([:], in: .none, on: 1, to: &bytes)
    expectEqual(peer.codec.longestWait(sending: nil)?.stream, 1)
    // A client that has ended enlarges no window.
    let half = FramePeer()
    _ = half.exchange("SETTINGS 4=1; OPEN 1 \(Self.connect) :path=/chat")
    half.codec.append(Data(1...9), in: .none, on: 1, to: &bytes)
    half.codec.feedEnd()
    expectEqual(half.codec.longestWait(sending: nil)?.stream, 1)
    // Tunnels whose bytes nobody has read leave a part of the connection's window to others.
    var bounds = HTTP2Limits()
    (bounds.streamWindowBytes, bounds.connectionWindowBytes) = (30_000, 65_536)
    let narrow = FramePeer(bounds)
    for id in [1, 3] {
      _ = narrow.exchange(
        "OPEN \(id) \(Self.connect) :path=/chat; DATA \(id) 16384; DATA \(id) 9000"
      )
    }
    expectEqual(narrow.exchange("POST 5; DATA 5 14000"), "WINDOW_UPDATE 0 14000")
  }

  @Test func `streams take turns of 16 kB, however little room there is`() {
    let peer = FramePeer()
    _ = peer.exchange("GET 1 :path=/wait; GET 3 :path=/wait; SETTINGS 4=1000000; WINDOW 0 1000000")
    let output = "HEADERS 1 200; DATA 1 16384; HEADERS 3 200; DATA 1 16384; DATA 3 16384; "
    let rest = "DATA 1 7232 end; DATA 3 3616 end"
    expectEqual(peer.exchange("RESPOND 1 40000; RESPOND 3 20000"), output + rest)
    let heads = "HEADERS 5 200; DATA 5 16384; HEADERS 7 200"
    let both = "GET 5 :path=/wait; GET 7 :path=/wait; RESPOND 5 40000; RESPOND 7 40000; PING"
    expectEqual(peer.exchange(both, room: 0), heads)
    #expect(peer.codec.isCongested(7) && !peer.codec.isDelivered(7))
    expectEqual(peer.spell(room: 100), "PING ack; DATA 5 100")
    expectEqual(peer.spell(room: 100), "DATA 7 100")
    let turns = "DATA 5 16384; DATA 7 16384; DATA 5 7132 end; DATA 7 16384; DATA 7 7132 end"
    expectEqual(peer.spell(), turns)
    #expect(!peer.codec.isCongested(7) && peer.codec.isDelivered(7))
  }

  @Test func `received content is given back, also on streams that were reset`() throws {
    var bounds = HTTP2Limits()
    (bounds.streamWindowBytes, bounds.connectionWindowBytes) = (1000, 65_536)
    // Padding counts.
    try Self.check("given-back", count: 4, bounds)
  }

  @Test func `an extended CONNECT is an upgrade, whose content waits for its reader`() throws {
    var bounds = HTTP2Limits()
    (bounds.streamWindowBytes, bounds.connectionWindowBytes) = (1000, 65_536)
    let connect = Self.connect
    let chat = "OPEN 1 \(connect) :path=/chat"
    try Self.check("tunnels", count: 8, bounds)
    let (peer, old) = (FramePeer(), FramePeer(acceptsWebSockets: false))
    expectEqual(
      [old, peer].map { $0.exchange(chat) },
      ["RST_STREAM 1 PROTOCOL_ERROR", "HEADERS 1 200"]
    )
    expectEqual(peer.heads.map { "\($0.method) \($0.target)" }, ["GET /chat"])
    #expect(peer.heads.first?.asksForWebSocket == true && peer.codec.isBetweenRequests)
  }

  @Test func `a malformed request is reset, and the server never sees it`() {
    let fields = [
      "A=1", "x=%0D", "x=%0A", "x=%00", "x=%20a", "x=a%09", "x%20=a", "x%0Ay=a", "%00=1", "=1",
      "connection=close", "keep-alive=1", "proxy-connection=1", "transfer-encoding=chunked",
      "upgrade=h2c", "te=deflate", "te=trailers,%20deflate", ":status=200", ":protocol=x", ":x=1",
      ":path=", ":path=x", ":path=/%23", ":path=/a%20b", ":path=*", ":path=/%0D%0A", ":scheme=",
      ":method=", ":method=G%20T", ":authority=", ":authority=u@a.test", ":authority=a/b",
      "host=b.test", "host=a.test host=a.test", "content-length=1", "content-length=x",
      "content-length=+0", "content-length=0 content-length=0",
    ].map { "GET 1 \($0)" }
    let usual = ":method=GET :scheme=http :path=/ :authority=a.test"
    let lists = [
      ":scheme=http :path=/ :authority=a", ":method=GET :path=/ :authority=a",
      ":method=GET :scheme=http :authority=a", ":method=GET :scheme=http :path=/",
      usual + " :method=GET", usual + " :scheme=http", usual + " :path=/",
      usual + " :authority=a.test", "x=1 " + usual, "host=a.test " + usual,
      ":method=CONNECT :authority=a.test", ":method=CONNECT :authority=a:1 :path=/",
    ].map { "FIELDS 1 \($0)" }
    for input in fields + lists {
      let peer = FramePeer()
      expectEqual(peer.exchange(input), "RST_STREAM 1 PROTOCOL_ERROR", "\(input)")
      expectEqual(peer.heads, [], "\(input)")
      expectEqual(peer.exchange("GET 3"), "ANSWER 3", "\(input)")
    }
    let length = "POST 1 content-length=4; "
    let contents = [
      "DATA 1 5", "DATA 1 3 end", "DATA 1 3; FIELDS 1 x=1", "DATA 1 4; FIELDS 1 :path=/",
      "DATA 1 4; OPEN 1 x=1", "DATA 1 4; FIELDS 1 A=1", "DATA 1 4; FIELDS 1 connection=x",
    ]
    for input in contents {
      let peer = FramePeer()
      expectEqual(peer.exchange(length + input), "RST_STREAM 1 PROTOCOL_ERROR", "\(input)")
      expectEqual(peer.failures.last, "1 400", "\(input)")
    }
  }

  @Test func `a head is that of HTTP/1.1`() throws {
    let peer = FramePeer()
    let fields = "cookie=a cookie=b x=1 cookie=c te=trailers host=A.test"
    _ = peer.exchange("POST 1 :path=/p?q \(fields) content-length=3 expect=100-continue")
    let head = try #require(peer.heads.first)
    expectEqual("\(head.method) \(head.target) \(head.version.rawValue)", "POST /p?q HTTP/2")
    #expect(head.framing == .length(3) && head.keepsAlive && head.expectsContinue)
    let known: HeaderFields = ["Host": "a.test", "cookie": "a; b; c", "x": "1", "te": "trailers"]
    expectEqual(HeaderFields(Array(head.headers.prefix(4))), known)
    _ = peer.exchange("DATA 1 3 end; POST 3; GET 5; FIELDS 7 :method=CONNECT :authority=a.test:1")
    expectEqual(peer.heads.dropFirst().map(\.framing), [.chunked, .none, .none])
    expectEqual(peer.heads.last?.target, "a.test:1")
  }

  @Test func `the fields of a known request are not read again`() throws {
    let (peer, other) = (FramePeer(), FramePeer())
    _ = other.exchange("GET 1 :path=/wait")
    let wait = try #require(other.heads.first)
    var asked: [Int] = []
    peer.codec.knownHead = { fields in
      asked.append(fields.count)
      return fields.last?.value == "known" ? wait : nil
    }
    expectEqual(peer.exchange("GET 1; POST 3; GET 5 A=known"), "ANSWER 1")
    expectEqual(peer.heads.map(\.target), ["/", "/", "/wait"])
    // A request that is not whole has no known head.
    expectEqual(asked, [4, 0, 5])
    // A rendered response is written in one call, as far as its window allows.
    var bytes: [UInt8] = []
    _ = peer.exchange("SETTINGS 4=3")
    peer.codec.append(block: [0x88], Data(1...5), in: .length(5), on: 5, to: &bytes)
    expectEqual(bytes.count, 9 + 1 + 9 + 3)
    expectEqual(peer.exchange("WINDOW 5 9"), "DATA 5 2 end")
    #expect(peer.codec.isDelivered(5))
  }

  @Test func `a codec ends streams and connections as its server wants`() {
    let peer = FramePeer()
    _ = peer.exchange("GET 1 :path=/wait; GET 3 :path=/wait")
    var bytes: [UInt8] = []
    #expect(peer.codec.appendReset(.cancel, on: 1, to: &bytes))
    peer.codec.appendGoAway(to: &bytes)
    expectEqual(bytes.count, 13 + 17)
    expectEqual(peer.exchange("GET 5"), "ANSWER 5")
    peer.codec.appendGoAway(to: &bytes)
    // Streams above the last one are ignored, and the others end.
    let late = peer.exchange("GET 7; DATA 7 1; RST 7 8; WINDOW 7 1; RESPOND 3 1")
    expectEqual(late, "HEADERS 3 200; DATA 3 1 end")
    #expect(peer.codec.isBetweenRequests)
    // Bytes behind a connection error are not kept.
    peer.feed(FramePeer.frame("GET", ["2"]) + [UInt8](repeating: 0, count: 900))
    expectEqual(peer.codec.bufferedBytes, 0)
    // A response that is interim alone.
    let other = FramePeer()
    _ = other.exchange("GET 1 :path=/wait")
    bytes = []
    other.codec.appendContinue(on: 1, to: &bytes)
    other.codec.appendEnd([:], in: .none, on: 1, to: &bytes)
    expectEqual(Array(bytes.suffix(13)), FramePeer.frame("RST", ["1", "2"]))
    // No frames follow bytes that are none.
    let raw = FramePeer(isOpen: false)
    bytes = []
    raw.codec.appendRaw(Data("raw".utf8), to: &bytes)
    raw.codec.appendGoAway(to: &bytes)
    _ = raw.codec.appendPending(upTo: .max, to: &bytes)
    expectEqual(
      [bytes.prefix(4).map { Int($0) }, bytes.suffix(3).map { Int($0) }],
      [[0, 0, 24, 4], [114, 97, 119]]
    )
    // Requests that are not whole end with their client; the others are answered.
    _ = other.exchange("POST 3; GET 5 :path=/wait")
    other.codec.feedEnd()
    other.feed([])
    expectEqual(other.failures, ["3 400"])
    expectEqual(other.exchange("RESPOND 5 5"), "ANSWER 5")
    // A block in three frames.
    bytes = []
    bytes.appendHeaders(endsStream: true, on: 1) { $0 += [UInt8](repeating: 0, count: 40_000) }
    expectEqual(
      [0, 16_393, 32_786].map { Array(bytes[$0 + 1...$0 + 4]) },
      [[64, 0, 1, 1], [64, 0, 9, 0], [28, 64, 9, 4]]
    )
  }
}
