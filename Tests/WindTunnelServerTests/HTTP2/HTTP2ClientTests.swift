import Mutations
import Programs
import TestSupport

@testable import WindTunnelHTTP
@testable import WindTunnelWire

/// The client's role of the codec.
@Suite(.timeLimit(.minutes(5))) struct HTTP2ClientTests {
  /// Checks rows of frames of a server, and events and frames of its client.
  private static func check(_ rows: String, _ methods: [String] = ["GET"]) {
    for row in rows.split(separator: "\n") {
      let sides = row.components(separatedBy: " -> ")
      for input in sides[0].components(separatedBy: " | ") {
        expectEqual(ClientPeer(methods).exchange(input), sides[1], "\(input)")
      }
    }
  }

  @Test func `a response is read whole, with its interim heads and trailers`() {
    Self.check(
      """
      FIELDS 1 :status=204 -> 1 204; 1 end
      OPEN 1 :status=103 a=1; OPEN 1 :status=200 b=1; DATA 1 5; DATA 1 4 end -> \
      1 103 a; 1 200 b; 1 =5; 1 =4; 1 end
      OPEN 1 :status=200; DATA 1 5; FIELDS 1 c=1 -> 1 200; 1 =5; 1 trailers c; 1 end
      FIELDS 1 :status=200; RST 1 0; PING -> 1 200; 1 end; PING ack
      """
    )
    // The length is that of a GET.
    let invalid = "1 200 content-length; 1 invalid 400; RST_STREAM 1 PROTOCOL_ERROR"
    Self.check(
      """
      FIELDS 1 :status=200 content-length=9 -> 1 200 content-length; 1 end
      OPEN 1 :status=200 content-length=9; DATA 1 9 end -> \(invalid)
      """,
      ["HEAD"]
    )
  }

  @Test func `a failed request says whether it is safe to send it again`() {
    Self.check(
      """
      RST 1 7 -> 1 unprocessed refusedStream
      RST 3 8; RST 1 255 -> 3 reset cancel; 1 reset internalError
      OPEN 1 :status=200; RAW 7 0 0 0000000100000002; DATA 1 4 end; EOF -> \
      1 200; 0 goaway 1 internalError; 3 unprocessed internalError; 1 =4; 1 end
      RAW 7 0 0 0000000300000000; EOF -> 0 goaway 3 noError; 1 ended -; 3 ended -
      RAW 5 4 1 0000000282 | FIELDS 2 :status=200 | FIELDS 5 :status=200 | SETTINGS 2=1 -> \
      1 ended protocolError; 3 ended protocolError; GOAWAY last=0 PROTOCOL_ERROR
      """,
      ["GET", "GET"]
    )
  }

  @Test func `a malformed response ends its stream, and no other`() {
    let heads = [
      "a=1", ":status=200 :status=200", ":status=20", ":status=2000", ":status=+20", ":status=099",
      ":path=/ :status=200", "a=1 :status=200", ":status=200 A=1", ":status=200 connection=x",
      ":status=200 transfer-encoding=chunked", ":status=200 x=%0D%0A", ":status=101", ":status=103",
      ":status=200 content-length=1", ":status=200 content-length=x",
    ].map { "FIELDS 1 \($0)" }
    let contents = ["DATA 1 3 end", "DATA 1 5", "OPEN 1 x=1", "DATA 1 4; FIELDS 1 :status=200"]
      .map { "OPEN 1 :status=200 content-length=4; \($0)" }
    for input in heads + contents + ["DATA 1 1", "OPEN 1 :status=103; DATA 1 1"] {
      let peer = ClientPeer(["GET", "GET"])
      let output = peer.exchange(input)
      #expect(output.hasSuffix("1 invalid 400; RST_STREAM 1 PROTOCOL_ERROR"), "\(input): \(output)")
      expectEqual(peer.exchange("FIELDS 3 :status=200"), "3 200; 3 end", "\(input)")
    }
    var limits = Limits.upstream
    (limits.headerBytesMax, limits.bodyBytesMax) = (100, 5)
    let long = "FIELDS 1 :status=200 a=\(String(repeating: "a", count: 99))"
    for input in [long, "OPEN 1 :status=200; DATA 1 6"] {
      let output = ClientPeer(limits: limits).exchange(input)
      #expect(output.hasSuffix("RST_STREAM 1 CANCEL"), "\(output)")
    }
  }

  /// Uploads contents, which a server returns. `exchange` carries bytes there and back.
  private static func upload(
    _ counts: [Int],
    _ client: HTTP2ClientCodec,
    _ exchange: ([UInt8]) async throws -> [UInt8]
  ) async throws {
    var (left, bytes): ([Int], [UInt8]) = (counts, [])
    var (sent, received): ([Int: Data], [Int: Data]) = ([:], [:])
    while !left.isEmpty || !sent.isEmpty {
      while client.openableStreams > 0, let count = left.popLast() {
        let head = ClientPeer.head("POST", contentBytes: count)
        let id = try client.open(head, scheme: "http", to: &bytes)
        sent[id] = Data((0..<count).map { UInt8($0 % 251) })
        client.connection.append(sent[id] ?? Data(), in: head.framing, on: id, to: &bytes)
      }
      while client.connection.appendPending(upTo: 20_000, to: &bytes) {}
      let input = try await exchange(bytes)
      bytes = []
      input.withUnsafeBytes { client.connection.feed($0) }
      while let (id, event) = client.next() {
        switch event {
        case .head(let start): expectEqual(start.head.status, 200)
        case .content(let data): received[id, default: Data()].append(data)
        case .end: expectEqual(received[id] ?? Data(), sent.removeValue(forKey: id))
        // The first streams are opened before the server's limit is known.
        case .failed(.notProcessed(.refusedStream)):
          left.append(try #require(sent[id]?.count))
          sent[id] = nil
        default: try #require(Bool(false), "\(event)")
        }
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `uploads and responses are whole, whatever the windows and the pieces`(seed: UInt64)
    async throws
  {
    var numbers = Generator(seed: seed)
    var bounds = HTTP2Limits()
    (bounds.streamWindowBytes, bounds.connectionWindowBytes) = (65_535, 65_536)
    bounds.concurrentStreamsMax = 3
    let server = HTTP2Codec(limits: .standard, bounds: bounds)
    (bounds.streamWindowBytes, bounds.concurrentStreamsMax) = (numbers.pick([999, 70_000]), 5)
    let counts = (0..<8).map { _ in numbers.pick([0, 1, 1000, 100_000]) }
    var (up, down): ([UInt8], [UInt8]) = ([], [])
    var requests: [Int: (head: RequestHead, content: Data)] = [:]
    try await Self.upload(counts, HTTP2ClientCodec(bounds: bounds)) { bytes in
      up += bytes
      let part = up.prefix(Int.random(in: 1...30_000, using: &numbers))
      up.removeFirst(part.count)
      part.withUnsafeBytes { server.feed($0) }
      while let (id, event) = server.next() {
        switch event {
        case .head(let head): requests[id] = (head, Data())
        case .content(let data): requests[id]?.content.append(data)
        case .end:
          let (head, content) = try #require(requests[id])
          expectEqual(head, ClientPeer.head("POST", contentBytes: content.count))
          var encoder = ResponseEncoder(head, on: id, by: server)
          encoder.append(Response(body: Body(content)), keepsAlive: true, to: &down)
        case .trailers, .failed: try #require(Bool(false), "\(event)")
        }
      }
      _ = server.appendPending(upTo: 20_000, to: &down)
      let answer = down.prefix(Int.random(in: 1...30_000, using: &numbers))
      down.removeFirst(answer.count)
      return Array(answer)
    }
  }

  @Test(.enabled(if: StartedProgram.path(of: "nghttpd") != nil, "There is no nghttpd to ask."))
  func `nghttpd returns uploads larger than its windows`() async throws {
    let free = try Socket.bound(to: .loopback(port: 0))
    let port = try #require(free.localAddress?.port)
    free.close()
    let words = ["-a", "127.0.0.1", "--no-tls", "--echo-upload", "-d", "/", "-v", "\(port)"]
    let program = try StartedProgram(["nghttpd"] + words)
    try program.start()
    defer { program.kill() }
    _ = try await program.line()
    let socket = try RawClient(.loopback(port: port))
    defer { socket.close() }
    try await Self.upload([200_000, 0, 1, 200_000], HTTP2ClientCodec()) { bytes in
      await socket.send(bytes)
      let received = await socket.receive(atLeast: 1)
      try #require(!received.isEmpty)
      return received
    }
  }
}
