import TestSupport

@_spi(WindTunnel) @testable import WindTunnel

@Suite struct RenderedResponseCacheTests {
  @Test func `what is prepared has a bound`() {
    var cache = RenderedResponseCache<String>(bytesMax: 10)
    func key(_ cassette: Int, _ place: Int) -> RenderedResponseKey {
      RenderedResponseKey(cassette: cassette, place: place)
    }
    cache.keep("a", under: key(1, 2), weighing: 6)
    cache.keep("b", under: key(1, 0), weighing: 5)
    cache.keep("c", under: key(1, 1), weighing: 4)
    let found = (0..<4).map { cache.find(key(1, $0)) }
    expectEqual(found, [nil, "c", "a", nil])
    let older = cache.find(key(0, 2))
    cache.keep("d", under: key(2, 0), weighing: 10)
    let (gone, newer) = (cache.find(key(1, 2)), cache.find(key(2, 0)))
    expectEqual([older, gone, newer], [nil, nil, "d"])
    expectEqual(cache.hits, 3)
    let unfit = cache.find(key(2, 0)) { $0 != "d" }
    #expect(unfit == nil && cache.hits == 3)
  }

  private struct Recorded: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var response: Response
    var timing: Timing?
    /// Whether all of it is sent at once.
    var isWhole = true
  }

  private static let chunks = [
    Timing.Chunk(bytes: 2, offset: .milliseconds(3)), .init(bytes: 2, offset: .milliseconds(9)),
  ]

  private static let recorded: [Recorded] = {
    let text = Response(headers: ["Content-Length": "4", "X-A": "1"], body: Body("four"))
    let once = Timing(firstByte: .milliseconds(3), lastByte: .milliseconds(9))
    var (piece, stream) = (once, once)
    piece.chunks = [.init(bytes: 4, offset: .milliseconds(3))]
    stream.chunks = chunks
    return [
      Recorded(testDescription: "text", response: text),
      Recorded(testDescription: "with its time", response: text, timing: once),
      Recorded(testDescription: "in one piece", response: text, timing: piece),
      Recorded(testDescription: "in pieces", response: text, timing: stream, isWhole: false),
      Recorded(testDescription: "empty", response: Response(), timing: once),
      Recorded(testDescription: "without content", response: Response(status: 204)),
      Recorded(
        testDescription: "of a wrong length",
        response: Response(headers: ["Content-Length": "99"], body: Body("four"))
      ),
      Recorded(testDescription: "a redirect", response: Response(status: 302, body: Body("gone"))),
    ]
  }()

  @Test(arguments: recorded, Stage.allCases)
  private func `a whole answer is what its steps come to`(_ one: Recorded, _ stage: Stage) throws {
    var interaction = Interaction(Request("GET", "http://a.test/"), one.response)
    interaction.timing = one.timing
    let outcome = Deck(Cassette([interaction])).decide(Request("GET", "http://a.test/"))
    let (whole, steps) = (outcome.whole(on: stage), Delivery(outcome, on: stage).whole)
    #expect(whole?.head == steps?.head && whole?.body == steps?.body)
    expectEqual((whole != nil), one.isWhole)
  }

  @Test func `what is bent has no whole answer`() {
    let interaction = Interaction(Request("GET", "http://a.test/"), Response(body: Body("four")))
    let late: Scenario = [.on("GET *", .always, .delay(.exactly(.seconds(1))))]
    let deck = Deck(Cassette([interaction]), scenario: late)
    expectNil(deck.decide(Request("GET", "http://a.test/")).whole(on: .inProcess))
    let slow = Deck(Cassette([interaction]), pace: .asRecorded)
    expectNil(slow.decide(Request("GET", "http://a.test/")).whole(on: .onTheWire))
  }
}
