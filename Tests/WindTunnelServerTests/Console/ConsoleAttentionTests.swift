import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// What is followed of exchanges while nobody looks at a console, and while somebody does.
@Suite(.timeLimit(.minutes(5))) struct ConsoleAttentionTests {
  private static let second = Date(timeIntervalSince1970: 1_790_000_000)

  /// Follows as many of so many exchanges as it may.
  private static func followed(by attention: inout Attention, of count: Int, at now: Date?) -> Int {
    (0..<count).count { _ in
      guard attention.takes(at: now) else { return false }
      attention.took(at: now)
      return true
    }
  }

  @Test func `so many are followed at once, and a few a second behind them`() {
    var attention = Attention.some(.init())
    func followed(of count: Int, after seconds: Double) -> Int {
      Self.followed(by: &attention, of: count, at: Self.second + seconds)
    }
    let burst = Attention.Allowance.burst
    expectEqual(followed(of: 5000, after: 0), burst)
    expectEqual(followed(of: 5000, after: 0.01), 0)
    expectEqual(followed(of: 5000, after: 2), 10)
    expectEqual(followed(of: 5000, after: 3600), burst)
    // Where the clock is set back it does not stand still.
    expectEqual(followed(of: 5000, after: 0), burst)
    expectEqual(followed(of: 5000, after: 0), 0)
    expectEqual(followed(of: 30, after: 1), 5)
  }

  @Test func `without a clock nothing comes back`() {
    var attention = Attention.some(.init())
    expectEqual(Self.followed(by: &attention, of: 3000, at: nil), Attention.Allowance.burst)
  }

  @Test func `everything is everything, and nothing is nothing`() {
    var (all, none) = (Attention.everything, Attention.nothing)
    expectEqual(Self.followed(by: &all, of: 3000, at: nil), 3000)
    expectEqual(Self.followed(by: &none, of: 3000, at: nil), 0)
  }

  private static func deck(_ observer: Deck.Observer) -> Deck {
    Deck(
      tape,
      scenario: .calm,
      seed: 1,
      options: PlaybackOptions(matcher: .pathAndQuery, then: .repeat),
      observer: observer
    )
  }

  /// A deck whose observer wants only what is followed, and the names of the events that it saw.
  private static func deck(_ console: Console? = nil) -> (Deck, Locked<[String: Int]>) {
    let seen = Locked<[String: Int]>([:])
    let observer = Deck.Observer(takingAll: false) { event in
      let name = "\(event)".prefix { $0 != "(" }
      seen.withLock { $0["\(name)", default: 0] += 1 }
      console?.observe(event)
    }
    return (deck(observer), seen)
  }

  private static let tape = Cassette([
    Interaction(
      Request("GET", "http://api.example.test/a"),
      Response(headers: ["Content-Type": "text/plain"], body: Body("hello"))
    )
  ])

  /// Sends requests over one connection, each when the one before is answered.
  private static func ask(_ server: ReplayServer, _ path: String, times: Int = 1) async throws {
    let client = try RawClient(.loopback(port: server.port))
    for _ in 0..<times {
      await client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
      let answer = await client.receive(until: "\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 "))
    }
    client.close()
  }

  /// Waits until events of a name have been seen so often.
  private static func wait(for name: String, _ count: Int, in seen: Locked<[String: Int]>) async {
    while seen.withLock({ $0[name, default: 0] }) < count { await Task.yield() }
  }

  @Test func `of exchanges that nobody follows no event is made`() async throws {
    let (deck, seen) = Self.deck()
    deck.follow(.nothing)
    try await ReplayServer.serving(deck) { server in
      try await Self.ask(server, "/a", times: 50)
      expectEqual(seen.withLock { $0 }, [:])
      #expect(deck.unfollowed == 50 && deck.journal.all.count == 50)
      deck.follow(.everything)
      try await Self.ask(server, "/a")
      await Self.wait(for: "ended", 1, in: seen)
      expectEqual(
        seen.withLock { $0 },
        ["decided": 1, "requestEnd": 1, "firstByte": 1, "ended": 1]
      )
      expectEqual(deck.unfollowed, 50)
    }
  }

  @Test func `an identical response is reused unless an observer requires all events`() throws {
    for takesAll in [true, false] {
      let deck = Self.deck(Deck.Observer(takingAll: takesAll) { _ in })
      deck.follow(.nothing)
      let (outcome, prepared) = deck.prepareAndDecide(
        Request("GET", "http://api.example.test/a"),
        lane: .deck,
        at: nil
      )
      deck.finished(outcome)
      let key = try #require(outcome.renderedKey)
      func again() -> Bool {
        if case .sameResponse = deck.decide(prepared, holding: key, lane: .deck, at: nil) {
          return true
        }
        return false
      }
      expectEqual(again(), !takesAll)
      deck.follow(.everything)
      #expect(!again())
      expectEqual(deck.unfollowed, 2)
    }
  }

  @Test func `faults that were not applied are reported even if no observer follows exchanges`() {
    let (deck, seen) = Self.deck()
    deck.follow(.nothing)
    let outcome = deck.decide(Request("GET", "http://api.example.test/a"))
    let fault = Fault.reset(afterEvents: 3)
    deck.tell([UndoneFault(fault, because: "there is no event")], of: outcome)
    expectEqual(seen.withLock { $0 }, ["undone": 1])
  }

  @Test func `what nothing answers is followed all the same`() async throws {
    let (deck, seen) = Self.deck()
    deck.follow(.nothing)
    try await ReplayServer.serving(deck) { server in
      try await Self.ask(server, "/b", times: 5)
      await Self.wait(for: "ended", 5, in: seen)
      expectEqual(
        seen.withLock { $0 },
        ["decided": 5, "requestEnd": 5, "firstByte": 5, "ended": 5]
      )
      expectEqual(deck.unfollowed, 0)
    }
  }

  @Test func `an observer of all events receives unfollowed exchanges`() async throws {
    let seen = Locked<[Bool]>([])
    let observer = Deck.Observer { event in
      if case .ended(let outcome, _) = event { seen.withLock { $0.append(outcome.isFollowed) } }
    }
    let deck = Self.deck(observer)
    deck.follow(.nothing)
    try await ReplayServer.serving(deck) { server in
      try await Self.ask(server, "/a", times: 2)
      while seen.withLock({ $0.count }) < 2 { await Task.yield() }
      expectEqual(seen.withLock { $0 }, [false, false])
    }
  }

  @Test func `whoever opens the page sees how much was not followed, and all from now on`()
    async throws
  {
    let console = Console(.serve)
    let (deck, seen) = Self.deck(console)
    var options = ReplayServer.Options.patient
    options.console = ConsolePort(console)
    try await ReplayServer.serving(deck, options) { server in
      deck.follow(.nothing)
      try await Self.ask(server, "/a", times: 30)
      #expect(console.board.counts == (0, 0, 30))
      #expect(console.board.enter())
      try await Self.ask(server, "/a", times: 3)
      await Self.wait(for: "ended", 3, in: seen)
      #expect(console.board.counts == (3, 0, 30))
      console.board.leave()
      // Behind a page that is closed some are followed.
      let burst = Attention.Allowance.burst
      for _ in 0..<burst + 500 {
        let outcome = deck.decide(Request("GET", "http://api.example.test/a"), at: Self.second)
        deck.requestEnded(outcome)
        deck.finished(outcome)
      }
      #expect(console.board.counts == (3 + burst, 0, 30 + 500))
      expectEqual(console.board.rowsMade, 0)
    }
  }
}
