import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// The pieces of a recorded stream, and when they come.
@Suite struct PaceLoweringTests {
  static let request = Request("GET", "/events")
  static let timing = Timing(
    firstByte: .milliseconds(100),
    lastByte: .milliseconds(500),
    chunks: [
      Timing.Chunk(bytes: 3, offset: .milliseconds(100)),
      Timing.Chunk(bytes: 2, offset: .milliseconds(300)),
      Timing.Chunk(bytes: 4, offset: .milliseconds(300)),
    ]
  )
  static let stream: HeaderFields = [
    "Content-Type": "text/event-stream", "Transfer-Encoding": "chunked",
  ]

  private func delivery(
    _ pace: Pace,
    _ faults: [Fault] = [],
    headers: HeaderFields = stream,
    timing: Timing = timing,
    failure: Failure? = nil,
    on stage: Stage = .onTheWire
  ) -> Delivery {
    let response = Response(headers: headers, body: Body("aaabbcccc"))
    let answer = failure.map { RecordedResult.cut(response, $0) } ?? .response(response)
    let deck = Deck(
      Cassette([Interaction(Self.request, answer, timing: timing)]),
      scenario: [.on("* /**", .always, faults)],
      pace: pace
    )
    return Delivery(deck.decide(Self.request), on: stage)
  }

  private static let head = Delivery.Step.head(ResponseHead(headers: stream))

  @Test(arguments: Stage.allCases)
  func `at once the pieces stay pieces`(stage: Stage) {
    let expected = Delivery.steps(Self.head, .bytes("aaa"), .bytes("bb"), .bytes("cccc"), .finish)
    expectEqual(delivery(.immediately, on: stage), expected)
    expectEqual(delivery(.times(0), on: stage), expected)
    expectEqual(delivery(.times(.nan), on: stage), expected)
    expectEqual(delivery(.times(-1), on: stage), expected)
  }

  @Test(arguments: [(Pace.asRecorded, 1.0), (.times(2), 2), (.times(0.5), 0.5), (.times(4), 4)])
  func `the first byte, the pieces and the end come in their share of the time`(
    pace: Pace,
    factor: Double
  ) {
    func wait(_ milliseconds: Double) -> Delivery.Step {
      .wait(Duration(milliseconds: milliseconds / factor))
    }
    let expected = Delivery.steps(
      wait(100),
      Self.head,
      .bytes("aaa"),
      wait(200),
      .bytes("bb"),
      .bytes("cccc"),
      wait(200),
      .finish
    )
    for stage in Stage.allCases { expectEqual(delivery(pace, on: stage), expected) }
  }

  @Test func `a body in one piece comes when it was whole`() {
    let timing = Timing(firstByte: .milliseconds(10), lastByte: .milliseconds(40))
    let head = ResponseHead(headers: ["Content-Length": "9"])
    expectEqual(
      delivery(.asRecorded, headers: ["Content-Length": "9"], timing: timing),
      .steps(
        .wait(.milliseconds(10)),
        .head(head),
        .wait(.milliseconds(30)),
        .bytes("aaabbcccc"),
        .finish
      )
    )
  }

  @Test func `on the wire a stream says that it is one, whoever recorded it`() {
    let type: HeaderFields = ["Content-Type": "text/event-stream"]
    expectEqual(delivery(.immediately, headers: type).steps[1], Self.head)
    expectEqual(
      delivery(.immediately, headers: type, on: .inProcess).steps[1],
      .head(ResponseHead(headers: type))
    )
    let known: HeaderFields = ["Content-Length": "9"]
    expectEqual(
      delivery(.immediately, headers: known).steps[1],
      .head(ResponseHead(headers: known))
    )
  }

