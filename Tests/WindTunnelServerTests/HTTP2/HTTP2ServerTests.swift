import Origins
import TestSupport

@_spi(WindTunnel) @testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// HTTP/2 on a server's real sockets.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct HTTP2ServerTests {
  private static let announced = "goaway 2147483647 noError"

  private static func deck(
    _ scenario: Scenario = .calm,
    observe: @escaping @Sendable (ExchangeEvent) -> Void = { _ in }
  ) -> Deck {
    let bodies = [
      "/a": "a", "/b": "b", "/slow": "slow", "/large": "0123456789",
      "/long": String(repeating: "l", count: 20_000),
      "/frame": String(repeating: "f", count: 16_000),
    ]
    var interactions = bodies.sorted { $0.key < $1.key }.map { path, body in
      Interaction(
        Request("GET", RequestURL("http://api.example.test\(path)")),
        Response(headers: ["Content-Length": "\(body.utf8.count)"], body: Body(body))
      )
    }
    interactions.append(
      Interaction(Request("POST", "http://api.example.test/up"), Response(body: Body("got it")))
    )
    return Deck(
      Cassette(interactions),
      scenario: scenario,
      options: PlaybackOptions(then: .repeat),
      observe: observe
    )
  }

  private static func slow(_ milliseconds: Int) -> Scenario {
    [.on("GET /slow", .always, .delay(.exactly(.milliseconds(milliseconds))))]
  }

  static func serving(
    _ deck: Deck = deck(),
    _ options: ReplayServer.Options = .patient,
    window: Int = 65_535,
    _ body: (FrameClient, ReplayServer) async throws -> Void
  ) async throws {
    try await ReplayServer.serving(deck, options) { server in
      let client = try await FrameClient(to: .loopback(port: server.port), window: window)
      try await body(client, server)
      client.raw.close()
    }
  }

  // MARK: - The choice of the version

  @Test func `a port speaks the version that its client begins with`() async throws {
    var options = ReplayServer.Options.patient
    options.loops = 1
    try await ReplayServer.serving(Self.deck(), options) { server in
      let address = SocketAddress.loopback(port: server.port)
      let preface = ["PR", "I * HTTP/2.0\r\n\r\nSM", "\r\n\r\n"]
      // The only loop reads a piece before it serves another client.
      let client = try await FrameClient(to: address, preface: preface) {
        _ = try await server.answer(to: closing("GET /a", host: "api.example.test"))
      }
      await client.ask("/a", on: 1)
      await expectEqual(client.receive(until: "1 end"), ["1 200", "1 =a", "1 end"])
      client.raw.close()
      let first = try await server.answer(to: closing("GET /a", host: "api.example.test"))
      expectEqual(first.content, "a")
      // It begins as the preface does.
      let other = try await server.answer(to: closing("PRI /a", host: "api.example.test"))
      expectEqual(other.statusLine, "HTTP/1.1 501 Not Implemented")
    }
  }

  @Test func `a port can speak one version alone`() async throws {
    var options = ReplayServer.Options.patient
    options.httpVersions = .http1
    try await ReplayServer.serving(Self.deck(), options) { server in
      let answer = try await server.answer(to: FrameClient.preface)
      expectEqual(answer.statusLine, "HTTP/1.1 505 HTTP Version Not Supported")
      expectEqual(answer.content, "HTTP/2.0 is not supported; use HTTP/1.1.\n")
    }
    options.httpVersions = .http2
    try await ReplayServer.serving(Self.deck(), options) { server in
      let answer = try await server.answer(to: closing("GET /a"))
      expectEqual(answer.statusLine, "HTTP/1.1 505 HTTP Version Not Supported")
      expectEqual(answer.content, "This port speaks HTTP/2 alone; ask it over HTTP/2.\n")
      let invalid = try RawClient(.loopback(port: server.port))
      await invalid.send("INVALID CONNECTION PREFACE\r\n\r\n")
      // GOAWAY on stream 0 with PROTOCOL_ERROR, and no stream was opened (RFC 9113 §3.4, §6.8).
      let goAway: [UInt8] = [7, 0] + [UInt8](repeating: 0, count: 11) + [1]
      await #expect(invalid.receiveAll().0.contains(goAway))
      let client = try await FrameClient(to: .loopback(port: server.port))
      await client.ask("/a", on: 1)
      await expectEqual(client.receive(until: "1 end"), ["1 200", "1 =a", "1 end"])
      client.raw.close()
    }
  }

  @Test func `a server with an upstream speaks HTTP/1.1 alone`() async throws {
    let origin = try await Origin(saying: StoppingTests.answer)
    let options = try ReplayServer.Options.before(origin.url)
    try await ReplayServer.serving(Deck(Cassette(), mode: .rewrite), options) { server in
      let answer = try await server.answer(to: FrameClient.preface)
      expectEqual(answer.statusLine, "HTTP/1.1 505 HTTP Version Not Supported")
    }
  }

  // MARK: - Streams

  @Test func `streams are answered in their own time, and their requests are noted`() async throws {
    let deck = Self.deck(Self.slow(100))
    try await Self.serving(deck) { client, _ in
      await client.send { bytes in
        for (id, path) in [(1, "/slow"), (3, "/a"), (5, "/none")] {
          bytes.appendRequest(path, on: id)
        }
      }
      let words = await client.receive(until: "1 end")
      expectEqual(words.filter { $0.hasPrefix("1 ") }, ["1 200", "1 =slow", "1 end"])
      expectEqual(words.prefix(3), ["3 200", "3 =a", "3 end"])
      #expect(words.contains("5 501") && words.last == "1 end")
    }
    expectEqual(deck.requests().map(\.connection?.isHTTP2), [true, true, true])
  }

  @Test func `uploads and responses share the connection's windows`() async throws {
    try await ReplayServer.serving(Self.deck()) { server in
      let client = try await FrameClient(to: .loopback(port: server.port), window: 4)
      await client.ask("/large", on: 1)
      await client.ask("/up", on: 3, more: true)
      let content = [UInt8](repeating: 65, count: 16_384)
      for _ in 0..<100 {
        await client.send { bytes in
          bytes.appendFrame(.data, on: 3, length: content.count)
          bytes += content
        }
      }
      await client.send { $0.appendFrame(.data, .endStream, on: 3, length: 0) }
      await client.send { $0.appendWindowUpdate(100, on: 3) }
      let words = await client.receive(until: "3 end")
      expectEqual(words.filter { $0.hasPrefix("1 ") }, ["1 200", "1 =0123"])
      expectEqual(words.filter { $0.hasPrefix("3 =") }.map { $0.dropFirst(3) }.joined(), "got it")
      await client.send { $0.appendWindowUpdate(100, on: 1) }
      await expectEqual(client.receive(until: "1 end"), ["1 =456789", "1 end"])
      client.raw.close()
    }
  }

  @Test func `a stream that stalls stops no other`() async throws {
    let deck = Self.deck([.on("GET /large", .always, .stall(afterBodyBytes: 4))])
    try await Self.serving(deck) { client, server in
      await client.ask("/large", on: 1)
      await expectEqual(client.receive(until: "1 =0123"), ["1 200", "1 =0123"])
      for stream in [3, 5] {
        await client.ask("/a", on: stream)
        let expected = ["\(stream) 200", "\(stream) =a", "\(stream) end"]
        await expectEqual(client.receive(until: "\(stream) end"), expected)
      }
      await client.send { $0.appendReset(.cancel, on: 1) }
      await client.ask("/b", on: 7)
      await expectEqual(client.receive(until: "7 end"), ["7 200", "7 =b", "7 end"])
    }
  }

  // MARK: - Ends

  @Test func `a reset ends the connection, and its other requests have that cause`() async throws {
    let ends = Events<(path: String, end: ExchangeEnd)>()
    let scenario: Scenario = [
      .on("GET /large", .always, .reset(afterBodyBytes: 4)),
      .on("GET /slow", .always, .delay(.exactly(.seconds(3000)))),
    ]
    let deck = Self.deck(scenario) { event in
      if case .ended(let outcome, let end?) = event { ends((outcome.request.url.path, end)) }
    }
    try await Self.serving(deck) { client, _ in
      await client.ask("/slow", on: 1)
      await client.ask("/large", on: 3)
      let (words, _, end) = await client.receiveAll()
      expectEqual(words, ["3 200", "3 =0123"])
      expectEqual(end, .reset)
    }
    let told = await ends.first(2)
    expectEqual(told.map(\.path).sorted(), ["/large", "/slow"])
    expectEqual(told.map(\.end.ending), [.cut, .cut])
    let causes = told.sorted { $0.path < $1.path }.map(\.end.problem)
    expectEqual(causes, [nil, "Another stream's fault on this connection."])
  }

  @Test func `a response that ends its connection announces it`() async throws {
    var options = ReplayServer.Options.patient
    options.closesConnections = true
    try await ReplayServer.serving(Self.deck(), options) { server in
      let client = try await FrameClient(to: .loopback(port: server.port), window: 2)
      // The window keeps the first response open beyond the end of the second one.
      await client.ask("/slow", on: 1)
      await expectEqual(client.receive(until: "1 =sl"), ["1 200", "1 =sl"])
      await client.ask("/a", on: 3)
      let second = ["3 200", "3 =a", "3 end", Self.announced]
      await expectEqual(client.receive(until: Self.announced), second)
      await client.ask("/b", on: 5)
      let refusal = "5 reset refusedStream"
      await expectEqual(client.receive(until: refusal), [refusal])
      await client.send { $0.appendWindowUpdate(100, on: 1) }
      let (words, rest, end) = await client.receiveAll()
      expectEqual(words, ["1 =ow", "1 end", "goaway 5 noError"])
      #expect(rest.isEmpty && end == .finished)
      client.raw.close()
    }
  }

  @Test func `a server that stops finishes its streams and says which they were`() async throws {
    let begun = Events<Void>()
    let deck = Self.deck(Self.slow(200)) { event in
      if case .requestEnd = event { begun(()) }
    }
    let server = try await ReplayServer(deck, .patient)
    let client = try await FrameClient(to: .loopback(port: server.port))
    await client.ask("/slow", on: 1)
    try await begun.next()
    async let stopped: Void = server.stop(grace: .seconds(40))
    let (words, _, end) = await client.receiveAll()
    expectEqual(words, [Self.announced, "1 200", "1 =slow", "1 end", "goaway 1 noError"])
    expectEqual(end, .finished)
    await stopped
    client.raw.close()
  }

  @Test func `a connection that ends idle is announced to end`() async throws {
    let deck = Self.deck([.on("GET /a", .always, .idle(IdleEnd(.close, .idle(.milliseconds(20)))))])
    try await Self.serving(deck) { client, _ in
      await client.ask("/a", on: 1)
      let (words, _, end) = await client.receiveAll()
      expectEqual(words, ["1 200", "1 =a", "1 end", Self.announced, "goaway 1 noError"])
      expectEqual(end, .finished)
    }
  }

  @Test func `a half-closed connection keeps its server free`() async throws {
    let deck = Self.deck([.on("GET /large", .always, .halfClose(afterBodyBytes: 4))])
    var options = ReplayServer.Options.patient
    options.loops = 1
    try await Self.serving(deck, options) { client, server in
      await client.ask("/large", on: 1)
      let (words, _, end) = await client.receiveAll()
      expectEqual(words, ["1 200", "1 =0123"])
      expectEqual(end, .finished)
      let other = try await server.answer(to: closing("GET /a", host: "api.example.test"))
      expectEqual(other.content, "a")
    }
  }

  @Test func `a request is not remembered by the fields of another stream`() async throws {
    try await Self.serving { client, _ in
      await client.send { bytes in
        bytes.appendHeaders(endsStream: false, on: 1) { block in
          for (name, value) in [
            (":method", "GET"), (":scheme", "http"), (":authority", "api.example.test"),
            (":path", "/a"), ("content-length", "0"),
          ] { block.appendHPACK(name: name, value: value) }
        }
        bytes.appendRequest("/b", on: 3, with: ["connection": "x"])
        bytes.appendFrame(.data, .endStream, on: 1, length: 0)
      }
      _ = await client.receive(until: "1 end")
      await client.ask("/b", on: 5, with: ["connection": "x"])
      let words = await client.receive(until: "5 end", "5 reset protocolError")
      expectEqual(words.last, "5 reset protocolError")
    }
  }

  @Test func `a client that sends no more receives every response`() async throws {
    try await ReplayServer.serving(Self.deck()) { server in
      let client = try await FrameClient(to: .loopback(port: server.port), window: 1 << 20)
      await client.send { bytes in
        bytes.appendWindowUpdate(1 << 30, on: 0)
        // The end arrives behind the first turn of reading, and responses fill the queue behind it.
        for id in 0..<1110 { bytes.appendRequest(id < 1000 ? "/a" : "/frame", on: 2 * id + 1) }
      }
      client.raw.socket.finishWriting()
      let (words, _, end) = await client.receiveAll()
      expectEqual(words.filter { $0.hasSuffix(" end") }.count, 1110)
      expectEqual(words.filter { $0.contains("reset") }, [])
      expectEqual(words.last, "goaway 2219 noError")
      expectEqual(end, .finished)
      client.raw.close()
    }
  }

  @Test func `a fault of connecting concerns one connection, with all of its streams`() async throws
  {
    let deck = Self.deck([.always(.attempt(2), .connection(.refused))])
    try await ReplayServer.serving(deck) { server in
      for isRefused in [false, true, false] {
        let client = try await FrameClient(to: .loopback(port: server.port))
        for id in [1, 3] { await client.ask("/a", on: id) }
        if isRefused {
          await expectEqual(client.receiveAll().words, [])
        } else {
          await expectEqual(client.receive(until: "3 end").suffix(3), ["3 200", "3 =a", "3 end"])
        }
        client.raw.close()
      }
    }
    let connections = deck.journal.all.filter { $0.take == .connection }
    expectEqual(connections.map(\.decision.ordinal), [2])
    expectEqual(deck.requests().count, 4)
  }

  @Test func `a connection that ends serves the request that has begun`() async throws {
    var options = ReplayServer.Options.patient
    options.closesConnections = true
    try await Self.serving(Self.deck(), options) { client, _ in
      await client.ask("/up", on: 1, more: true)
      await client.ask("/a", on: 3)
      let first = await client.receive(until: Self.announced)
      expectEqual(first, ["3 200", "3 =a", "3 end", Self.announced])
      await client.send { $0.appendFrame(.data, .endStream, on: 1, length: 0) }
      let (words, _, end) = await client.receiveAll()
      expectEqual(words, ["1 200", "1 =got it", "1 end", "goaway 3 noError"])
      expectEqual(end, .finished)
    }
  }

  @Test func `an idle end comes once the last stream is cancelled`() async throws {
    let scenario: Scenario = [
      .on("GET /a", .always, .idle(IdleEnd(.close, .idle(.milliseconds(20))))),
      .on("GET /slow", .always, .delay(.exactly(.seconds(3000)))),
    ]
    try await Self.serving(Self.deck(scenario)) { client, _ in
      await client.ask("/slow", on: 1)
      await client.ask("/a", on: 3)
      await expectEqual(client.receive(until: "3 end"), ["3 200", "3 =a", "3 end"])
      await client.send { $0.appendReset(.cancel, on: 1) }
      let (words, _, end) = await client.receiveAll()
      expectEqual(words, [Self.announced, "goaway 3 noError"])
      expectEqual(end, .finished)
    }
  }

  @Test func `a client that is idle for too long is told which requests were served`() async throws
  {
    var options = ReplayServer.Options.patient
    options.limits.idleSeconds = 0.5
    // The longer one is sent in turns.
    for (path, count) in [("/a", 1), ("/long", 20_000)] {
      try await Self.serving(Self.deck(), options) { client, _ in
        await client.ask(path, on: 1)
        let (words, _, end) = await client.receiveAll()
        expectEqual(client.content[1]?.count, count)
        expectEqual(words.suffix(2), ["1 end", "goaway 1 noError"])
        expectEqual(end, .finished)
      }
    }
  }

  @Test func `a response in bytes is one of frames`() async throws {
    let scenario: Scenario = [
      .on("GET /large", .always, .malformed(.lengthTooShort)),
      .on("GET /b", .always, .malformed(.garbage)),
      .on("GET /a", .always, .cut(at: .inHeaders, then: .close)),
    ]
    let expected = [
      "/large": ["1 200", "1 =01234", "1 end", Self.announced, "goaway 1 noError"], "/b": [],
      "/a": [],
    ]
    for (path, words) in expected {
      try await Self.serving(Self.deck(scenario)) { client, _ in
        await client.ask(path, on: 1)
        let all = await client.receiveAll()
        expectEqual(all.words, words)
        expectEqual(all.rest.count, path == "/b" ? 64 : 0)
        expectEqual(all.end, .finished)
      }
    }
  }

  @Test func `recorded interim responses precede the response`() async throws {
    var page = Interaction(Request("GET", "http://api.example.test/a"), .text("hi"), then: .repeat)
    page.editResponse { response in
      response.head.informational = [
        ResponseHead(status: 103, headers: ["Link": "</a.css>"]), ResponseHead(status: 100),
      ]
    }
    try await Self.serving(Deck(Cassette([page]))) { client, _ in
      await client.ask("/a", on: 1)
      let words = ["1 103 link=</a.css>", "1 100", "1 200", "1 =hi", "1 end"]
      await expectEqual(client.receive(until: "1 end"), words)
    }
  }

  // MARK: - Limits

  @Test func `a request beyond a limit is refused on its stream`() async throws {
    var options = ReplayServer.Options.patient
    options.limits.headerBytesMax = 1024
    options.limits.unreadBodyBytesMax = 10
    try await Self.serving(Self.deck(), options) { client, _ in
      await client.ask("/a", on: 1, with: ["x-long": String(repeating: "x", count: 2000)])
      await expectEqual(client.receive(until: "1 end").first, "1 431")
      await client.ask("/up", on: 3, with: ["content-length": "11"], more: true)
      await expectEqual(client.receive(until: "3 end").first, "3 413")
      await client.ask("/a", on: 5)
      let words = await client.receive(until: "5 end")
      expectEqual(words.filter { $0.hasPrefix("5") }, ["5 200", "5 =a", "5 end"])
    }
  }

  @Test func `a request that is not whole in time is refused, and the connection ends`()
    async throws
  {
    var options = ReplayServer.Options.patient
    options.limits.requestSeconds = 0.05
    let ends = Events<ExchangeEnd>()
    let deck = Self.deck(Self.slow(3_000_000)) { event in
      if case .ended(_, let end?) = event { ends(end) }
    }
    try await Self.serving(deck, options) { client, _ in
      await client.ask("/slow", on: 1)
      await client.ask("/up", on: 3, more: true)
      let (words, _, end) = await client.receiveAll()
      expectEqual(words.first, "3 408")
      expectEqual(words.last, "goaway 3 noError")
      expectEqual(end, .finished)
    }
    // Another request has the limit as its cause.
    let end = try await ends.next()
    expectEqual(end.ending, .cut)
    expectEqual(end.problem, "The connection ended: The request took longer than 0 s.")
  }

  @Test func `a response that its client does not accept is reset, and no other suffers`()
    async throws
  {
    var options = ReplayServer.Options.patient
    options.limits.sendSeconds = 0.2
    let ends = Events<ExchangeEnd>()
    let paths = ["/long": String(repeating: "x", count: 100_000), "/b": "b"]
    let pages = paths.map { Interaction(Request("GET", RequestURL($0)), Response(body: Body($1))) }
    let deck = Deck(Cassette(pages), options: PlaybackOptions(then: .repeat)) { event in
      if case .ended(_, let end?) = event { ends(end) }
    }
    try await Self.serving(deck, options, window: 4) { client, _ in
      await client.ask("/long", on: 1)
      await client.ask("/b", on: 3)
      var words = await client.receive(until: "1 reset cancel")
      await client.ask("/b", on: 5)
      words += await client.receive(until: "5 end")
      let streams = Dictionary(grouping: words, by: \.first)
      expectEqual(streams["1"], ["1 200", "1 =xxxx", "1 reset cancel"])
      expectEqual(streams["3"], ["3 200", "3 =b", "3 end"])
      expectEqual(streams["5"], ["5 200", "5 =b", "5 end"])
      // A client that sends no more cannot enlarge the window.
      await client.ask("/long", on: 7)
      client.raw.socket.finishWriting()
      let last = await client.receiveAll().words
      #expect(last.contains("7 reset cancel") && last.last == "goaway 7 noError")
    }
    let causes = await ends.first(4).compactMap(\.problem)
    let cause = "The client accepted nothing of the response for 0 s."
    expectEqual(causes, [cause, cause])
  }

  @Test func `requests that overlap have a time each`() async throws {
    var options = ReplayServer.Options.patient
    options.limits.requestSeconds = 8
    try await Self.serving(Self.deck(), options) { client, _ in
      var stream = 1
      await client.ask("/up", on: stream, more: true)
      // One request is always incomplete, for longer than a single one may be.
      let end = ContinuousClock.now + .seconds(9)
      while ContinuousClock.now < end {
        await client.ask("/up", on: stream + 2, more: true)
        let last = stream
        await client.send { $0.appendFrame(.data, .endStream, on: last, length: 0) }
        let words = await client.receive(until: "\(last) end")
        guard words.contains("\(last) 200") else {
          Issue.record("\(words)")
          return
        }
        stream += 2
      }
    }
  }

  @Test(arguments: [false, true])
  func `a connection with many requests lets another one have its turn`(ends: Bool) async throws {
    let (decided, released) = (Locked<[String]>([]), DispatchSemaphore(value: 0))
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    let deck = Self.deck { event in
      guard case .decided(let record) = event, record.decision.key != "connection" else { return }
      // The loop waits at the first request until all requests have arrived.
      if decided.withLock({ paths in
        paths.append(record.decision.key)
        return paths.count == 1
      }) {
        arrival.yield()
        released.wait()
      }
    }
    var options = ReplayServer.Options.patient
    options.loops = 1
    try await Self.serving(deck, options) { client, server in
      let other = try await FrameClient(to: .loopback(port: server.port))
      await client.ask("/a", on: 1)
      for await _ in arrivals { break }
      for id in 1...1000 { await client.ask("/a", on: 2 * id + 1) }
      if ends { client.raw.socket.finishWriting() }
      await other.ask("/b", on: 1)
      released.signal()
      await expectEqual(other.receive(until: "1 end"), ["1 200", "1 =b", "1 end"])
      _ = await client.receive(until: "2001 end")
      #expect(decided.withLock { $0.prefix(500).contains { $0.hasSuffix("/b") } })
      expectEqual(decided.withLock { $0.count }, 1002)
      other.raw.close()
    }
  }

  @Test func `what is no HTTP/2 ends the connection with its error`() async throws {
    try await Self.serving { client, _ in
      await client.send { $0.appendFrame(.data, on: 1, length: 0) }
      let (words, _, end) = await client.receiveAll()
      expectEqual(words, ["goaway 0 protocolError"])
      expectEqual(end, .finished)
    }
  }
}
