import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// Content of requests that a proxy passes on while it comes.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct PassedContentTests {
  /// Much more than is kept.
  private static let content = pattern(8 << 20)

  private static func limits(_ set: (inout Limits) -> Void = { _ in }) -> Limits {
    var limits = Limits.patient
    limits.bodyBytesMax = 1 << 20
    set(&limits)
    return limits
  }

  /// A request with its content, of a length or in chunks.
  private static func put(_ url: String, _ content: [UInt8], inChunks: Bool = false) -> [UInt8] {
    var bytes = Array("POST \(url) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n".utf8)
    guard inChunks else {
      return bytes + Array("Content-Length: \(content.count)\r\n\r\n".utf8) + content
    }
    bytes += Array("Transfer-Encoding: chunked\r\n\r\n".utf8)
    var rest = content[...]
    while !rest.isEmpty {
      bytes.appendChunk(rest.prefix(100_000))
      rest = rest.dropFirst(100_000)
    }
    bytes.appendLastChunk()
    return bytes
  }

  /// Sends a request while the answer is read, and answers that.
  private static func answer(_ server: ReplayServer, to request: [UInt8]) async throws -> String {
    let client = try server.client()
    async let sent = client.send(request)
    let (bytes, _) = await client.receiveAll()
    _ = await sent
    client.close()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An origin that knows what it should be sent.
  private static func serving<Result>(
    _ body: (_ url: String) async throws -> Result
  ) async throws -> Result {
    let expected = Data(content)
    let put = Stub.post("/up") { request in
      .text(Body("\(request.body.data == expected) \(request.headers["Content-Length"] ?? "-")"))
    }
    return try await ReplayServer.serving(Deck([put], matcher: .pathAndQuery)) { origin in
      try await body("\(origin.url)/up")
    }
  }

  @Test(arguments: [false, true])
  func `content larger than the storage limit is passed on as it arrives`(inChunks: Bool)
    async throws
  {
    try await Self.serving { url async throws in
      try await ReplayServer.proxying(limits: Self.limits()) { server, _, seen async throws in
        let answer = try await Self.answer(
          server,
          to: Self.put(url, Self.content, inChunks: inChunks)
        )
        expectEqual(answer.content, "true \(inChunks ? "-" : "8388608")", "\(answer)")
        guard case .request(let request) = try await seen.next() else { return }
        #expect(request.end.ending == .whole && request.end.status == 200)
      }
    }
  }

  /// The most that the sockets of two connections hold, in MiB: a kernel lets their buffers grow to
  /// this (tcp(7), `tcp_rmem` and `tcp_wmem`), which is 6 and 4 on one machine and 32 and 4 on
  /// another.
  private static var buffersMax: Int {
    let most = ["tcp_rmem", "tcp_wmem"].map { name in
      // Where there is no such file, buffers are smaller.
      let words = try? String(contentsOfFile: "/proc/sys/net/ipv4/\(name)", encoding: .utf8)
      return words?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 8 << 20
    }
    return 2 * most.reduce(0, +) >> 20
  }

  @Test func `an origin that does not read holds the client up, not the memory`() async throws {
    let loop = try EventLoop()
    let address = try await loop.serve { script in
      script.received = { channel, _ in channel.pauseReading() }
    }
    // What is here beside them.
    let most = Self.buffersMax + 8
    let (sent, total) = (Locked(0), 2 * most)
    try await ReplayServer.proxying { server, _, seen async throws in
      let client = try server.client()
      let head =
        "POST http://\(address)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(total << 20)\r\n\r\n"
      await client.send(head)
      let block = pattern(1 << 20)
      async let isTaken = {
        for _ in 0..<total {
          guard await client.send(block) else { return false }
          sent.withLock { $0 += 1 }
        }
        return true
      }()
      // It comes to rest: the same for many looks in a row.
      var (last, same) = (-1, 0)
      while same < 20 {
        try await Task.sleep(for: .milliseconds(10))
        let now = sent.withLock { $0 }
        same = now == last && now > 0 ? same + 1 : 0
        last = now
      }
      #expect(last < most)
      await loop.stop()
      // Its origin is gone; what it sends yet is thrown away, so that it hears the answer.
      let (bytes, _) = await client.receiveAll()
      expectEqual(String(decoding: bytes, as: UTF8.self).statusLine, "HTTP/1.1 502 Bad Gateway")
      // The descriptor is closed last, because another test may get its number.
      _ = await isTaken
      client.close()
      guard case .request(let request) = try await seen.next() else { return }
      expectEqual(request.end.status, 502)
    }
  }

  @Test func `an answer before the end reaches the client, and ends the connection`() async throws {
    let origin = try await Origin { text in
      text.contains("\r\n\r\n")
        ? (["HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno"], .stays) : nil
    }
    try await ReplayServer.proxying { server, _, _ async throws in
      let (bytes, end) = try await server.client().all(
        after:
          "POST \(origin.url) HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\nabc"
      )
      expectEqual(end, .finished)
      expectEqual(
        String(decoding: bytes, as: UTF8.self),
        "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
      )
      #expect(try await origin.left.next())
    }
  }

  @Test func `responses from the cassette and from rules require neither content nor an origin`()
    async throws
  {
    let tape = Cassette([
      Interaction(Request("POST", "http://a.test/up"), Response(body: Body("taken")))
    ])
    let scenario: Scenario = [.on("POST /up", .first(1), .status(503))]
    try await ReplayServer.proxying(scenario, tape: tape, limits: Self.limits()) { server, _, _ in
      let request = Self.put("http://a.test/up", Self.content)
      #expect(try await Self.answer(server, to: request).hasPrefix("HTTP/1.1 503 "))
      try await expectEqual(Self.answer(server, to: request).content, "taken")
      let miss = try await Self.answer(server, to: Self.put("http://a.test/b", Self.content))
      #expect(miss.hasPrefix("HTTP/1.1 501 "))
    }
  }

  @Test(arguments: [false, true])
  func `recorded content is complete, or refused before it is sent`(inChunks: Bool)
    async throws
  {
    try await Self.serving { url async throws in
      try await ReplayServer.proxying(mode: .newEpisodes, limits: Self.limits()) {
        server,
        deck,
        _ in
        let large = try await Self.answer(
          server,
          to: Self.put(url, Self.content, inChunks: inChunks)
        )
        #expect(large.hasPrefix("HTTP/1.1 413 "), "\(large)")
        let small = Array(Self.content.prefix(1 << 20))
        let answer = try await Self.answer(server, to: Self.put(url, small, inChunks: inChunks))
        expectEqual(answer.content, "false 1048576", "\(answer)")
        expectEqual(deck.recorded().cassette.interactions.map(\.request.body.data), [Data(small)])
      }
    }
  }

  @Test func `a client that breaks off takes the connection to the origin with it`() async throws {
    let origin = try await Origin { $0.contains("abc") ? ([], .stays) : nil }
    try await ReplayServer.proxying { server, _, seen async throws in
      let client = try server.client()
      await client.send(
        "POST \(origin.url) HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\nabc"
      )
      _ = try await origin.asked.next()
      client.socket.finishWriting()
      #expect(await client.finish() == ([], .finished))
      #expect(try await origin.left.next())
      guard case .request(let request) = try await seen.next() else { return }
      expectEqual(request.end.ending, .clientLeft)
    }
  }

  @Test func `a client that comes to a halt is told so`() async throws {
    let origin = try await Origin { $0.contains("abc") ? ([], .stays) : nil }
    let limits = Self.limits { $0.responseSeconds = 0.3 }
    try await ReplayServer.proxying(limits: limits) { server, _, _ async throws in
      let answer = try await server.answer(
        to: "POST \(origin.url) HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\nabc"
      )
      expectEqual(answer.statusLine, "HTTP/1.1 408 Request Timeout")
      expectEqual(answer.content, "No further part of the request arrived for 0.3 s.\n")
      #expect(try await origin.left.next())
    }
  }

  @Test func `chunks that make no sense are refused in the middle`() async throws {
    let origin = try await Origin { $0.count > 300_000 ? ([], .stays) : nil }
    try await ReplayServer.proxying { server, _, _ async throws in
      let client = try server.client()
      var bytes = Array(
        "POST \(origin.url) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
      )
      bytes.appendChunk(Array(repeating: UInt8(ascii: "x"), count: 400_000))
      await client.send(bytes)
      _ = try await origin.asked.next()
      let (answer, _) = await client.all(after: "what?\r\n")
      expectEqual(String(decoding: answer, as: UTF8.self).statusLine, "HTTP/1.1 400 Bad Request")
      #expect(try await origin.left.next())
    }
  }

  @Test func `a link weighs content that goes on while it comes`() async throws {
    // 2,000 bytes a millisecond: two hundred for the whole.
    let link = Link(up: .init(bitsPerSecond: 16_000_000), down: .init())
    let origin = try await Origin { text in
      text.count > 400_000 ? (["HTTP/1.1 204 No Content\r\n\r\n"], .stays) : nil
    }
    try await ReplayServer.proxying(Scenario("slow", link: link)) { server, _, _ async throws in
      let start = ContinuousClock.now
      let content = Array(repeating: UInt8(ascii: "x"), count: 400_000)
      let answer = try await Self.answer(server, to: Self.put("\(origin.url)", content))
      expectEqual(answer.statusLine, "HTTP/1.1 204 No Content")
      #expect(ContinuousClock.now - start >= .milliseconds(200))
    }
  }

  @Test func `the next request on the connection is read behind the content`() async throws {
    try await Self.serving { url async throws in
      try await ReplayServer.proxying(limits: Self.limits()) { server, _, _ async throws in
        let first = String(decoding: Self.put(url, []), as: UTF8.self)
          .replacing("Connection: close\r\n", with: "").replacing(
            "Length: 0",
            with: "Length: 8388608"
          )
        let request = Array(first.utf8) + Self.content + Self.put(url, Array("x".utf8))
        let answer = try await Self.answer(server, to: request)
        expectEqual(answer.count(of: "HTTP/1.1 200 OK"), 2)
        #expect(answer.contains("true 8388608") && answer.hasSuffix("false 1"), "\(answer)")
      }
    }
  }
}
