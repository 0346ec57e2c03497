import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// Streams of events as they are played: cut between events, and taken up again behind one.
@Suite struct EventDeliveryTests {
  private static let events = (1...4).map { "id: \($0)\ndata: token \($0)\n\n" }
  private static let body = events.joined()

  private static func interaction(
    type: String = "text/event-stream",
    _ body: String = body,
    chunks: [Timing.Chunk] = []
  ) -> Interaction {
    Interaction(
      Request("GET", "/events"),
      .response(Response(headers: ["Content-Type": type], body: Body(body))),
      timing: Timing(firstByte: .milliseconds(10), lastByte: .milliseconds(100), chunks: chunks)
    )
  }

  private static func delivery(
    _ fault: Fault?,
    _ interaction: Interaction = interaction(),
    lastEvent: String? = nil,
    pace: Pace = .immediately,
    method: String = "GET"
  ) -> Played {
    let scenario: Scenario = fault.map { [.always(.always, $0)] } ?? .calm
    let deck = Deck(Cassette([interaction]), scenario: scenario, matcher: .pathAndQuery, pace: pace)
    var request = Request(method, "http://x/events")
    if let lastEvent { request.headers["Last-Event-ID"] = lastEvent }
    return deck.play(request)
  }

  @Test(arguments: [
    (Fault.reset(afterEvents: 2), Delivery.Step.reset), (.close(afterEvents: 2), .close),
    (.stall(afterEvents: 2), .stall), (.halfClose(afterEvents: 2), .closeWrite),
  ])
  func `an answer ends between two events`(fault: Fault, ending: Delivery.Step) {
    let played = Self.delivery(fault)
    expectEqual(played.sent, Self.events[..<2].joined())
    expectEqual(played.steps.last, ending)
    expectEqual(played.misfits, [])
  }

  @Test func `a pause between two events is one, and none is before the first`() {
    let paused = Self.delivery(.stall(afterEvents: 1, for: .seconds(2)))
    expectEqual(paused.sent, Self.body)
    #expect(paused.steps.contains(.wait(.seconds(2))))
    let none = Self.delivery(.close(afterEvents: 0))
    expectEqual(none.sent, "")
    #expect(none.head != nil)
  }

