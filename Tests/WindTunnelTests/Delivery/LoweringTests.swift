import Foundation
import Symptoms
import Testing

@testable import WindTunnel

@Suite struct LoweringTests {
  static let head = ResponseHead(headers: ["Content-Length": "5"])
  static let hello = Response(headers: ["Content-Length": "5"], body: Body("hello"))

  private func delivery(
    _ faults: [Fault],
    _ answer: Answer = .response(hello),
    method: String = "GET",
    on stage: Stage = .onTheWire,
    link: Link? = nil
  ) -> Delivery {
    let deck = Deck(
      Cassette([Interaction(Request(method, "/"), answer)]),
      scenario: Scenario("s", link: link, rules: [.on("* /**", .always, faults)])
    )
    return Delivery(deck.decide(Request(method, "/")), on: stage)
  }

  private static func steps(_ steps: Delivery.Step..., then: Delivery.Afterwards = .keep)
    -> Delivery
  {
    Delivery([.await(.requestEnd)] + steps, afterwards: then)
  }

  static let injected = ResponseHead(
    status: 503,
    headers: [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "23", "Retry-After": "2",
    ]
  )
  static let notice: Delivery.Step = .bytes("This 503 was injected.\n")

  static let table: [([Fault], Delivery)] = [
    ([], steps(.head(head), .bytes("hello"), .finish)),
    (
      [.delay(.exactly(.seconds(1)))],
      steps(.wait(.seconds(1)), .head(head), .bytes("hello"), .finish)
    ),
    ([.reset()], steps(.reset, then: .reset)),
    ([.reset(afterBodyBytes: 2)], steps(.head(head), .bytes("he"), .reset, then: .reset)),
    ([.reset(afterBodyBytes: 0)], steps(.head(head), .reset, then: .reset)),
    ([.close], steps(.close, then: .close)),
    ([.truncate(afterBodyBytes: 4)], steps(.head(head), .bytes("hell"), .close, then: .close)),
    ([.stall()], steps(.stall, then: .close)),
    ([.stall(afterBodyBytes: 1)], steps(.head(head), .bytes("h"), .stall, then: .close)),
    ([.status(503, retryAfter: .milliseconds(1500))], steps(.head(injected), notice, .finish)),
    (
      [.delay(.exactly(.seconds(1))), .status(503, retryAfter: .seconds(2))],
      steps(.wait(.seconds(1)), .head(injected), notice, .finish)
    ),
    (
      [.status(503, retryAfter: .seconds(2)), .truncate(afterBodyBytes: 4)],
      steps(.head(injected), .bytes("This"), .close, then: .close)
    ),
    // The first cut on the way is the one that happens, whatever stands behind it.
    (
      [.reset(afterBodyBytes: 2), .stall(afterBodyBytes: 4), .truncate(afterBodyBytes: 2)],
      steps(.head(head), .bytes("he"), .reset, then: .reset)
    ),
    ([.stall(afterBodyBytes: 4), .close], steps(.close, then: .close)),
    ([.reset(), .status(503)], steps(.reset, then: .reset)),
    (
      [.delay(.exactly(.seconds(1))), .delay(.exactly(.seconds(2))), .reset()],
      steps(.wait(.seconds(1)), .wait(.seconds(2)), .reset, then: .reset)
    ),
  ]

  @Test(arguments: Stage.allCases, table)
  func `a fault is these steps on every stage`(stage: Stage, row: ([Fault], Delivery)) {
    #expect(delivery(row.0, on: stage) == row.1)
  }

