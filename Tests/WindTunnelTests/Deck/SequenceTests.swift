import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel

@Suite struct SequenceTests {
  private static func tape(_ url: RequestURL, then: EndPolicy? = nil, _ count: Int = 3) -> Cassette
  {
    Cassette((1...count).map { Interaction(Request("GET", url), .text(Body("\($0)")), then: then) })
  }

  private func bodies(
    _ deck: Deck,
    _ url: RequestURL = "https://a/x",
    lane: Lane = .deck,
    times count: Int
  ) -> [String] {
    (0..<count).map { _ in
      switch deck.decide(Request("GET", url), lane: lane).source {
      case .recording(let interaction, _): interaction.response?.body.text ?? ""
      case .computed(let response): response.body.text ?? ""
      case .forward: "forward"
      case .unmatched: "-"
      }
    }
  }

  @Test(arguments: [
    (EndPolicy.fail, ["1", "2", "3", "-", "-"]), (.repeat, ["1", "2", "3", "3", "3"]),
    (.cycle, ["1", "2", "3", "1", "2"]),
  ])
  func `recordings come in order and then as was asked`(then: EndPolicy, expected: [String]) {
    expectEqual(bodies(Deck(Self.tape("https://a/x"), then: then), times: 5), expected)
    expectEqual(bodies(Deck(Self.tape("https://a/x", then: then)), times: 5), expected)
  }

  @Test func `an interaction's own word is stronger than the player's`() {
    expectEqual(bodies(Deck(Self.tape("/x", then: .fail, 1), then: .repeat), times: 2), ["1", "-"])
  }

  @Test func `lanes share no playhead`() {
    let deck = Deck(Self.tape("/x"))
    expectEqual(bodies(deck, lane: Lane("a"), times: 2), ["1", "2"])
    expectEqual(bodies(deck, lane: Lane("b"), times: 2), ["1", "2"])
    expectEqual(bodies(deck, lane: Lane("a"), times: 2), ["3", "-"])
  }

  @Test func `each address of a template has a playhead of its own`() {
    let deck = Deck(Self.tape("/{id}"))
    expectEqual(bodies(deck, "/7", times: 2), ["1", "2"])
    expectEqual(bodies(deck, "/8", times: 2), ["1", "2"])
  }

  @Test(arguments: [
    (Fault.delay(.exactly(.seconds(1))), ["1", "2", "3"]), (.status(503), ["1", "1", "2"]),
    (.reset(.afterRequest), ["1", "1", "2"]), (.close, ["1", "1", "2"]),
    (.stall(afterBodyBytes: 0), ["1", "1", "2"]),
    (.truncate(afterBodyBytes: 1), ["1", "1", "2"]), (.connection(.refused), ["1", "1", "2"]),
  ])
  func `an answer that is replaced or cut is dealt without being used up`(
    fault: Fault,
    expected: [String]
  ) {
    let deck = Deck(Self.tape("/x"), scenario: [.on("GET /x", .first(1), fault)])
    expectEqual(bodies(deck, times: 3), expected)
    let takes = deck.journal.all.map(\.take)
    expectEqual(takes[0], (fault.replacesOrCuts ? .withheld(0) : .recording(0)))
  }

  @Test func `a function answers for ever, also behind a recording`() {
    let request: RequestURL = "/x"
    let deck = Deck([.get(request, json: 1), .get(request) { _ in .text(Body("f")) }])
    expectEqual(bodies(deck, times: 4), ["1", "f", "f", "f"])
  }

  @Test func `a function may ask the deck that asks it`() {
    let box = Locked<Deck?>(nil)
    let deck = Deck([
      .get("/x") { _ in
        .text(Body("\(box.withLock { $0 }?.journal.all.count ?? 0)"))
      }
    ])
    box.withLock { $0 = deck }
    expectEqual(bodies(deck, times: 2), ["1", "2"])
  }

  @Test func `the origin is where most was recorded, and nothing else of the address`() {
    let urls: [RequestURL] = ["https://b/1", "https://u:p@a:8443/x?y", "https://a:8443/z", "/y"]
    let deck = Deck(Cassette(urls.map { Interaction(Request("GET", $0), .json([])) }))
    expectEqual(deck.origin, "https://a:8443/")
    expectNil(Deck(Cassette()).origin)
  }

  @Test func `requests in flight together are marked, the others not`() {
    let deck = Deck(Self.tape("/x", then: .cycle))
    let alone = deck.decide(Request("GET", "/x"))
    deck.finished(alone)
    let three = (0..<3).map { _ in deck.decide(Request("GET", "/x")) }
    _ = deck.decide(Request("GET", "/x"), lane: Lane("other"))
    three.forEach { deck.finished($0) }
    _ = deck.decide(Request("GET", "/x"))
    expectEqual(deck.journal.all.map(\.overlapping), [false, true, true, true, false, false])
  }
}

@Suite struct LaneTests {
  @Test(arguments: [
    "calm/17", "a%2Fb", "very bad network/1", "é?#", "", "~", "/", "a~1b/0", "~0/~1", "~01", "//",
  ])
  func `a lane's name survives the way over an address`(name: String) {
    var request = Request("GET", RequestURL("http://h:1\(Lane(name).basePath)/users?page=2"))
    expectEqual(Lane.take(from: &request), Lane(name))
    expectEqual(request.url, "http://h:1/users?page=2")
  }

  @Test func `a lane is taken out of the header, or there is none`() {
    var request = Request("GET", "/x", headers: ["windtunnel-call": "calm/17", "A": "b"])
    expectEqual(Lane.take(from: &request), Lane("calm/17"))
    expectEqual(request, Request("GET", "/x", headers: ["A": "b"]))
    expectNil(Lane.take(from: &request))
    var bare = Request("GET", "/.windtunnel/calm~117")
    expectEqual(Lane.take(from: &bare), Lane("calm/17"))
    expectEqual(bare, Request("GET", "/"))
  }

  @Test(arguments: [
    ("calm/17", "/.windtunnel/calm~117"), ("a~b/0", "/.windtunnel/a~0b~10"),
    ("very bad network/1", "/.windtunnel/very%20bad%20network~11"),
    ("a%2Fb", "/.windtunnel/a%252Fb"),
  ])
  func `a lane's address has its slashes and tildes as JSON pointers do`(name: String, path: String)
  {
    expectEqual(Lane(name).basePath, path)
  }

  @Test(arguments: [
    ("calm%2F17", "calm/17"), ("calm%2f17", "calm/17"), ("a~1b%2F0", "a~1b/0"),
    ("calm%7E117", "calm/17"), ("a%7e0b~10", "a~b/0"), ("calm%zz~11", "calm%zz/1"),
    ("plain", "plain"),
  ])
  func `other spellings of a lane's address are understood, the one of before among them`(
    segment: String,
    name: String
  ) {
    var request = Request("GET", RequestURL("/.windtunnel/\(segment)/users"))
    expectEqual(Lane.take(from: &request), Lane(name))
    expectEqual(request, Request("GET", "/users"))
  }
}
