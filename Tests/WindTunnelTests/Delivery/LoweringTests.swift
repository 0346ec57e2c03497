import TestSupport

@testable import WindTunnel

@Suite struct LoweringTests {
  static let head = ResponseHead(headers: ["Content-Length": "5"])
  static let hello = Response(headers: ["Content-Length": "5"], body: Body("hello"))

  func delivery(
    _ faults: [Fault],
    _ answer: RecordedResult = .response(hello),
    method: String = "GET",
    on stage: Stage = .onTheWire
  ) -> Delivery {
    play(faults, answer, method: method, on: stage).delivery
  }

  static let injected = ResponseHead(
    status: 503,
    headers: [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "23", "Retry-After": "2",
    ]
  )
  static let notice: Delivery.Step = .bytes("This 503 was injected.\n")

  static let table: [([Fault], Delivery)] = [
    ([], .steps(.head(head), .bytes("hello"), .finish)),
    (
      [.delay(.exactly(.seconds(1)))],
      .steps(.wait(.seconds(1)), .head(head), .bytes("hello"), .finish)
    ),
    ([.reset(.afterRequest)], .steps(.reset, then: .reset)),
    ([.reset(afterBodyBytes: 2)], .steps(.head(head), .bytes("he"), .reset, then: .reset)),
    ([.reset(afterBodyBytes: 0)], .steps(.head(head), .reset, then: .reset)),
    ([.close], .steps(.close, then: .close)),
    ([.truncate(afterBodyBytes: 4)], .steps(.head(head), .bytes("hell"), .close, then: .close)),
    ([.stall(.afterRequest)], .steps(.stall, then: .close)),
    ([.stall(afterBodyBytes: 1)], .steps(.head(head), .bytes("h"), .stall, then: .close)),
    ([.status(503, retryAfter: .milliseconds(1500))], .steps(.head(injected), notice, .finish)),
    (
      [.delay(.exactly(.seconds(1))), .status(503, retryAfter: .seconds(2))],
      .steps(.wait(.seconds(1)), .head(injected), notice, .finish)
    ),
    (
      [.status(503, retryAfter: .seconds(2)), .truncate(afterBodyBytes: 4)],
      .steps(.head(injected), .bytes("This"), .close, then: .close)
    ),
    // The first cut on the way is the one that happens, whatever stands behind it.
    (
      [.reset(afterBodyBytes: 2), .stall(afterBodyBytes: 4), .truncate(afterBodyBytes: 2)],
      .steps(.head(head), .bytes("he"), .reset, then: .reset)
    ),
    ([.stall(afterBodyBytes: 4), .close], .steps(.close, then: .close)),
    ([.reset(.afterRequest), .status(503)], .steps(.reset, then: .reset)),
    (
      [.delay(.exactly(.seconds(1))), .delay(.exactly(.seconds(2))), .reset(.afterRequest)],
      .steps(.wait(.seconds(1)), .wait(.seconds(2)), .reset, then: .reset)
    ),
  ]

  @Test(arguments: Stage.allCases, table)
  func `a fault is these steps on every stage`(stage: Stage, row: ([Fault], Delivery)) {
    expectEqual(delivery(row.0, on: stage), row.1)
  }

  @Test(arguments: [
    (404, "application/problem+json", true), (422, "Application/JSON", true),
    (503, "application/json", false), (429, "text/json", false), (404, "text/html", false),
  ])
  func `an API's error is JSON where its responses are`(status: Int, type: String, isJSON: Bool) {
    let recorded = Response(headers: ["Content-Type": type], body: Body("{}"))
    let words = "This \(status) was injected."
    let body = Data((isJSON ? #"{"error":"\#(words)"}"# : words + "\n").utf8)
    let played = play([.status(status)], .response(recorded), on: .onTheWire)
    expectEqual(Array(played.steps.dropFirst()), [.bytes(.data(body)), .finish])
  }

  @Test func `a cut at the end announces more, so that a client can see it`() {
    expectEqual(
      delivery([.truncate(afterBodyBytes: 5)]),
      .steps(
        .head(ResponseHead(headers: ["Content-Length": "6"])),
        .bytes("hello"),
        .close,
        then: .close
      )
    )
  }

  @Test(
    arguments: Stage.allCases,
    [
      .truncate(afterBodyBytes: 6), .reset(afterBodyBytes: 1000), .halfClose(afterBodyBytes: 6),
      .stall(afterBodyBytes: 6), .stall(afterBodyBytes: 6, for: .seconds(1)), .reset(.inChunk(6)),
    ] as [Fault]
  )
  func `a cut or a pause behind the end is not done`(stage: Stage, fault: Fault) {
    let played = play([fault], .response(Self.hello), on: stage)
    expectEqual(played.steps, [.head(Self.head), .bytes("hello"), .finish])
    expectEqual(played.misfits, ["\(fault.json) was not done: the body has 5 bytes."])
  }

  @Test(arguments: Stage.allCases)
  func `a cut behind all bytes of a response is not done, and the others are`(stage: Stage) {
    let fault = Fault.close(afterBytes: 10_000)
    let played = play([.delay(.exactly(.seconds(1))), fault], .response(Self.hello), on: stage)
    let misfits = played.misfits
    expectEqual(played.steps, [.wait(.seconds(1)), .head(Self.head), .bytes("hello"), .finish])
    #expect(misfits.count == 1 && misfits[0].hasPrefix("\(fault.json) was not done: the response"))
  }

  @Test(
    arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)],
    [
      .truncate(afterBodyBytes: 0), .stall(afterBodyBytes: 3, for: .seconds(1)), .close(.inChunk),
      .reset(afterEvents: 5000),
    ] as [Fault]
  )
  func `nothing is cut where there is no body`(response: (String, Int), fault: Fault) {
    let (method, status) = response
    let headers: HeaderFields = ["Content-Length": "5", "Content-Type": "text/event-stream"]
    let recorded = Response(status: status, headers: headers, body: Body("hello"))
    for stage in Stage.allCases {
      let played = play([fault], .response(recorded), method: method, on: stage)
      expectEqual(played.steps, [.head(recorded.head), .finish])
      expectEqual(played.misfits.count, 1, "\(played.misfits)")
    }
    // Its head may break off all the same.
    let broken = play([.reset(.inHeaders)], .response(recorded), method: method, on: .inProcess)
    expectEqual(broken.misfits, [])
  }

