import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// Answers as bytes: what no framing in good form gives.
@Suite struct WireLoweringTests {
  static let hello = Response(headers: ["X": "y", "Content-Length": "5"], body: Body("hello"))
  static let fields = "X: y\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
  static let chunked = "X: y\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
  static let status = "HTTP/1.1 200 OK\r\n"

  private func delivery(
    _ faults: [Fault],
    _ response: Response = hello,
    on stage: Stage = .onTheWire
  ) -> Delivery {
    play(faults, .response(response), on: stage).delivery
  }

  /// The bytes that are sent and how the delivery ends.
  private func text(_ faults: Fault...) -> (String, Delivery.Step?) {
    let played = play(faults, .response(Self.hello))
    return (played.sent, played.steps.last)
  }

  static let headCount = 17 + fields.utf8.count

  static let points: [(Fault.Point, String)] = [
    (.inStatusLine, "HTTP/1.1 2"), (.inHeaders, "\(status)X: y\r\nCont"), (.byte(1), "H"),
    (.byte(16), "HTTP/1.1 200 OK\r"), (.byte(17), status), (.byte(18), "\(status)X"),
    (.byte(headCount), "\(status)\(fields)"), (.byte(headCount + 3), "\(status)\(fields)hel"),
    (.inChunk, "\(status)\(chunked)5\r\nhe"), (.inChunk(0), "\(status)\(chunked)5\r\n"),
    (.inChunk(4), "\(status)\(chunked)5\r\nhell"),
    (.inChunk(5), "\(status)\(chunked)6\r\nhello"),
  ]

  @Test(arguments: points)
  func `an answer breaks off at any byte`(point: Fault.Point, bytes: String) {
    for (fault, ending) in [
      (Fault.reset(point), Delivery.Step.reset), (.close(point), .close),
      (.halfClose(point), .closeWrite), (.stall(point), .stall),
    ] {
      let (text, last) = text(fault)
      expectEqual(text, bytes)
      expectEqual(last, ending)
      expectEqual(delivery([fault]).afterwards, (ending == .reset ? .reset : .close))
    }
  }

  @Test func `at byte zero nothing is sent, and at the end more was announced`() {
    expectEqual(delivery([.reset(afterBytes: 0)]).steps, [.await(.requestEnd), .reset])
    let (text, ending) = text(.close(afterBytes: Self.headCount + 5))
    expectEqual(text, "\(Self.status)\(Self.announcing("6"))hello")
    expectEqual(ending, .close)
  }

  static let malformed: [(Malformation, String)] = [
    (.noStatusLine, "hello"), (.interimOnly, "HTTP/1.1 100 Continue\r\n\r\n"),
    (.badStatusLine, "HTTP/1.1 abc OK\r\n\(fields)hello"),
    (.badStatusCode, "HTTP/1.1 99999 OK\r\n\(fields)hello"),
    (.badVersion, "HTTP/9.9 200 OK\r\n\(fields)hello"),
    (.fieldWithoutColon, "\(status)X-Broken\r\n\(fields)hello"),
    (.nulInField, "\(status)X-Broken: a\0b\r\n\(fields)hello"),
    (.negativeLength, "\(status)\(announcing("-5"))hello"),
    (.lengthTooLong, "\(status)\(announcing("7"))hello"),
    (.lengthTooShort, "\(status)\(announcing("2"))hello"),
    (
      .twoLengths,
      "\(status)X: y\r\nContent-Length: 5\r\nContent-Length: 7\r\nConnection: close\r\n\r\nhello"
    ),
    (.lengthAndChunked, "\(status)\(both)5\r\nhello\r\n0\r\n\r\n"),
    (.silentTruncation, "\(status)X: y\r\nConnection: close\r\n\r\nhe"),
    (.resetWithoutLength, "\(status)X: y\r\nConnection: close\r\n\r\nhe"),
    (.badChunkSize, "\(status)\(chunked)2\r\nhe\r\nlskdu\r\n3\r\nllo\r\n0\r\n\r\n"),
    (.missingChunkEnd, "\(status)\(chunked)2\r\nhe3\r\nllo\r\n0\r\n\r\n"),
    (.missingLastChunk, "\(status)\(chunked)2\r\nhe\r\n3\r\nllo\r\n"),
    (.chunkedTrailers, "\(status)\(chunked)2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Checksum: 7\r\n\r\n"),
    (.noContentWithContent, "HTTP/1.1 204 No Content\r\n\(fields)hello"),
    (.notModifiedWithContent, "HTTP/1.1 304 Not Modified\r\n\(fields)hello"),
  ]

