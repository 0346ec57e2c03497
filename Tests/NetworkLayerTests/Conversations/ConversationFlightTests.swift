import Foundation
import Origins
import Testing
import WindTunnel
import WindTunnelNetworkLayerSockets
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Conversations of the layer over sockets with a server that plays them from a cassette.
@Suite(.timeLimit(.minutes(5))) struct ConversationFlightTests {
  private static let feed = Endpoint(.get, "/feed")
  private static let quiet = ConversationTerms(pingInterval: nil)

  private static func says(_ text: String) -> WebSocketMessage {
    WebSocketMessage(from: .server, Body(text), isText: true, offset: .zero)
  }

  private static func hears(_ text: String) -> WebSocketMessage {
    WebSocketMessage(from: .client, Body(text), isText: true, offset: .zero)
  }

  private static func closes(_ code: Int, _ reason: String = "") -> WebSocketMessage {
    WebSocketMessage(from: .server, closing: code, reason, offset: .zero)
  }

  private static func conversation(_ messages: WebSocketMessage...) -> Interaction {
    var interaction = Interaction(
      Request("GET", RequestURL(FlightStand.origin + "/feed")),
      Response(status: 101, headers: ["Upgrade": "websocket"])
    )
    interaction.messages = messages
    return interaction
  }

  /// Flies a client over its sockets, whose waits pass at once.
  private static func fly<Value: Sendable>(
    _ interactions: [Interaction],
    _ scenario: Scenario = [],
    policy: RetryPolicy = RetryPolicy(backoff: Backoff(jitter: .none)),
    authenticator: (any Authenticator)? = nil,
    _ body: (FlightStand) async throws -> Value
  ) async throws -> (value: Value, deck: Deck) {
    let deck = Deck(
      Cassette(interactions),
      scenario: scenario,
      matcher: .pathAndQuery
    )
    return try await FlightStand.fly(
      deck,
      on: .onTheWire,
      policy: policy,
      authenticator: authenticator
    ) { stand in
      async let clock: Void = stand.time.passAllSleeps(but: nil)
      let result: Result<Value, any Error>
      do { result = .success(try await body(stand)) } catch { result = .failure(error) }
      stand.time.endPassing()
      await clock
      return (try result.get(), deck)
    }
  }

  @Test func `a conversation is held, and ended by the client with 1000`() async throws {
    let tape = Self.conversation(Self.says("welcome"), Self.hears("a"), Self.says("for a"))
    let (heard, deck) = try await Self.fly([tape]) { stand in
      try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: Self.quiet
      ) { feed in
        var heard: [ConversationMessage] = []
        for try await message in feed {
          heard.append(message)
          if heard.count == 2 { break }
          try await feed.send(.text("a"))
        }
        return heard
      }
    }
    #expect(heard == [.text("welcome"), .text("for a")])
    #expect(deck.mismatches.isEmpty)
    #expect(deck.journal.all.last?.misfits == [])
  }

  @Test func `bytes, empty messages and a server's end with 1000 come as they are`() async throws {
    let bytes = WebSocketMessage(
      from: .server,
      Body(Data([0, 255])),
      isText: false,
      offset: .zero
    )
    let tape = Self.conversation(bytes, Self.says(""), Self.closes(1000, "done"))
    let (heard, _) = try await Self.fly([tape]) { stand in
      try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: Self.quiet
      ) { feed in
        try await feed.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(heard == [.data(Data([0, 255])), .text("")])
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
    let tape = Self.conversation(
      Self.hears("subscribe"),
      Self.says("1"),
      Self.says("2"),
      Self.closes(1000)
    )
    let (heard, deck) = try await Self.fly([tape], [.always(.first(1), .conversation(fault))]) {
      stand in
      let result = try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: Self.quiet
      ) { feed in
        try await feed.send(.text("subscribe"), .onEachConnection)
        let heard = try await feed.reduce(into: []) { $0.append($1) }
        return (heard, feed.connectionCount)
      }
      #expect(result.1 == 2)
      return result.0
    }
    #expect(heard == [.text("1"), .text("1"), .text("2")])
    #expect(deck.mismatches.isEmpty)
  }

  @Test(arguments: [1002, 1003, 1007, 1008, 1009, 1010, 3000, 4001])
  func `a code that does not pass ends it, and is told`(code: Int) async throws {
    let tape = Self.conversation(Self.says("1"), Self.closes(code, "no more"))
    let (heard, _) = try await Self.fly([tape, tape]) { stand in
      try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: Self.quiet
      ) { feed in
        var heard: [ConversationMessage] = []
        await #expect(throws: NetworkError.closed(code: code, reason: "no more")) {
          for try await message in feed { heard.append(message) }
        }
        #expect(feed.connectionCount == 1)
        return heard
      }
    }
    #expect(heard == [.text("1")])
  }

  @Test func `what was not acknowledged is sent again, and nothing else is`() async throws {
    let first = Self.conversation(
      Self.hears("a"),
      Self.hears("b"),
      Self.says("has a"),
      Self.closes(1012)
    )
    let second = Self.conversation(Self.hears("b"), Self.says("has b"), Self.closes(1012))
    let third = Self.conversation(Self.says("end"), Self.closes(1000))
    let (heard, deck) = try await Self.fly([first, second, third]) { stand in
      try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: Self.quiet
      ) { feed in
        for name in ["a", "b"] {
          try await feed.send(.text(name), .until { $0 == .text("has \(name)") })
        }
        return try await feed.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(heard == [.text("has a"), .text("has b"), .text("end")])
    #expect(deck.mismatches.isEmpty)
    #expect(deck.journal.all.flatMap(\.misfits) == [])
  }

  @Test func `what is withdrawn is not sent again`() async throws {
    let first = Self.conversation(
      Self.hears("a"),
      Self.says("1"),
      Self.hears("b"),
      Self.closes(1012)
    )
    let second = Self.conversation(Self.hears("b"), Self.says("2"), Self.closes(1000))
    let (heard, deck) = try await Self.fly([first, second]) { stand in
      try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: Self.quiet
      ) { feed in
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
    }
    #expect(heard == [.text("1"), .text("2")])
    #expect(deck.mismatches.isEmpty)
  }

  @Test func `a connection without pongs is dead, and followed by another`() async throws {
    let deck = Deck(
      Cassette([Self.conversation(Self.says("1"), Self.says("2"), Self.closes(1000))]),
      scenario: [.always(.first(1), .conversation(.end(.stall, before: 2)))],
      matcher: .pathAndQuery
    )
    try await FlightStand.fly(
      deck,
      on: .onTheWire,
      policy: RetryPolicy(backoff: Backoff(jitter: .none))
    ) { stand in
      async let waits = stand.time.passSleeps(3)
      let heard = try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine()
      ) { feed in
        try await feed.reduce(into: []) { $0.append($1) }
      }
      #expect(heard == [.text("1"), .text("1"), .text("2")])
      #expect(await waits == [.seconds(20), .seconds(10), .milliseconds(200)])
    }
  }

  @Test func `a live connection is asked again and again, and stays`() async throws {
    let deck = Deck(
      Cassette([Self.conversation(Self.says("1"), Self.hears("a"), Self.says("2"))]),
      matcher: .pathAndQuery
    )
    try await FlightStand.fly(deck, on: .onTheWire) { stand in
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
        #expect(feed.connectionCount == 1)
        return heard
      }
      #expect(heard == [.text("1"), .text("2")])
    }
  }

  @Test func `a handshake is a call with its attempts, slot and credential`() async throws {
    let tape = Self.conversation(Self.says("1"), Self.closes(1000))
    let (heard, _) = try await Self.fly([tape], [.always(.first(2), .status(503))]) { stand in
      let heard = try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: Self.quiet
      ) { feed in
        try await feed.reduce(into: []) { $0.append($1) }
      }
      #expect(stand.sent == ["/feed", "/feed", "/feed"])
      #expect(stand.gaps == [.milliseconds(200), .milliseconds(400)])
      #expect(stand.client.admission.load == (0, 0))
      return heard
    }
    #expect(heard == [.text("1")])
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
    let tape = Self.conversation(Self.says("1"))
    let rule = Rule.always(.always, fault)
    _ = try await Self.fly([tape], [rule]) { stand in
      await #expect(throws: error) {
        try await stand.client.conversation(
          with: Self.feed,
          over: SocketConversationEngine(),
          on: Self.quiet
        ) { feed in
          for try await _ in feed { Issue.record("It is not open.") }
        }
      }
      #expect(stand.sent.count == 1)
    }
  }

  @Test(arguments: ConversationFault.Handshake.allCases)
  func `a handshake that breaks a rule fails the connection`(
    handshake: ConversationFault.Handshake
  ) async throws {
    let tape = Self.conversation(Self.says("1"))
    _ = try await Self.fly([tape], [.always(.always, .conversation(.handshake(handshake)))]) {
      stand in
      await #expect {
        try await stand.client.conversation(
          with: Self.feed,
          over: SocketConversationEngine(),
          on: Self.quiet
        ) { feed in
          for try await _ in feed { Issue.record("It is not open.") }
        }
      } throws: {
        ($0 as? NetworkError)?.symptom == .malformedResponse
      }
    }
  }

  @Test func `a server that comes back never is given up as the policy says`() async throws {
    let tape = Self.conversation(Self.closes(1012, "restart"))
    let (error, _) = try await Self.fly(Array(repeating: tape, count: 10)) { stand in
      await #expect(throws: NetworkError.self) {
        try await stand.client.conversation(
          with: Self.feed,
          over: SocketConversationEngine(),
          on: Self.quiet
        ) { feed in
          for try await _ in feed { Issue.record("Nobody says anything.") }
        }
      }
    }
    #expect(
      error == .transport(.connectionLost, text: "The server closed with 1012 restart")
    )
  }

  @Test func `a cancellation ends it, and its reader is told so`() async throws {
    let tape = Self.conversation(Self.says("1"), Self.hears("never"), Self.says("2"))
    let (error, _) = try await Self.fly([tape]) { stand in
      let (firsts, first) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        await #expect(throws: NetworkError.self) {
          try await stand.client.conversation(
            with: Self.feed,
            over: SocketConversationEngine(),
            on: Self.quiet
          ) { feed in
            for try await _ in feed { first.yield() }
          }
        }
      }
      for await _ in firsts { break }
      task.cancel()
      return await task.value
    }
    #expect(error == .cancelled)
  }

  @Test func `thousands of messages wait for a slow reader at the server, in order`() async throws {
    let count = 5000
    let filler = String(repeating: "x", count: 1000)
    var tape = Self.conversation()
    tape.messages = (1...count).map { Self.says("\($0) \(filler)") } + [Self.closes(1000)]
    let terms = ConversationTerms(pingInterval: nil, waitingMessagesMax: 1)
    let (heard, _) = try await Self.fly([tape]) { stand in
      try await stand.client.conversation(
        with: Self.feed,
        over: SocketConversationEngine(),
        on: terms
      ) { feed in
        try await feed.reduce(into: [ConversationMessage]()) { $0.append($1) }
      }
    }
    #expect(heard == (1...count).map { .text("\($0) \(filler)") })
  }

  @Test func `messages are compressed where the server does so`() async throws {
    var tape = Interaction(
      Request("GET", RequestURL(FlightStand.origin + "/feed")),
      Response(
        status: 101,
        headers: ["Upgrade": "websocket", "Sec-WebSocket-Extensions": "permessage-deflate"]
      )
    )
    tape.messages = [
      Self.says("welcome"), Self.hears("a"), Self.says("for a"), Self.closes(1000),
    ]
    for compresses in [true, false] {
      let (heard, deck) = try await Self.fly([tape]) { stand in
        try await stand.client.conversation(
          with: Self.feed,
          over: SocketConversationEngine(compresses: compresses),
          on: Self.quiet
        ) { feed in
          try await feed.send(.text("a"))
          return try await feed.reduce(into: []) { $0.append($1) }
        }
      }
      #expect(heard == [.text("welcome"), .text("for a")])
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
          text: "URLSession carries no WebSocket on this platform; use SocketConversationEngine "
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
