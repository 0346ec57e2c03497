import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerSockets

/// Conversations of the layer over sockets with a server that plays them from a cassette.
@Suite(.timeLimit(.minutes(5))) struct ConversationFlightTests {
  fileprivate static let feed = Endpoint(.get, "/feed")
  fileprivate static let quiet = ConversationTerms(
    pingInterval: nil,
    backoff: Backoff(jitter: .none)
  )

  /// A message as text: `<` is the server's, `>` the client's, `!` the server's code and reason.
  private static func message(_ line: String) -> WebSocketMessage {
    let text = String(line.dropFirst(2))
    guard line.hasPrefix("!") else {
      let sender: WebSocketMessage.Sender = line.hasPrefix("<") ? .server : .client
      return WebSocketMessage(from: sender, Body(text), isText: true, offset: .zero)
    }
    let code = Int(text.prefix { $0 != " " }) ?? 0
    let reason = String(text.drop { $0 != " " }.dropFirst())
    return WebSocketMessage(from: .server, closing: code, reason, offset: .zero)
  }

  private static func tape(_ lines: [String]) -> Interaction { conversation(lines.map(message)) }

  private static func conversation(_ messages: [WebSocketMessage]) -> Interaction {
    var interaction = Interaction(
      Request("GET", RequestURL(FlightStand.origin + "/feed")),
      Response(status: 101, headers: ["Upgrade": "websocket"])
    )
    interaction.messages = messages
    return interaction
  }

  /// The one wait that does not pass.
  private static let never = Duration.seconds(3600)

  /// Flies a client over its sockets, whose waits pass at once.
  private static func run<Value: Sendable>(
    _ interactions: [Interaction],
    _ scenario: Scenario = [],
    policy: RetryPolicy = RetryPolicy(backoff: Backoff(jitter: .none)),
    authenticator: (any Authenticator)? = nil,
    _ body: (FlightStand) async throws -> Value
  ) async throws -> (value: Value, deck: Deck) {
    let deck = Deck(Cassette(interactions), scenario: scenario, matcher: .pathAndQuery)
    return try await FlightStand.run(
      deck,
      on: .onTheWire,
      policy: policy,
      authenticator: authenticator
    ) { stand in
      (try await stand.time.passing(but: never) { try await body(stand) }, deck)
    }
  }

  /// Holds one conversation in such a flight.
  private static func converse<Value: Sendable>(
    _ interactions: [Interaction],
    _ scenario: Scenario = [],
    policy: RetryPolicy = RetryPolicy(backoff: Backoff(jitter: .none)),
    on terms: ConversationTerms = quiet,
    _ body: @Sendable (WindTunnelNetworkLayer.Conversation) async throws -> Value
  ) async throws -> (value: Value, deck: Deck) {
    try await run(interactions, scenario, policy: policy) { stand in
      try await stand.converse(on: terms, body)
    }
  }

  @Test func `a conversation is held, and ended by the client with 1000`() async throws {
    let tape = Self.tape(["< welcome", "> a", "< for a"])
    let (heard, deck) = try await Self.converse([tape]) { feed in
      var heard: [ConversationMessage] = []
      for try await message in feed {
        heard.append(message)
        if heard.count == 2 { break }
        try await feed.send(.text("a"))
      }
      return heard
    }
    expectEqual(heard, [.text("welcome"), .text("for a")])
    #expect(deck.mismatches.isEmpty)
    expectEqual(deck.journal.all.last?.misfits, [])
  }

  @Test func `bytes, empty messages and a server's end with 1000 come as they are`() async throws {
    let bytes = WebSocketMessage(from: .server, Body(Data([0, 255])), isText: false, offset: .zero)
    let tape = Self.conversation([bytes] + ["< ", "! 1000 done"].map(Self.message))
    let (heard, _) = try await Self.converse([tape]) { try await $0.all() }
    expectEqual(heard, [.data(Data([0, 255])), .text("")])
  }

  /// The ways in which a connection is lost in front of the server's second message.
  private static let losses: [ConversationFault] = [
    .end(.reset, before: 2), .end(.close, before: 2), .end(.frame(1001), before: 2),
    .end(.frame(1011), before: 2), .end(.frame(1012), before: 2), .end(.frame(1013), before: 2),
    .end(.frame(1005), before: 2), .end(.oneByteFrame, before: 2), .form(.masked, of: 2),
    .form(.reservedBit, of: 2), .form(.reservedOpcode, of: 2), .form(.longLength, of: 2),
    .form(.fragmentedPing, of: 2), .form(.invalidUTF8, of: 2),
  ]

  @Test(arguments: losses)
  func `what is lost is followed by another, which is subscribed to again`(
    fault: ConversationFault
  ) async throws {
    // What a fault has broken off is played from its beginning to the client that comes back.
    let tape = Self.tape(["> subscribe", "< 1", "< 2", "! 1000"])
    let rule = FaultRule.always(.first(1), .conversation(fault))
    let (heard, deck) = try await Self.converse([tape], [rule]) { feed in
      try await feed.send(.text("subscribe"), .onEachConnection)
      let heard = try await feed.all()
      expectEqual(feed.connectionCount, 2)
      return heard
    }
    expectEqual(heard, [.text("1"), .text("1"), .text("2")])
    #expect(deck.mismatches.isEmpty)
  }

  @Test(arguments: [1002, 1003, 1007, 1008, 1009, 1010, 3000, 4001])
  func `a code that does not pass ends it, and is told`(code: Int) async throws {
    let tape = Self.tape(["< 1", "! \(code) no more"])
    let (heard, _) = try await Self.converse([tape, tape]) { feed in
      var heard: [ConversationMessage] = []
      await #expect(throws: NetworkError.closed(code: code, reason: "no more")) {
        for try await message in feed { heard.append(message) }
      }
      expectEqual(feed.connectionCount, 1)
      return heard
    }
    expectEqual(heard, [.text("1")])
  }

  @Test func `what was not acknowledged is sent again, and nothing else is`() async throws {
    let first = Self.tape(["> a", "> b", "< has a", "! 1012"])
    let second = Self.tape(["> b", "< has b", "! 1012"])
    let third = Self.tape(["< end", "! 1000"])
    let (heard, deck) = try await Self.converse([first, second, third]) { feed in
      for name in ["a", "b"] {
        try await feed.send(.text(name), .until { $0 == .text("has \(name)") })
      }
      return try await feed.all()
    }
    expectEqual(heard, [.text("has a"), .text("has b"), .text("end")])
    #expect(deck.mismatches.isEmpty)
    expectEqual(deck.journal.all.flatMap(\.misfits), [])
  }

  @Test func `what is withdrawn is not sent again`() async throws {
    let first = Self.tape(["> a", "< 1", "> b", "! 1012"])
    let second = Self.tape(["> b", "< 2", "! 1000"])
    let (heard, deck) = try await Self.converse([first, second]) { feed in
      let a = try await feed.send(.text("a"), .onEachConnection)
      var heard: [ConversationMessage] = []
      for try await message in feed {
        heard.append(message)
        guard heard.count == 1 else { continue }
        feed.withdraw(a)
        try await feed.send(.text("b"), .onEachConnection)
      }
      return heard
    }
    expectEqual(heard, [.text("1"), .text("2")])
    #expect(deck.mismatches.isEmpty)
  }

  @Test func `a connection without pongs is dead, and followed by another`() async throws {
    let deck = Deck(
      Cassette([Self.tape(["< 1", "< 2", "! 1000"])]),
      scenario: [.always(.first(1), .conversation(.end(.stall, before: 2)))],
      matcher: .pathAndQuery
    )
    try await FlightStand.run(
      deck,
      on: .onTheWire,
      policy: RetryPolicy(backoff: Backoff(jitter: .none))
    ) { stand in
      async let waits = stand.time.passSleeps(3)
      let heard = try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: ConversationTerms(backoff: Backoff(jitter: .none))
      ) { try await $0.all() }
      expectEqual(heard, [.text("1"), .text("1"), .text("2")])
      await expectEqual(waits, [.seconds(20), .seconds(10), .milliseconds(200)])
    }
  }

  @Test func `a live connection is asked again and again, and stays`() async throws {
    let deck = Deck(Cassette([Self.tape(["< 1", "> a", "< 2"])]), matcher: .pathAndQuery)
    try await FlightStand.run(deck, on: .onTheWire) { stand in
      let heard = try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine()
      ) { feed in
        var heard: [ConversationMessage] = []
        for try await message in feed {
          heard.append(message)
          if heard.count == 2 { break }
          // A wait for a pong that has come before it began is never heard of.
          var intervals = 0
          while intervals < 4, let wait = await stand.time.nextSleep() {
            guard wait == .seconds(20) else { continue }
            intervals += 1
            // The fourth begins behind the third pong.
            if intervals < 4 { stand.time.advance(by: wait) }
          }
          try await feed.send(.text("a"))
        }
        expectEqual(feed.connectionCount, 1)
        return heard
      }
      expectEqual(heard, [.text("1"), .text("2")])
    }
  }

  @Test func `a handshake is a call with its attempts, slot and credential`() async throws {
    let tape = Self.tape(["< 1", "! 1000"])
    let (heard, _) = try await Self.run([tape], [.always(.first(2), .status(503))]) { stand in
      let heard = try await stand.converse { try await $0.all() }
      expectEqual(stand.sent, ["/feed", "/feed", "/feed"])
      expectEqual(stand.gaps, [.milliseconds(200), .milliseconds(400)])
      #expect(stand.client.admission.load == (0, 0))
      return heard
    }
    expectEqual(heard, [.text("1")])
  }

  /// What refuses a handshake, and the error of it.
  private static let refusals: [(Fault, NetworkError)] = [
    (.status(403), .credentials(status: 403, body: said(403))),
    (.status(404), .server(status: 404, body: said(404))),
    (.status(426), .server(status: 426, body: said(426))),
    (.status(200), .server(status: 200, body: said(200))),
  ]

  private static func said(_ status: Int) -> Data { Data("This \(status) was injected.\n".utf8) }

  @Test(arguments: refusals)
  func `a refusal is the error of a call`(fault: Fault, error: NetworkError) async throws {
    let tape = Self.tape(["< 1"])
    let rule = FaultRule.always(.always, fault)
    _ = try await Self.run([tape], [rule]) { stand in
      await #expect(throws: error) {
        try await stand.converse { feed in
          for try await _ in feed { Issue.record("It is not open.") }
        }
      }
      expectEqual(stand.sent.count, 1)
    }
  }

  @Test(arguments: ConversationFault.Handshake.allCases)
  func `a handshake that breaks a rule fails the connection`(
    handshake: ConversationFault.Handshake
  ) async throws {
    let tape = Self.tape(["< 1"])
    _ = try await Self.run([tape], [.always(.always, .conversation(.handshake(handshake)))]) {
      stand in
      await #expect {
        try await stand.converse { feed in
          for try await _ in feed { Issue.record("It is not open.") }
        }
      } throws: {
        ($0 as? NetworkError)?.symptom == .malformedResponse
      }
    }
  }

  /// The servers that a conversation does not get back to.
  private static let outages: [(Fault, NetworkError)] = [
    (.conversation(.end(.frame(1012), before: 1)), .closed(code: 1012, reason: "")),
    (.status(503), .server(status: 503, body: said(503))),
  ]

  @Test(arguments: outages)
  func `an outage is waited out, at growing intervals and not for ever`(
    fault: Fault,
    error: NetworkError
  ) async throws {
    var tape = Self.tape(["< 1", "! 1012 restart"])
    tape.then = .repeat
    let outage = Scenario("outage", rules: (2...20).map { .always(.attempt($0), fault) })
    let waits = Locked<[Duration]>([])
    var terms = Self.quiet
    terms.backoff = Backoff(base: .seconds(1), cap: .seconds(60), jitter: .none)
    terms.onChange = {
      if case .lost(_, let wait) = $0 { waits.withLock { $0.append(wait) } }
    }
    let (heard, _) = try await Self.converse(
      [tape],
      outage,
      policy: RetryPolicy(mostRetries: [:]),
      on: terms
    ) { feed in
      var heard: [ConversationMessage] = []
      await #expect(throws: error) {
        for try await message in feed { heard.append(message) }
      }
      return heard
    }
    expectEqual(heard, [.text("1")])
    let seconds = [1, 2, 4, 8, 16, 32, 60, 60, 60]
    expectEqual(waits.withLock { $0 }, seconds.map { .seconds($0) })
  }

  @Test func `a refusal of the first connection is told at once, one that passes later is not`()
    async throws
  {
    let tape = Self.tape(["< 1", "! 1012"])
    let last = Self.tape(["< 2", "! 1000"])
    let changes = Locked<[ConversationChange]>([])
    var terms = Self.quiet
    terms.onChange = { change in changes.withLock { $0.append(change) } }
    let (heard, _) = try await Self.converse(
      [tape, last],
      [.always(.attempt(2), .status(503)), .always(.attempt(3), .status(503))],
      policy: RetryPolicy(mostRetries: [:]),
      on: terms
    ) { try await $0.all() }
    expectEqual(heard, [.text("1"), .text("2")])
    let fields = changes.withLock { changes in
      changes.map { change -> String in
        switch change {
        case .opened(let number, let headers): "\(number) \(headers["Upgrade"] ?? "")"
        case .lost(let error, let wait): "\(error.name) \(wait)"
        }
      }
    }
    expectEqual(
      fields,
      [
        "1 websocket", "closed 0.2 seconds", "server 0.4 seconds", "server 0.8 seconds",
        "2 websocket",
      ]
    )
  }

  @Test func `who logs in on each connection does so before anything else`() async throws {
    let challenge = Self.tape([
      "< challenge 1", "> answer to challenge 1", "< ok", "> subscribe", "< 1", "! 1012",
    ])
    let next = Self.tape(["< challenge 2", "> answer to challenge 2", "< no", "! 4003 denied"])
    var terms = Self.quiet
    terms.onOpen = { connection throws(ConversationEnd) in
      guard case .text(let challenge) = try await connection.receive() else { return }
      try await connection.send(.text("answer to \(challenge)"))
      // It says whether it believes that; what it says after a refusal is its end.
      if try await connection.receive() != .text("ok") { _ = try await connection.receive() }
    }
    let (heard, deck) = try await Self.converse([challenge, next], on: terms) { feed in
      try await feed.send(.text("subscribe"), .onEachConnection)
      var heard: [ConversationMessage] = []
      await #expect(throws: NetworkError.closed(code: 4003, reason: "denied")) {
        for try await message in feed { heard.append(message) }
      }
      return heard
    }
    expectEqual(heard, [.text("1")])
    #expect(deck.mismatches.isEmpty)
  }

  @Test func `all messages before the end are received, with a slow reader and frequent pings`()
    async throws
  {
    let count = 200
    let tape = Self.tape((1...count).map { "< \($0)" } + ["! 1000"])
    // Each interval passes at once, so that pings never stop, and no pong is too late.
    let terms = ConversationTerms(pongTimeout: Self.never, waitingMessagesMax: 1)
    let (heard, _) = try await Self.converse([tape], on: terms) { feed in
      var heard: [ConversationMessage] = []
      for try await message in feed {
        heard.append(message)
        for _ in 0..<20 { await Task.yield() }
      }
      return heard
    }
    expectEqual(heard, (1...count).map { .text("\($0)") })
  }

  @Test func `a message of many megabytes passes both ways, and pauses nobody for ever`()
    async throws
  {
    let large = String(repeating: "0123456789abcdef", count: 1 << 17)
    let tape = Self.tape(["< \(large)", "> \(large)", "< \(large)", "< end", "! 1000"])
    let (heard, deck) = try await Self.converse([tape]) { feed in
      try await feed.send(.text(large))
      return try await feed.all()
    }
    expectEqual(heard, [.text(large), .text(large), .text("end")])
    #expect(deck.mismatches.isEmpty)
  }

  @Test func `whose sending is cancelled has cancelled nothing else`() async throws {
    let tape = Self.tape(["< 1", "> late", "< 2", "! 1000"])
    let (heard, _) = try await Self.converse([tape]) { feed in
      let heard = Locked<[ConversationMessage]>([])
      for try await message in feed {
        heard.withLock { $0.append(message) }
        guard message == .text("1") else { continue }
        let sending = Task {
          while !Task.isCancelled { await Task.yield() }
          // It is among those that are sent again, so that it is sent all the same.
          try await feed.send(.text("late"), .onEachConnection)
        }
        sending.cancel()
        _ = await sending.result
      }
      expectEqual(feed.connectionCount, 1)
      return heard.withLock { $0 }
    }
    expectEqual(heard, [.text("1"), .text("2")])
  }

  @Test func `two conversations that could be one call's are two`() async throws {
    var tape = Self.tape(["< 1", "! 1000"])
    tape.then = .repeat
    var feed = Self.feed
    feed.priority = .deferrable
    let (heard, _) = try await Self.run([tape]) { [feed] stand in
      try await withThrowingTaskGroup(of: [ConversationMessage].self) { group in
        for _ in 1...8 {
          group.addTask {
            try await stand.converse(with: feed) { try await $0.all() }
          }
        }
        return try await group.reduce(into: [ConversationMessage]()) { $0 += $1 }
      }
    }
    expectEqual(heard, Array(repeating: .text("1"), count: 8))
  }

  @Test func `the thread of an engine ends with it`() async throws {
    weak var dialer: AnyObject?
    let tape = Self.tape(["< 1", "! 1000"])
    _ = try await Self.run([tape]) { stand in
      let engine = SocketConversationEngine()
      dialer = engine.dialer
      #expect(dialer != nil)
      try await stand.client.conversation(with: Self.feed, over: engine, on: Self.quiet) { feed in
        for try await _ in feed {}
      }
    }
    // The loop lets go of the last connection at the end of its round.
    while dialer != nil { await Task.yield() }
  }

  /// The names by which a server is asked by TLS, and the error of who trusts which authorities.
  private static let secured: [(host: String, trusts: Bool, symptom: Symptom?)] = [
    ("127.0.0.1", true, nil), ("localhost", true, nil),
    ("127.0.0.1", false, .serverCertificateHasUnknownRoot),
  ]

  @Test(.enabled(if: hasTLS, "There is no OpenSSL 3."), arguments: secured)
  func `a server by https has to prove its name`(
    host: String,
    trusts: Bool,
    symptom: Symptom?
  ) async throws {
    var tape = Self.tape(["< 1", "! 1000"])
    tape.then = .repeat
    let authority = try CertificateAuthority()
    var options = ReplayServer.Options.patient
    options.tls = ServerTLS(authority: authority)
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
    try authority.write(to: file)
    // It is in a directory that nobody keeps.
    defer { try? FileManager.default.removeItem(at: file) }
    let deck = Deck(Cassette([tape]), matcher: .pathAndQuery)
    let server = try await ReplayServer(deck, options)
    let client = NetworkClient(
      baseURL: try #require(URL(string: "https://\(host):\(server.port)")),
      session: .shared
    )
    let engine = SocketConversationEngine(trusting: trusts ? file : nil)
    let result: Result<[ConversationMessage], any Error>
    do {
      result = .success(
        try await client.conversation(with: Self.feed, over: engine, on: Self.quiet) {
          try await $0.all()
        }
      )
    } catch {
      result = .failure(error)
    }
    await server.stop(grace: .zero)
    switch result {
    case .success(let heard):
      expectNil(symptom)
      expectEqual(heard, [.text("1")])
    case .failure(let error): expectEqual((error as? NetworkError)?.symptom, symptom, "\(error)")
    }
  }

  private static let hasTLS = (try? ServerTLS()) != nil

  @Test func `a cancellation ends it, and its reader is told so`() async throws {
    let tape = Self.tape(["< 1", "> never", "< 2"])
    let (error, _) = try await Self.run([tape]) { stand in
      let (firsts, first) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        await #expect(throws: NetworkError.self) {
          try await stand.converse { feed in
            for try await _ in feed { first.yield() }
          }
        }
      }
      for await _ in firsts { break }
      task.cancel()
      return await task.value
    }
    expectEqual(error, .cancelled)
  }

  @Test func `what is sent as soon as a connection is open arrives, each time`() async throws {
    var tape = Self.tape(["> hello", "< ok", "! 1000"])
    tape.then = .repeat
    var terms = Self.quiet
    terms.onOpen = { connection throws(ConversationEnd) in
      try await connection.send(.text("hello"))
    }
    let (heard, deck) = try await Self.run([tape]) { [terms] stand in
      var heard: [ConversationMessage] = []
      for _ in 1...50 { heard += try await stand.converse(on: terms) { try await $0.all() } }
      return heard
    }
    expectEqual(heard, Array(repeating: .text("ok"), count: 50))
    #expect(deck.mismatches.isEmpty)
  }

  @Test func `thousands of messages wait for a slow reader at the server, in order`() async throws {
    let count = 5000
    let filler = String(repeating: "x", count: 1000)
    let tape = Self.tape((1...count).map { "< \($0) \(filler)" } + ["! 1000"])
    let terms = ConversationTerms(pingInterval: nil, waitingMessagesMax: 1)
    let (heard, _) = try await Self.converse([tape], on: terms) { try await $0.all() }
    expectEqual(heard, (1...count).map { .text("\($0) \(filler)") })
  }

  @Test func `messages are compressed where the server does so`() async throws {
    var tape = Interaction(
      Request("GET", RequestURL(FlightStand.origin + "/feed")),
      Response(
        status: 101,
        headers: ["Upgrade": "websocket", "Sec-WebSocket-Extensions": "permessage-deflate"]
      )
    )
    tape.messages = ["< welcome", "> a", "< for a", "! 1000"].map(Self.message)
    for compresses in [true, false] {
      let (heard, deck) = try await Self.run([tape]) { stand in
        try await stand.client.conversation(
          with: Self.feed,
          over: SocketConversationEngine(compresses: compresses),
          on: Self.quiet
        ) { feed in
          try await feed.send(.text("a"))
          return try await feed.all()
        }
      }
      expectEqual(heard, [.text("welcome"), .text("for a")])
      #expect(deck.mismatches.isEmpty)
    }
  }

  #if !canImport(Darwin)
    @Test func `a session says in one sentence what to use in its place`() async throws {
      let client = NetworkClient(
        baseURL: try #require(URL(string: "http://127.0.0.1:9")),
        session: .shared
      )
      await #expect(
        throws: NetworkError.transport(
          .unsupportedURL,
          text: "URLSession has no WebSocket on this platform; use SocketConversationEngine "
            + "of the module WindTunnelNetworkLayerSockets."
        )
      ) {
        try await client.conversation(
          with: Self.feed,
          over: URLSessionConversationEngine(session: .shared)
        ) { feed in
          for try await _ in feed { Issue.record("It is not open.") }
        }
      }
    }
  #endif
}

extension FlightStand {
  /// Holds a conversation over sockets of its own, without pings unless the terms have them.
  fileprivate func converse<Value: Sendable>(
    with endpoint: Endpoint = ConversationFlightTests.feed,
    on terms: ConversationTerms = ConversationFlightTests.quiet,
    _ body: @Sendable (WindTunnelNetworkLayer.Conversation) async throws -> Value
  ) async throws -> Value {
    try await client.conversation(with: endpoint, over: SocketConversationEngine(), on: terms, body)
  }
}

extension WindTunnelNetworkLayer.Conversation {
  /// Reads it to its end.
  fileprivate func all() async throws -> [ConversationMessage] {
    try await reduce(into: []) { $0.append($1) }
  }
}
