import Testing

@testable import WindTunnel

@Suite struct PlainAnswersTests {
  @Test func `what is prepared has a bound`() {
    var answers = PlainAnswers<String>(bytesMax: 10)
    answers.keep("a", of: PlainAnswer(tape: 1, place: 2), weighing: 6)
    answers.keep("b", of: PlainAnswer(tape: 1, place: 0), weighing: 5)
    answers.keep("c", of: PlainAnswer(tape: 1, place: 1), weighing: 4)
    #expect((0..<4).map { answers[PlainAnswer(tape: 1, place: $0)] } == [nil, "c", "a", nil])
    #expect(answers[PlainAnswer(tape: 0, place: 2)] == nil)
    answers.keep("d", of: PlainAnswer(tape: 2, place: 0), weighing: 10)
    #expect(answers[PlainAnswer(tape: 1, place: 2)] == nil)
    #expect(answers[PlainAnswer(tape: 2, place: 0)] == "d")
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
  private func `a whole answer is what its steps come to`(
    _ one: Recorded,
    _ stage: Stage
  ) throws {
    var interaction = Interaction(Request("GET", "http://a.test/"), one.response)
    interaction.timing = one.timing
    let outcome = Deck(Cassette([interaction])).decide(Request("GET", "http://a.test/"))
    let (whole, steps) = (outcome.whole(on: stage), Delivery(outcome, on: stage).whole)
    #expect(whole?.head == steps?.head && whole?.body == steps?.body)
    #expect((whole != nil) == one.isWhole)
  }

  @Test func `what is bent has no whole answer`() {
    let interaction = Interaction(Request("GET", "http://a.test/"), Response(body: Body("four")))
    let late: Scenario = [.on("GET *", .always, .delay(.exactly(.seconds(1))))]
    let deck = Deck(Cassette([interaction]), scenario: late)
    #expect(deck.decide(Request("GET", "http://a.test/")).whole(on: .inProcess) == nil)
    let slow = Deck(Cassette([interaction]), pace: .asRecorded)
    #expect(slow.decide(Request("GET", "http://a.test/")).whole(on: .onTheWire) == nil)
  }
}