  private static let both =
    "X: y\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

  private static func announcing(_ length: String) -> String { fields.replacing("5", with: length) }

  @Test(arguments: malformed)
  func `a malformed answer is these bytes`(malformation: Malformation, bytes: String) {
    let (text, ending) = text(.malformed(malformation))
    expectEqual(text, bytes)
    expectEqual(ending, (malformation == .resetWithoutLength ? .reset : .close))
  }

  @Test func `every malformation but garbage stands in the table, which is no text at all`() {
    expectEqual(Set(Self.malformed.map(\.0) + [.garbage]), Set(Malformation.allCases))
    let (text, _) = text(.malformed(.garbage))
    #expect(!text.hasPrefix("HTTP") && text.contains("\u{FFFD}"))
  }

  @Test func `a malformed answer breaks off, too, and the first on the way is what happens`() {
    let (text, ending) = text(
      .malformed(.lengthTooLong),
      .reset(afterBodyBytes: 1),
      .close(.inChunk(3))
    )
    expectEqual(text, "\(Self.status)\(Self.announcing("7"))h")
    expectEqual(ending, .reset)
    // Of two malformations one is done, and the journal has the other.
    expectEqual(
      play([.malformed(.garbage), .malformed(.badVersion)], .response(Self.hello)).misfits,
      [#"{"malformed":"badVersion"} was not done: the response is malformed in another way."#]
    )
  }

  @Test(arguments: Stage.allCases)
  func `delay, status, 4 kB, stall and reset happen in this order and at these times`(stage: Stage)
  {
    let response = Response(headers: ["Content-Length": "8192"], body: Body(Data(count: 8192)))
    let delivery = delivery(
      [
        .delay(.exactly(.milliseconds(300))), .stall(afterBodyBytes: 4096, for: .seconds(2)),
        .reset(afterBodyBytes: 4096),
      ],
      response,
      on: stage
    )
    var player = Player(delivery)
    expectEqual(player.next(.arrived(.requestEnd), at: .zero), [.wake(.milliseconds(300))])
    expectEqual(
      player.next(.tick, at: .milliseconds(300)),
      [.head(response.head), .bytes(Data(count: 4096)), .wake(.milliseconds(2300))]
    )
    expectEqual(player.next(.tick, at: .milliseconds(2300)), [.reset])
    #expect(player.isDone)
  }

  @Test func `a stall that ends goes on, wherever it is`() {
    let pause = Duration.seconds(1)
    let head = Delivery.Step.head(Self.hello.head)
    let rows: [(Fault.Point, [Delivery.Step])] = [
      (.afterRequest, [.wait(pause), head, .bytes("hello"), .finish]),
      (.body(0), [head, .wait(pause), .bytes("hello"), .finish]),
      (.body(2), [head, .bytes("he"), .wait(pause), .bytes("llo"), .finish]),
      (.body(5), [head, .bytes("hello"), .wait(pause), .finish]),
      (
        .byte(4),
        [
          .bytes("HTTP"), .wait(pause),
          .bytes(.data(Data("\(Self.status.dropFirst(4))\(Self.fields)hello".utf8))), .close,
        ]
      ),
    ]
    for (point, steps) in rows {
      let delivery = delivery([.stall(point, for: pause)])
      expectEqual(delivery.steps, [.await(.requestEnd)] + steps)
    }
    // Behind a cut nothing is waited for, before it is.
    let (one, other) = (
      Fault.stall(afterBodyBytes: 2, for: pause), Fault.truncate(afterBodyBytes: 2)
    )
    expectEqual(delivery([one, other]).steps.suffix(3), [.bytes("he"), .wait(pause), .close])
    expectEqual(delivery([other, one]).steps.suffix(2), [.bytes("he"), .close])
  }

  @Test func `a dribble is a piece at a time, and a pause within it counts`() {
    let (tick, pause) = (Duration.milliseconds(5), Duration.seconds(1))
    let faults: [Fault] = [.dribble(bytes: 2, every: tick), .stall(afterBodyBytes: 3, for: pause)]
    expectEqual(
      delivery(faults).steps.dropFirst(2),
      [
        .bytes("he"), .wait(tick), .bytes("l"), .wait(pause), .bytes("l"), .wait(tick), .bytes("o"),
        .finish,
      ]
    )
    let long = Response(body: Body(Data(count: 300_000)))
    let pieces = delivery([.dribble(bytes: 1, every: tick)], long).steps
    expectEqual(pieces.count(of: .wait(tick)), 65_535)
    expectEqual(pieces.dropLast().last, .bytes(.data(Data(count: 300_000 - 65_535))))
  }

  @Test func `a throttled body is twenty pieces a second, or a byte each`() {
    expectEqual(
      delivery([.throttle(bytesPerSecond: 40)]).steps.dropFirst(2),
      [
        .bytes("he"), .wait(.milliseconds(50)), .bytes("ll"), .wait(.milliseconds(50)),
        .bytes("o"), .finish,
      ]
    )
    let slow = delivery([.throttle(bytesPerSecond: 4)]).steps
    expectEqual(slow.count(of: .wait(.milliseconds(250))), 4)
    expectEqual(
      delivery([.throttle(bytesPerSecond: 1000)]).steps.suffix(2),
      [.bytes("hello"), .finish]
    )
  }

  @Test func `in process what a client would see takes the bytes' place`() {
    let head = Self.hello.head
    let rows: [(Fault, [Delivery.Step])] = [
      (.reset(.inHeaders), [.reset]), (.close(.inStatusLine), [.close]),
      (.halfClose(afterBodyBytes: 2), [.head(head), .bytes("he"), .close]),
      (.malformed(.garbage), [.fail(.malformedResponse)]),
      (.malformed(.badChunkSize), [.head(head), .bytes("he"), .fail(.malformedResponse)]),
      (
        .malformed(.silentTruncation),
        [.head(ResponseHead(headers: ["X": "y"])), .bytes("he"), .finish]
      ),
    ]
    for (fault, steps) in rows {
      let delivery = delivery([fault], on: .inProcess)
      expectEqual(delivery.steps, [.await(.requestEnd)] + steps)
      #expect(delivery.needs.isSubset(of: Stage.inProcess.abilities))
    }
  }

  @Test(arguments: FaultKind.all)
  func `a stage that lacks something for a kind is told so before anything starts`(
    kind: FaultKind
  ) {
    if case .connection = kind.fault { return }
    let json = Response(
      headers: ["Content-Type": "application/json"],
      body: Body(#"{"a":[1,2,3,{"b":"c"}]}"#)
    )
    for stage in Stage.allCases {
      let lacking = delivery([kind.fault], json, on: stage).needs.subtracting(stage.abilities)
      expectEqual(Set([kind.fault.ability(lackingOn: stage)].compactMap { $0 }), lacking)
      let scenario: Scenario = [.always(.always, .status(503), kind.fault)]
      expectEqual((scenario.obstacle(on: stage) == nil), lacking.isEmpty)
    }
  }

  @Test func `an obstacle names the place and what is missing`() {
    let scenario: Scenario = [
      .always(.always, .status(503)), .always(.always, .close, .close(.inHeaders)),
    ]
    expectEqual(
      scenario.obstacle(on: .inProcess),
      #"rules[1].faults[1], {"close":"inHeaders"}, requires bytes that are not a complete response, which do not exist in process"#
    )
    expectNil(scenario.obstacle(on: .onTheWire))
  }
}

extension [Delivery.Step] {
  fileprivate func count(of step: Delivery.Step) -> Int { count { $0 == step } }
}