  @Test func `what the body is in the end says whether a cut is done`() {
    let cut = Fault.truncate(afterBodyBytes: 10)
    for faults in [[cut, .alter(.body(.duplicated))], [.alter(.body(.duplicated)), cut]] {
      let played = play(faults, .response(Self.hello), on: .inProcess)
      expectEqual(played.steps.last, .close)
      expectEqual(played.misfits, [])
    }
    let faults: [Fault] = [.truncate(afterBodyBytes: 2), .status(204)]
    let played = play(faults, .response(Self.hello), on: .inProcess)
    expectEqual(played.steps.last, .finish)
    expectEqual(played.misfits.count, 1)
  }

  @Test func `a cut answer without a length gets one`() {
    let streamed = Response(headers: ["Transfer-Encoding": "chunked"], body: Body("hello"))
    expectEqual(
      delivery([.reset(afterBodyBytes: 2)], .response(streamed)),
      .steps(.head(Self.head), .bytes("he"), .reset, then: .reset)
    )
  }

  @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
  func `what has no content sends none`(method: String, status: Int) {
    let response = Response(status: status, headers: ["Content-Length": "5"], body: Body("hello"))
    let head = ResponseHead(status: status, headers: ["Content-Length": "5"])
    expectEqual(delivery([], .response(response), method: method), .steps(.head(head), .finish))
    expectEqual(
      delivery([.truncate(afterBodyBytes: 3)], .response(response), method: method),
      .steps(.head(head), .finish)
    )
  }

  @Test func `an injected status answers HEAD with its head alone, and 204 without a length`() {
    expectEqual(
      delivery([.status(503, retryAfter: .seconds(2))], method: "HEAD"),
      .steps(.head(Self.injected), .finish)
    )
    expectEqual(delivery([.status(204)]), .steps(.head(ResponseHead(status: 204)), .finish))
  }

  @Test func `a written length is the body's`() {
    let wrong = Response(headers: ["Content-Length": "99"], body: Body("hello"))
    expectEqual(delivery([], .response(wrong)), .steps(.head(Self.head), .bytes("hello"), .finish))
  }

  @Test func `what nothing answers is 501 with the explanation`() {
    let outcome = Deck(Cassette()).decide(Request("GET", "https://a.example/x"))
    let text = "GET https://a.example/x is not on the cassette, which has no interactions.\n"
    let headers: HeaderFields = [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(text.utf8.count)",
    ]
    for stage in Stage.allCases {
      expectEqual(
        Delivery(outcome, on: stage),
        .steps(
          .head(ResponseHead(status: 501, headers: headers)),
          .bytes(.data(Data(text.utf8))),
          .finish
        )
      )
    }
  }

  @Test(
    arguments: [
      ([], [.bytes(.live), .finish]), ([.reset(afterBodyBytes: 9)], [.reset]),
      ([.stall(.afterRequest)], [.stall]),
    ] as [([Fault], [Delivery.Step])]
  )
  func `a forwarded request is live unless a fault cuts it`(
    faults: [Fault],
    steps: [Delivery.Step]
  ) {
    let scenario = Scenario("s", rules: [.on("* /**", .always, faults)])
    let outcome = Deck(Cassette(), scenario: scenario, mode: .rewrite).decide(Request("GET", "/"))
    expectEqual(outcome.forwards, faults.isEmpty)
    expectEqual(Delivery(outcome, on: .onTheWire).steps, [.await(.requestEnd)] + steps)
  }
}