  @Test(arguments: [5, 6, 1000])
  func `a cut behind the end announces more, so that a client can see it`(offset: Int) {
    #expect(
      delivery([.truncate(afterBodyBytes: offset)])
        == Self.steps(
          .head(ResponseHead(headers: ["Content-Length": "6"])),
          .bytes("hello"),
          .close,
          then: .close
        )
    )
  }

  @Test func `a cut answer without a length gets one`() {
    let streamed = Response(headers: ["Transfer-Encoding": "chunked"], body: Body("hello"))
    #expect(
      delivery([.reset(afterBodyBytes: 2)], .response(streamed))
        == Self.steps(.head(Self.head), .bytes("he"), .reset, then: .reset)
    )
  }

  @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
  func `what has no content sends none`(method: String, status: Int) {
    let response = Response(status: status, headers: ["Content-Length": "5"], body: Body("hello"))
    let head = ResponseHead(status: status, headers: ["Content-Length": "5"])
    #expect(delivery([], .response(response), method: method) == Self.steps(.head(head), .finish))
    #expect(
      delivery([.truncate(afterBodyBytes: 3)], .response(response), method: method)
        == Self.steps(.head(head), .close, then: .close)
    )
  }

  @Test func `an injected status answers HEAD with its head alone, and 204 without a length`() {
    #expect(
      delivery([.status(503, retryAfter: .seconds(2))], method: "HEAD")
        == Self.steps(.head(Self.injected), .finish)
    )
    #expect(delivery([.status(204)]) == Self.steps(.head(ResponseHead(status: 204)), .finish))
  }

  @Test func `a written length is the body's`() {
    let wrong = Response(headers: ["Content-Length": "99"], body: Body("hello"))
    #expect(
      delivery([], .response(wrong)) == Self.steps(.head(Self.head), .bytes("hello"), .finish)
    )
  }

  @Test(arguments: [
    (Symptom.connectionLost, Delivery.Step.reset), (.timedOut, .stall), (.truncated, .close),
  ])
  func `a recorded cut ends as it did`(symptom: Symptom, ending: Delivery.Step) {
    let response = Response(headers: ["Content-Length": "9"], body: Body("hello"))
    let head = ResponseHead(headers: ["Content-Length": "9"])
    let cut = Answer.cut(response, Failure(symptom))
    #expect(
      delivery([], cut)
        == Self.steps(
          .head(head),
          .bytes("hello"),
          ending,
          then: ending == .reset ? .reset : .close
        )
    )
    #expect(
      delivery([], cut, on: .inProcess)
        == Self.steps(.head(head), .bytes("hello"), .fail(symptom), then: .close)
    )
  }

  @Test func `a recorded cut whose length was not announced does not look whole`() {
    let cut = Answer.cut(Self.hello, Failure(.truncated))
    let head = ResponseHead(headers: ["Content-Length": "6"])
    #expect(delivery([], cut) == Self.steps(.head(head), .bytes("hello"), .close, then: .close))
  }

  @Test(arguments: Symptom.allCases)
  func `a recorded failure is the same failure in process`(symptom: Symptom) {
    #expect(
      delivery([], .failure(Failure(symptom)), on: .inProcess)
        == Self.steps(.fail(symptom), then: .close)
    )
  }

  @Test func `a recorded failure is made on the wire where it can be, else told`() {
    let endings = [Symptom.connectionLost, .timedOut, .emptyAnswer].map {
      delivery([], .failure(Failure($0))).steps
    }
    #expect(endings == [.reset, .stall, .close].map { [.await(.requestEnd), $0] })
    guard case .head(let head) = delivery([], .failure(Failure(.hostNotFound))).steps[1] else {
      Issue.record("there is no head")
      return
    }
    #expect(head.status == 502)
  }

  @Test func `a status stands in the place of a recorded failure`() {
    let expected = Self.steps(.head(Self.injected), Self.notice, .finish)
    let failure = Answer.failure(Failure(.timedOut))
    #expect(delivery([.status(503, retryAfter: .seconds(2))], failure) == expected)
  }

  @Test func `what nothing answers is 501 with the explanation`() {
    let outcome = Deck(Cassette()).decide(Request("GET", "https://a.example/x"))
    let text = "GET https://a.example/x is not on the cassette, which has no interactions.\n"
    let headers: HeaderFields = [
      "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(text.utf8.count)",
    ]
    for stage in Stage.allCases {
      #expect(
        Delivery(outcome, on: stage)
          == Self.steps(
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
      ([.stall()], [.stall]),
    ] as [([Fault], [Delivery.Step])]
  )
  func `a forwarded request is live unless a fault cuts it`(
    faults: [Fault],
    steps: [Delivery.Step]
  ) {
    let scenario = Scenario("s", rules: [.on("* /**", .always, faults)])
    let outcome = Deck(Cassette(), scenario: scenario, mode: .rewrite).decide(Request("GET", "/"))
    #expect(outcome.forwards == faults.isEmpty)
    #expect(Delivery(outcome, on: .onTheWire).steps == [.await(.requestEnd)] + steps)
  }

  @Test(arguments: [
    (ConnectionFault.offline, Symptom.offline), (.refused, .connectionRefused),
    (.hostNotFound, .hostNotFound), (.tls(.expired), .serverCertificateHasBadDate),
    (.tls(.plaintext), .secureConnectionFailed),
  ])
  func `a connection's fault fails in process with its symptom`(
    fault: ConnectionFault,
    symptom: Symptom
  ) {
    let deck = Deck(Cassette(), scenario: [.always(.always, .connection(fault))])
    #expect(
      deck.open(lane: .deck, on: .inProcess) == Delivery([.fail(symptom)], afterwards: .close)
    )
  }

  @Test func `a connection's fault on the wire waits for the ClientHello or resets`() {
    let deliveries = [
      ConnectionFault.refused, .tls(.closeAfterClientHello), .tls(.handshakeFailure),
    ]
    .map { fault in
      Deck(Cassette(), scenario: [.always(.always, .connection(fault))])
        .open(lane: .deck, on: .onTheWire)
    }
    #expect(
      deliveries == [
        Delivery([.reset], afterwards: .reset),
        Delivery([.await(.clientHello), .close], afterwards: .close),
        Delivery(
          [.await(.clientHello), .bytes(.data(Data([21, 3, 3, 0, 2, 2, 40]))), .close],
          afterwards: .close
        ),
      ]
    )
    #expect(Deck(Cassette()).open(lane: .deck, on: .onTheWire) == .nothing)
  }

  @Test func `a link delays the request by handshake and way up`() {
    let link = Link(
      up: .init(delay: .milliseconds(20)),
      down: .init(delay: .milliseconds(30))
    )
    #expect(
      delivery([], link: link)
        == Self.steps(.wait(.milliseconds(70)), .head(Self.head), .bytes("hello"), .finish)
    )
  }

  @Test func `a link that loses everything lets nothing through`() {
    let link = Link(up: .init(), down: .init(lossProbability: 1))
    #expect(delivery([], link: link).steps.last == .stall)
    #expect(delivery([], link: link).steps.count == 3)
  }

  @Test func `a body longer than the first window waits for acknowledgements, unharmed`() {
    let body = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0) })
    let link = Link(up: .init(delay: .milliseconds(50)), down: .init(delay: .milliseconds(50)))
    let steps = delivery([], .response(Response(body: Body(body))), link: link).steps
    let waits = steps.filter { $0 == .wait(.milliseconds(100)) }
    // 10, 20 and 12 segments.
    #expect(waits.count == 2)
    let sent = steps.reduce(into: Data()) { sent, step in
      if case .bytes(.data(let data)) = step { sent += data }
    }
    #expect(sent == body)
  }
}
