import Origins
import PlantedSecrets
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// Answers of live origins at the console of a proxy, and requests that it sends again.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct ConsoleLiveTests {
  /// Makes a proxy with a console.
  private static func proxying(
    _ scenario: Scenario = .calm,
    opening: TunnelOpening? = nil,
    _ body: (ConsoleStand) async throws -> Void
  ) async throws {
    let console = Console(.proxy)
    let deck = Deck(
      Cassette(),
      scenario: scenario,
      options: PlaybackOptions(then: .repeat, isProxied: true),
      observe: { console.observe($0) }
    )
    var options = ReplayServer.Options.patient
    var proxy = Proxying()
    proxy.opening = opening
    (options.proxy, options.console) = (proxy, ConsolePort(console))
    try await ReplayServer.serving(deck, options) { server in
      let port = try #require(server.consoleURL.flatMap { RequestURL($0).port })
      try await body(ConsoleStand(server: server, console: console, port: port))
    }
  }

  private static func answer(_ fields: String, _ content: Data) -> [KeptOrigin.Step] {
    let head = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(content.count)\r\n\r\n"
    return [.send(Data(head.utf8) + content)]
  }

  private static func detail(_ id: Int, of stand: ConsoleStand) async throws -> JSON {
    let text = try await stand.ask("GET /exchanges/\(id)", type: nil).content
    return try JSON(parsing: Data(text.utf8), source: "detail")
  }

  private static func messages(of detail: JSON) throws -> [JSON] {
    guard case .array(let messages)? = detail["messages"] else {
      throw FormatError(source: "detail", place: "messages", problem: "\(detail)", fix: nil)
    }
    return messages
  }

  /// The answer that opens a conversation.
  private static let opened = LiveResponse(
    head: ResponseHead(status: 101),
    content: .empty,
    bytes: 0
  )

  private static let secret = "q9secretvalue7x"
  private static let json = #"{"name":"Ada","access_token":"\#(secret)"}"#
  private static let type = "Content-Type: application/json\r\n"

  /// What an origin answers by path.
  private static let answers: [String: [KeptOrigin.Step]] = [
    "/plain": answer(type, Data(json.utf8)),
    "/packed": answer("\(type)Content-Encoding: gzip\r\n", Packed.gzip(json)),
    "/other": answer("\(type)Content-Encoding: br\r\n", Data([1, 2, 3])),
    "/large": answer(type, Data(count: ServedExchange.contentBytesMax + 1)),
    "/broken": [
      .send(Data("HTTP/1.1 200 OK\r\n\(type)Content-Length: 999\r\n\r\n\(json)".utf8)), .close,
    ],
    "/moved": [
      .send(
        Data("HTTP/1.1 302 Found\r\nLocation: /plain?access_token=\(secret)\r\n\r\n".utf8)
      ), .close,
    ],
  ]

  @Test func `a live answer is shown without its secrets, or why it is not`() async throws {
    let origin = try KeptOrigin { asked in
      Self.answers[String(asked.line.dropFirst("GET ".count))] ?? [.close]
    }
    defer { origin.stop() }
    try await Self.proxying { stand in
      let paths = ["/plain", "/packed", "/other", "/large", "/broken", "/moved"]
      for path in paths { _ = try await stand.get("\(origin.url)\(path)") }
      var shown: [String: JSON] = [:]
      for (place, path) in paths.enumerated() {
        let detail = try await Self.detail(place + 1, of: stand)
        shown[path] = detail["response"] ?? .null
        #expect(!String(decoding: Data(detail.bytes()), as: UTF8.self).contains(Self.secret))
      }
      for path in ["/plain", "/packed"] {
        let body = shown[path]?["body"]?.stringValue ?? ""
        #expect(body.hasPrefix(#"{"name":"Ada","access_token":"REDACTED"#), "\(path): \(body)")
        #expect(shown[path]?["bodyKind"] == "json" && shown[path]?["note"] == .null)
      }
      expectEqual(shown["/plain"]?["line"], "HTTP/1.1 200")
      let notes = [
        "/other": "encoded in br, which is not supported",
        "/large": "too large to search for secrets; record it to keep it",
        "/broken": "incomplete, so it cannot be searched for secrets",
      ]
      for (path, note) in notes {
        #expect(shown[path]?["note"] == .text(note) && shown[path]?["body"] == .null)
        expectEqual(shown[path]?["bodyKind"], "unknown")
      }
      expectEqual(shown["/large"]?["bodyBytes"]?.intValue, ServedExchange.contentBytesMax + 1)
      expectEqual(shown["/moved"]?["bodyKind"], "empty")
      // A cassette is made of what came whole.
      let kept = try await stand.ask("POST /cassettes", #"{"ids":[1,2,3,4,5,6]}"#)
      let cassette = try Cassette(data: Data(kept.content.utf8), source: "kept")
      expectEqual(cassette.interactions.map(\.request.url.path), ["/plain", "/packed", "/moved"])
      expectEqual(cassette.interactions[1].response?.body.text?.contains("Ada"), true)
      expectNil(cassette.interactions[1].response?.headers["Content-Encoding"])
      #expect(!kept.contains(Self.secret))
    }
  }

  @Test func `an answer that a fault took the place of is not shown as the answer`() async throws {
    let origin = try KeptOrigin { _ in Self.answer(Self.type, Data(Self.json.utf8)) }
    defer { origin.stop() }
    let scenario: Scenario = [.on("GET *", .always, .truncate(afterBodyBytes: 3))]
    try await Self.proxying(scenario) { stand in
      _ = try await stand.get("\(origin.url)/plain")
      try await expectEqual(Self.detail(1, of: stand)["response"], .null)
    }
  }

  @Test func `without a console, live responses cause no events`() async throws {
    let origin = try KeptOrigin { _ in Self.answer(Self.type, Data(Self.json.utf8)) }
    defer { origin.stop() }
    let told = Locked(0)
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(then: .repeat, isProxied: true),
      observe: { if case .passed = $0 { told.withLock { $0 += 1 } } }
    )
    var options = ReplayServer.Options.patient
    options.proxy = Proxying()
    try await ReplayServer.serving(deck, options) { server in
      let heard = try await server.answer(to: closing("GET \(origin.url)/plain"))
      expectEqual(heard.content, Self.json)
    }
    expectEqual(told.withLock { $0 }, 0)
  }

  @Test func `the contents of the newest live answers are kept`() {
    var exchanges = ServedExchanges()
    let large = Body(Data(count: ServedExchange.contentBytesMax))
    let most = ServedExchange.contentsBytesMax / ServedExchange.contentBytesMax
    for id in 1...most + 3 {
      let outcome = Self.outcome(id)
      exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
      let head = Response().head
      let answer = LiveResponse(head: head, content: large, bytes: large.count)
      exchanges.apply(.passed(outcome, answer), at: .zero)
    }
    let kept = exchanges.feed.subjects.filter { $0.interaction != nil }.map(\.id)
    expectEqual(kept, Array(4...most + 3))
    let told = exchanges.feed[1]?.detail(in: nil).first { $0.name.value == "response" }?.value
    expectEqual(told?["note"], "no longer stored, in favour of newer ones")
  }

  @Test(arguments: [false, true])
  func `a live conversation is two lanes, without its secrets`(compresses: Bool) async throws {
    guard !compresses || PerMessageDeflate.isSupported else { return }
    let origin = try await WebSocketOrigin(compresses: compresses, answering: WebSocketOrigin.echo)
    try await Self.proxying { stand in
      let peer = try await WebSocketPeer(
        try stand.server.client(),
        "http://\(origin.address)/chat",
        compresses ? ["Sec-WebSocket-Extensions": "permessage-deflate"] : [:],
        deflate: compresses ? PerMessageDeflate() : nil
      )
      for text in [#"{"access_token":"\#(Self.secret)"}"#, #"{"hello":"\#(Self.secret)"}"#] {
        await peer.say(text)
        await expectEqual(peer.hear(1), [.text(text, frames: 1)])
      }
      await peer.say([0, 255])
      await expectEqual(peer.hear(1), [.binary([0, 255], frames: 1)])
      // It is there while it goes on.
      let whole = try await Self.detail(1, of: stand)
      #expect(whole["row"]?["conversation"] == true && whole["row"]?["status"] == 101)
      #expect(whole["response"]?["line"] == "HTTP/1.1 101" && whole["unshown"] == .null)
      let lanes = try Self.messages(of: whole).map { message in
        let told = ["from", "kind", "text"].map { message[$0]?.stringValue ?? "-" }
        return "\(told.joined(separator: " ")) \(message["bytes"]?.intValue ?? -1)"
      }
      let token = #"{"access_token":"REDACTED-access-token-1"}"#
      let hello = #"{"hello":"REDACTED-access-token-1"}"#
      expectEqual(
        lanes,
        [
          "client text \(token) 42", "server text \(token) 42",
          "client text \(hello) 35", "server text \(hello) 35",
          "client binary  2", "server binary  2",
        ]
      )
      #expect(!String(decoding: Data(whole.bytes()), as: UTF8.self).contains(Self.secret))
      await peer.close(1000)
      _ = await peer.hearAll()
      // A handshake alone is no cassette.
      let kept = try await stand.ask("POST /cassettes", #"{"ids":[1]}"#)
      #expect(!kept.contains("HTTP/1.1 200"))
    }
  }

  @Test(arguments: [true, false])
  func `a recorded conversation is kept whole, and shown where somebody looks`(
    isFollowed: Bool
  ) async throws {
    let origin = try await WebSocketOrigin(answering: WebSocketOrigin.echo)
    let seen = Locked<[String]>([])
    let console = Console(.record)
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(mode: .rewrite),
      observe: { event in
        switch event {
        case .passed: seen.withLock { $0.append("passed") }
        case .said: seen.withLock { $0.append("said") }
        default: break
        }
        console.observe(event)
      }
    )
    var options = try ReplayServer.Options.before(RequestURL("http://\(origin.address)"))
    options.console = ConsolePort(console)
    try await ReplayServer.serving(deck, options) { server in
      if !isFollowed { deck.follow(.nothing) }
      let peer = try await WebSocketPeer(try server.client(), "/chat")
      for number in 1...3 {
        await peer.say("\(number)")
        _ = await peer.hear(1)
      }
      await peer.close(1000)
      _ = await peer.hearAll()
      #expect(console.board.counts == (isFollowed ? (1, 0, 0) : (0, 0, 1)))
    }
    let messages = try #require(deck.recorded().cassette.interactions.first).messages
    expectEqual(messages.compactMap(\.body.text), ["1", "1", "2", "2", "3", "3", "", ""])
    let told = ["passed"] + Array(repeating: "said", count: 8)
    expectEqual(seen.withLock { $0 }, (isFollowed ? told : []))
  }

  /// Says so many messages of a size in a live conversation, and returns its detail.
  private static func conversing(
    _ count: Int,
    of bytes: Int,
    until isThere: (JSON) -> Bool
  ) async throws -> JSON {
    let origin = try await WebSocketOrigin { _, _ in [] }
    var detail = JSON.null
    try await Self.proxying { stand in
      let url = "http://\(origin.address)/chat"
      let peer = try await WebSocketPeer(try stand.server.client(), url)
      for _ in 0..<count { await peer.say([UInt8](repeating: 1, count: bytes)) }
      repeat { detail = try await Self.detail(1, of: stand) } while !isThere(detail)
      await peer.leave()
    }
    return detail
  }

  @Test func `of a long live conversation the beginning is shown, and that it is one`() async throws
  {
    let detail = try await Self.conversing(502, of: 1) { $0["unshown"] != .null }
    try expectEqual(Self.messages(of: detail).count, 500)
    expectEqual(
      detail["unshown"],
      "Later messages are not shown: the maximum is 500 messages and 256 KiB."
    )
  }

  @Test func `a message that is too large to be shown is not held, and nothing behind it is`()
    async throws
  {
    let large = ServedExchange.contentBytesMax + 1
    let detail = try await Self.conversing(3, of: large) { $0["unshown"] != .null }
    expectEqual(detail["messages"], .array([]))
    let told = detail["unshown"]?.stringValue ?? ""
    expectEqual(told, "Later messages are not shown: a message is too large.")
    #expect(detail["request"] != .null)
  }

  @Test func `what was said before a message that is too large is shown`() async throws {
    let large = Data(count: ServedExchange.contentBytesMax + 1)
    let origin = try await WebSocketOrigin { event, writer in
      guard case .message = event else { return [] }
      let small = writer.message(Data("hello".utf8), isText: true)
      return [small + writer.message(large, isText: false)]
    }
    try await Self.proxying { stand in
      let url = "http://\(origin.address)/chat"
      let peer = try await WebSocketPeer(try stand.server.client(), url)
      await peer.say("begin")
      var detail = JSON.null
      repeat { detail = try await Self.detail(1, of: stand) } while detail["unshown"] == .null
      try expectEqual(Self.messages(of: detail).map { $0["text"] }, ["begin", "hello"])
      await peer.leave()
    }
  }

  @Test func `one message that cannot be looked through hides the exchange, and it says so`()
    throws
  {
    var exchanges = ServedExchanges()
    let outcome = Self.outcome(1)
    exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
    exchanges.apply(.passed(outcome, Self.opened), at: .zero)
    let naming = Data(#"{"access_token":"\#(Self.secret)"}"#.utf8)
    let hiding = Data([0xFF, 0x00]) + Data(Self.secret.utf8) + Data([0xFF])
    for (data, isText) in [(naming, true), (hiding, false)] {
      let message = WebSocketMessage(from: .client, Body(data), isText: isText, offset: .zero)
      exchanges.apply(.said(outcome, .message(message)), at: .zero)
    }
    let detail = JSON.object(try #require(exchanges.feed[1]?.detail(in: nil)))
    #expect(!String(decoding: Data(detail.bytes()), as: UTF8.self).contains(Self.secret))
    #expect(detail["request"] == .null && detail["response"] == .null)
    expectEqual(detail["messages"], .array([]))
    expectEqual(
      detail["unshown"],
      "No message is shown, because one of them cannot be searched for secrets."
    )
  }

  private static func outcome(_ id: Int, skipped: Int? = 0) -> Outcome {
    Outcome(
      id: id,
      request: Request("GET", RequestURL("http://api.example.test/\(id)")),
      source: .forward(ticket: nil),
      decision: FaultDecision(lane: .deck, key: "GET /\(id)", ordinal: 1, faults: []),
      skipped: skipped
    )
  }

  @Test func `conversations push out old lines as requests do`() {
    var exchanges = ServedExchanges()
    let count = 1000
    for id in 1...count {
      let outcome = Self.outcome(id)
      exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
      exchanges.apply(.passed(outcome, Self.opened), at: .zero)
    }
    let body = Body(Data(count: 200_000))
    for id in 1...count {
      let message = WebSocketMessage(from: .client, body, isText: false, offset: .zero)
      exchanges.apply(.said(Self.outcome(id), .message(message)), at: .zero)
    }
    let kept = exchanges.feed.subjects.reduce(0) { $0 + $1.cost }
    #expect(kept <= ConsoleFeed<ServedExchange>.bytesMax && exchanges.feed.subjects.count > 100)
  }

  @Test func `a response by a fault or the proxy itself is not marked as forwarded`()
    async throws
  {
    let origin = try KeptOrigin { _ in Self.answer(Self.type, Data(Self.json.utf8)) }
    defer { origin.stop() }
    let scenario: Scenario = [
      .on("GET /a", .always, .delay(.exactly(.milliseconds(1)))),
      .on("GET /bad", .always, .status(503)),
    ]
    try await Self.proxying(scenario) { stand in
      _ = try await stand.get("\(origin.url)/bad")
      _ = try await stand.get("\(origin.url)/good")
      var detail = try await Self.detail(1, of: stand)
      #expect(detail["row"]?["source"] == "withheld" && detail["row"]?["interaction"] == .null)
      expectEqual(detail["rules"], .array(["status 503: rule 2, GET /bad"]))
      expectEqual(
        detail["match"]?["words"],
        .text("GET \(origin.url)/bad had a fault; no request was sent to the live server.")
      )
      detail = try await Self.detail(2, of: stand)
      #expect(detail["row"]?["source"] == "forwarded" && detail["rules"] == .array([]))
      expectEqual(origin.asked.map(\.line), ["GET /good"])
      let told = try await stand.events(until: "event: counters")
      #expect(told.contains(#""sources":{"forwarded":1,"withheld":1}"#))
    }
  }

  @Test(arguments: [false, true])
  func `what the proxy refuses to connect to was not passed on either`(isEarly: Bool) throws {
    var exchanges = ServedExchanges()
    let outcome = Self.outcome(1)
    let reason = "10.88.0.2:80 is not of the Internet."
    if isEarly { exchanges.apply(.notAsked(outcome, reason), at: .zero) }
    exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
    if !isEarly { exchanges.apply(.notAsked(outcome, reason), at: .zero) }
    let end = ExchangeEnd(status: 403, bytes: 9, latency: .zero, ending: .whole)
    exchanges.apply(.ended(outcome, end), at: .zero)
    expectEqual(exchanges.feed[1]?.row.take, "withheld")
    expectEqual(exchanges.feed.counters.json(at: .zero)["sources"], ["withheld": 1])
    let detail = JSON.object(try #require(exchanges.feed[1]?.detail(in: nil)))
    expectEqual(
      detail["match"]?["words"],
      .text("GET http://api.example.test/1 was not passed on to the live server. \(reason)")
    )
  }

  @Test func `a server that cannot be reached was asked, and it says what failed`() async throws {
    let closed = try Socket.listening(at: .loopback(), backlog: 1)
    let dead = try #require(closed.localAddress)
    closed.close()
    try await Self.proxying { stand in
      _ = try await stand.get("http://\(dead)/a")
      let detail = try await Self.detail(1, of: stand)
      #expect(detail["row"]?["source"] == "forwarded" && detail["row"]?["status"] == 502)
      let words = detail["match"]?["words"]?.stringValue ?? ""
      #expect(
        words.hasSuffix("was passed on to the live server, which failed (connectionRefused).")
      )
    }
  }

  @Test func `of a conversation in an extension that is not read it is said that it is not`()
    async throws
  {
    let address = try await EventLoop.serve { script in
      script.received = { channel, _ in
        channel.write(
          Array(
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
              + "Sec-WebSocket-Extensions: x-own\r\n\r\n").utf8
          )
        )
      }
      script.ended = { $0.close() }
    }
    try await Self.proxying { stand in
      let peer = try await WebSocketPeer(
        try stand.server.client(),
        "http://\(address)/chat",
        ["Sec-WebSocket-Extensions": "x-own"]
      )
      #expect(peer.head.hasPrefix("HTTP/1.1 101 "))
      let detail = try await Self.detail(1, of: stand)
      #expect(detail["row"]?["source"] == "forwarded" && detail["row"]?["conversation"] == true)
      expectEqual(detail["messages"], .array([]))
      let told = detail["unshown"]?.stringValue ?? ""
      #expect(told.hasPrefix("Later messages are not shown: "), "\(told)")
      #expect(told.hasSuffix(".") && !told.hasSuffix(".."), "\(told)")
      await peer.leave()
    }
  }

  @Test func `a proxy sends a request again through itself`() async throws {
    let origin = try KeptOrigin { _ in Self.answer(Self.type, Data(Self.json.utf8)) }
    defer { origin.stop() }
    try await Self.proxying { stand in
      let body = #"{"a":1}"#
      _ = try await stand.server.answer(
        to: "POST \(origin.url)/orders?x=1 HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n\(Self.type)"
          + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      let told = try await stand.ask("POST /exchanges/1/again", "{}")
      #expect(told.statusLine.contains(" 202 "))
      while origin.asked.count < 2 { await Task.yield() }
      let asked = origin.asked
      expectEqual(asked.map(\.line), ["POST /orders?x=1", "POST /orders?x=1"])
      #expect(asked.allSatisfy { $0.body == Data(body.utf8) && $0.head.contains("\r\nX-A: 1") })
      // It is a line of its own.
      let text = try await stand.events(until: #""id":2,"#)
      #expect(text.contains(#""again":true"#))
    }
  }

  @Test func `what another device has asked for is not sent again from here`() async throws {
    try await Self.proxying { stand in
      var outcome = Outcome(
        id: 900,
        request: Request("GET", "http://127.0.0.1:1/requests"),
        source: .forward(ticket: nil),
        decision: FaultDecision(lane: .deck, key: "GET /requests", ordinal: 1, faults: [])
      )
      outcome.client = "192.168.1.7"
      stand.console.observe(.requestEnd(outcome, handshake: nil, upload: nil))
      let told = try await stand.ask("POST /exchanges/1/again", "{}")
      #expect(told.statusLine.contains(" 409 ") && told.content.contains("is from 192.168.1.7"))
      expectEqual(stand.console.board.counts.kept, 1)
    }
  }

  @Test func `content that was passed on while it came is not sent or kept as none`() async throws {
    let origin = try KeptOrigin { _ in Self.answer(Self.type, Data(Self.json.utf8)) }
    defer { origin.stop() }
    try await Self.proxying { stand in
      let body = String(repeating: "x", count: 300 << 10)
      _ = try await stand.server.answer(
        to: "PUT \(origin.url)/file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      expectEqual(origin.asked.map(\.body.count), [body.utf8.count])
      let told = try await stand.ask("POST /exchanges/1/again", "{}")
      #expect(told.statusLine.contains(" 409 ") && told.content.contains("not stored"))
      #expect(try await stand.ask("POST /cassettes", #"{"ids":[1]}"#).contains(" 409 "))
      let request = try await Self.detail(1, of: stand)["request"]
      expectEqual(request?["note"], "passed on as a stream and not stored")
      expectEqual(request?["bodyBytes"]?.intValue, body.utf8.count)
      expectEqual(origin.asked.count, 1)
    }
  }

  @Test func `no more requests than so many are sent again at once`() async throws {
    let go = DispatchSemaphore(value: 0)
    let count = Locked(0)
    let origin = try KeptOrigin { _ in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return (isFirst ? [] : [.await(go)]) + Self.answer("", Data())
    }
    defer { origin.stop() }
    try await Self.proxying { stand in
      _ = try await stand.get("\(origin.url)/a")
      for _ in 0..<ConsoleRepeats.underWayMax {
        let told = try await stand.ask("POST /exchanges/1/again", "{}")
        #expect(told.statusLine.contains(" 202 "))
      }
      let refused = try await stand.ask("POST /exchanges/1/again", "{}")
      #expect(refused.statusLine.contains(" 429 "))
      #expect(refused.content.contains("64 repeated requests are not finished"))
      // All of them are on their way, and none waits for a connection.
      while origin.asked.count < 1 + ConsoleRepeats.underWayMax { await Task.yield() }
      for _ in 0..<ConsoleRepeats.underWayMax { go.signal() }
      // Each that ends makes room.
      while try await !stand.ask("POST /exchanges/1/again", "{}").statusLine.contains(" 202 ") {
        await Task.yield()
      }
      go.signal()
    }
  }

  @Test(.enabled(if: TLSKit.isThere, TLSKit.isMissing))
  func `a proxy that opens tunnels sends a request by https again, and takes one in the open`()
    async throws
  {
    let file = try TLSKit.authorityFile(nil)
    defer { file.remove() }
    let opening = TunnelOpening(
      ServerTLS(authority: try TLSKit.authority.get()),
      trusting: .certificates(file.url)
    )
    let deck = Deck([.get("/up", json: ["n": 1], then: .repeat)])
    try await TLSServerTests.serving(deck) { origin, _ async throws in
      try await Self.proxying(opening: opening) { stand in
        let url = "https://localhost:\(origin.port)/up"
        try await expectEqual(stand.get(url).content, #"{"n":1}"#)
        _ = try await stand.ask("POST /exchanges/1/again", "{}")
        _ = try await stand.events(until: #""id":2,"#)
        while try await Self.detail(2, of: stand)["row"]?["status"]?.intValue == nil {
          await Task.yield()
        }
        let again = try await Self.detail(2, of: stand)
        #expect(again["row"]?["url"] == .text(url) && again["row"]?["status"]?.intValue == 200)
        expectEqual(again["response"]?["body"], #"{"n":1}"#)
      }
    }
  }
}