  @Test func `a stream that is cut is in chunks as a whole one is, of which the last is missing`() {
    let chunks = [
      Timing.Chunk(bytes: 30, offset: .milliseconds(10)),
      Timing.Chunk(bytes: Self.body.utf8.count - 30, offset: .milliseconds(20)),
    ]
    for fault in [nil, Fault.close(afterEvents: 2), .reset(afterBodyBytes: 7)] {
      let steps = Self.delivery(fault, Self.interaction(chunks: chunks)).steps
      let heads = steps.compactMap { if case .head(let head) = $0 { head.headers } else { nil } }
      expectEqual(heads, [["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]])
    }
  }

  @Test(arguments: [(nil, 0), ("1", 1), ("2", 0), ("3", 3), ("5", 0)])
  func `a stream recorded after a reconnect resumes at another client's last event id`(
    asked: String?,
    skipped: Int
  ) {
    var interaction = Self.interaction()
    interaction.request.headers["Last-Event-ID"] = "2"
    let sent = Self.delivery(nil, interaction, lastEvent: asked).sent
    expectEqual(sent, Self.events[skipped...].joined())
  }

  @Test func `lines of JSON are events`() {
    let lines = Self.interaction(type: "application/x-ndjson", "{\"n\":1}\n{\"n\":2}\n")
    expectEqual(Self.delivery(.reset(afterEvents: 1), lines).sent, "{\"n\":1}\n")
  }

  @Test func `where there are no events, or fewer, that is said`() {
    let text = Self.delivery(.reset(afterEvents: 1), Self.interaction(type: "text/plain"))
    expectEqual(text.sent, Self.body)
    expectEqual(
      text.misfits,
      [#"{"resetAfterEvents":1} was not done: the response has no event stream."#]
    )
    let few = Self.delivery(.reset(afterEvents: 5))
    expectEqual(few.sent, Self.body)
    expectEqual(few.misfits, [#"{"resetAfterEvents":5} was not done: the response has 4 events."#])
  }

  @Test(arguments: [("2", 2), ("4", 4), ("1", 1), ("9", 0), ("", 0), (" 2", 0)])
  func `a client that comes back gets what is behind its last event`(id: String, seen: Int) {
    expectEqual(Self.delivery(nil, lastEvent: id).sent, Self.events[seen...].joined())
  }

  @Test func `events that share an id come again, and a block without data has one, too`() {
    let body = "id: 1\ndata: a\n\ndata: b\n\nid: 5\n\ndata: c\n\n"
    let stream = Self.interaction(body)
    expectEqual(Self.delivery(nil, stream, lastEvent: "1").sent, "data: b\n\nid: 5\n\ndata: c\n\n")
    expectEqual(Self.delivery(nil, stream, lastEvent: "5").sent, "data: c\n\n")
  }

  @Test func `a rest of a stream is no response for others, and no live origin is kept from them`()
  {
    let deck = Deck(Cassette([Self.interaction()]), matcher: .pathAndQuery, then: .repeat)
    let plain = deck.decide(Request("GET", "http://x/events"))
    let back = deck.decide(Request("GET", "http://x/events", headers: ["Last-Event-ID": "2"]))
    #expect(plain.renderedKey != nil)
    expectNil(back.renderedKey)
    #expect(!Fault.reset(afterEvents: 2).forestallsOrigin)
  }

  @Test func `a stream in a coding is neither cut by events nor taken up again`() {
    var coded = Self.interaction()
    if case .response(var response) = coded.result {
      response.head.headers["Content-Encoding"] = "gzip"
      coded.result = .response(response)
    }
    expectEqual(Self.delivery(nil, coded, lastEvent: "2").sent, Self.body)
    expectEqual(
      Self.delivery(.reset(afterEvents: 1), coded).misfits,
      [#"{"resetAfterEvents":1} was not done: the body is in a coding."#]
    )
  }

  @Test func `events before the last event id take no time, and later events keep their intervals`()
  {
    let length = Self.events[0].utf8.count
    let chunks = (0..<4).map { Timing.Chunk(bytes: length, offset: .milliseconds(10 + 30 * $0)) }
    let stream = Self.interaction(chunks: chunks)
    let whole = Self.delivery(nil, stream, pace: .asRecorded)
    let rest = Self.delivery(nil, stream, lastEvent: "2", pace: .asRecorded)
    func waits(_ played: Played) -> [Duration] {
      played.steps.compactMap { if case .wait(let length) = $0 { length } else { nil } }
    }
    expectEqual(
      waits(whole),
      [.milliseconds(10), .milliseconds(30), .milliseconds(30), .milliseconds(30)]
    )
    expectEqual(waits(rest), [.milliseconds(10), .milliseconds(30)])
    expectEqual(rest.sent, Self.events[2...].joined())
  }

  @Test func `a stream is cut where a client comes back to`() {
    // It has seen two events, of the rest it gets one.
    expectEqual(Self.delivery(.reset(afterEvents: 1), lastEvent: "2").sent, Self.events[2])
  }

  @Test func `a client that has seen all is told that there is no more`() {
    var stream = Self.interaction(Self.body + ": bye\n\n")
    if case .response(var response) = stream.result {
      response.head.headers["Access-Control-Allow-Origin"] = "*"
      stream.result = .response(response)
    }
    let played = Self.delivery(nil, stream, lastEvent: "4")
    expectEqual(played.sent, "")
    expectEqual(
      played.head,
      ResponseHead(status: 204, headers: ["Access-Control-Allow-Origin": "*"])
    )
    expectEqual(played.steps.last, .finish)
    expectEqual(Self.delivery(nil, stream, lastEvent: "3").head?.status, 200)
  }

  @Test func `where the recording broke off, it breaks off again, and there is no 204`() {
    var stream = Self.interaction()
    if case .response(let response) = stream.result {
      stream.result = .cut(response, Failure(.connectionLost))
    }
    let played = Self.delivery(nil, stream, lastEvent: "4")
    #expect(played.head?.status == 200 && played.sent == "")
    expectEqual(played.steps.last, .reset)
  }

  @Test func `a POST that names its last event goes on behind it, and one that does not is new`() {
    var stream = Self.interaction()
    stream.request.method = "POST"
    func sent(_ id: String?) -> String {
      Self.delivery(nil, stream, lastEvent: id, method: "POST").sent
    }
    expectEqual(sent("2"), Self.events[2...].joined())
    expectEqual(sent(nil), Self.body)
    expectEqual(Self.delivery(nil, stream, lastEvent: "4", method: "POST").head?.status, 204)
  }

  @Test func `fields of events that are changed come in the pieces of the recording`() {
    let chunks = Self.events.indices.map {
      Timing.Chunk(bytes: Self.events[$0].utf8.count, offset: .milliseconds(10 + 30 * $0))
    }
    let stream = Self.interaction(chunks: chunks)
    func pieces(_ content: ResponseEdit.Content) -> [String] {
      Self.delivery(.alter(.body(content)), stream, pace: .asRecorded).steps.compactMap { step in
        switch step {
        case .bytes(.data(let data)): String(decoding: data, as: UTF8.self)
        case .wait(let length): "\(length.inMilliseconds)"
        default: nil
        }
      }
    }
    expectEqual(
      pieces(.missingEventIDs),
      [
        "10.0", "id: 1\ndata: token 1\n\n", "30.0", "data: token 2\n\n", "30.0",
        "data: token 3\n\n", "30.0", "data: token 4\n\n",
      ]
    )
    expectEqual(pieces(.retryZero)[1...2], ["retry: 0\n\(Self.events[0])", "30.0"])
  }
}