  @Test func `pieces that do not add up cut the body as far as they go`() {
    var timing = Self.timing
    timing.chunks[2].bytes = 1
    timing.chunks.append(Timing.Chunk(bytes: 1, offset: .zero))
    expectEqual(
      delivery(.immediately, timing: timing),
      .steps(Self.head, .bytes("aaa"), .bytes("bb"), .bytes("c"), .bytes("ccc"), .finish)
    )
    timing.chunks = [Timing.Chunk(bytes: 3, offset: .zero), .init(bytes: 99, offset: .zero)]
    timing.chunks.append(Timing.Chunk(bytes: 1, offset: .zero))
    expectEqual(
      delivery(.immediately, timing: timing),
      .steps(Self.head, .bytes("aaa"), .bytes("bbcccc"), .finish)
    )
  }

  @Test func `a stream that broke off breaks off at its time`() {
    expectEqual(
      delivery(.asRecorded, failure: Failure(.connectionLost)),
      .steps(
        .wait(.milliseconds(100)),
        Self.head,
        .bytes("aaa"),
        .wait(.milliseconds(200)),
        .bytes("bb"),
        .bytes("cccc"),
        .wait(.milliseconds(200)),
        .reset,
        then: .reset
      )
    )
  }

  @Test func `a fault cuts the stream on its way`() {
    expectEqual(
      delivery(.asRecorded, [.delay(.exactly(.seconds(1))), .stall(afterBodyBytes: 4)]),
      .steps(
        .wait(.seconds(1)),
        .wait(.milliseconds(100)),
        Self.head,
        .bytes("aaa"),
        .wait(.milliseconds(200)),
        .bytes("b"),
        .stall,
        then: .close
      )
    )
    expectEqual(delivery(.asRecorded, [.reset(.afterRequest)]), .steps(.reset, then: .reset))
  }

  @Test func `another answer in its place takes none of its time`() {
    let notice = ResponseHead(
      status: 503,
      headers: ["Content-Type": "text/plain; charset=utf-8", "Content-Length": "23"]
    )
    expectEqual(
      delivery(.asRecorded, [.status(503)]),
      .steps(.head(notice), .bytes("This 503 was injected.\n"), .finish)
    )
  }

  @Test func `a stream that a mutation shortens keeps its pieces`() {
    expectEqual(
      delivery(.asRecorded, [.mutate(.truncate(afterBodyBytes: 4))]),
      .steps(
        .wait(.milliseconds(100)),
        Self.head,
        .bytes("aaa"),
        .wait(.milliseconds(200)),
        .bytes("b"),
        .wait(.milliseconds(200)),
        .finish
      )
    )
  }

  @Test(arguments: Stage.allCases)
  func `a failure comes after its time`(stage: Stage) {
    let timing = Timing(firstByte: .zero, lastByte: .seconds(60))
    let failed = Interaction(Self.request, .failure(Failure(.timedOut)), timing: timing)
    let delivery = { (pace: Pace) in
      Delivery(Deck(Cassette([failed]), pace: pace).decide(Self.request), on: stage)
    }
    let ending: Delivery.Step = stage == .inProcess ? .fail(.timedOut) : .stall
    expectEqual(delivery(.times(2)), .steps(.wait(.seconds(30)), ending, then: .close))
    expectEqual(delivery(.immediately), .steps(ending, then: .close))
  }

  @Test func `by the clock of a courier the pieces come when they came`() {
    var player = Player(delivery(.asRecorded))
    let head = Player.Action.head(ResponseHead(headers: Self.stream))
    let told: [[Player.Action]] = [
      player.next(.arrived(.requestEnd), at: .zero), player.next(.tick, at: .milliseconds(99)),
      player.next(.tick, at: .milliseconds(100)), player.next(.tick, at: .milliseconds(300)),
      player.next(.tick, at: .milliseconds(500)),
    ]
    expectEqual(
      told,
      [
        [.wake(.milliseconds(100))], [.wake(.milliseconds(100))],
        [head, .bytes("aaa"), .wake(.milliseconds(300))],
        [.bytes("bb"), .bytes("cccc"), .wake(.milliseconds(500))], [.finish(.keep)],
      ]
    )
    #expect(player.isDone)
  }
}
