import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// How recorded failures come back.
extension LoweringTests {
  @Test(arguments: [
    (Symptom.connectionLost, Delivery.Step.reset), (.timedOut, .stall), (.truncated, .close),
  ])
  func `a recorded cut ends as it did`(symptom: Symptom, ending: Delivery.Step) {
    let response = Response(headers: ["Content-Length": "9"], body: Body("hello"))
    let head = ResponseHead(headers: ["Content-Length": "9"])
    let cut = RecordedResult.cut(response, Failure(symptom))
    expectEqual(
      delivery([], cut),
      .steps(.head(head), .bytes("hello"), ending, then: ending == .reset ? .reset : .close)
    )
    expectEqual(
      delivery([], cut, on: .inProcess),
      .steps(.head(head), .bytes("hello"), .fail(symptom), then: .close)
    )
  }

  @Test func `a recorded cut whose length was not announced does not look whole`() {
    let cut = RecordedResult.cut(Self.hello, Failure(.truncated))
    let head = ResponseHead(headers: ["Content-Length": "6"])
    expectEqual(delivery([], cut), .steps(.head(head), .bytes("hello"), .close, then: .close))
  }

  @Test(arguments: Stage.allCases)
  func `who left a recorded answer is kept waiting for it`(stage: Stage) {
    let head = ResponseHead(headers: ["Content-Length": "9"])
    let response = Response(headers: head.headers, body: Body("hello"))
    let left = Failure(.cancelled, text: "the client left")
    expectEqual(
      delivery([], .cut(response, left), on: stage),
      .steps(.head(head), .bytes("hello"), .stall, then: .close)
    )
    expectEqual(delivery([], .failure(left), on: stage), .steps(.stall, then: .close))
  }

  @Test(arguments: Symptom.allCases.filter { $0 != .cancelled })
  func `a recorded failure is the same failure in process`(symptom: Symptom) {
    expectEqual(
      delivery([], .failure(Failure(symptom)), on: .inProcess),
      .steps(.fail(symptom), then: .close)
    )
  }

  @Test func `a recorded failure is made on the wire where it can be, else told`() {
    let endings = [Symptom.connectionLost, .timedOut, .emptyAnswer].map {
      delivery([], .failure(Failure($0))).steps
    }
    expectEqual(endings, [.reset, .stall, .close].map { [.await(.requestEnd), $0] })
    expectEqual(play([], .failure(Failure(.hostNotFound))).head?.status, 502)
  }

  @Test func `a status stands in the place of a recorded failure`() {
    let expected = Delivery.steps(.head(Self.injected), Self.notice, .finish)
    let failure = RecordedResult.failure(Failure(.timedOut))
    expectEqual(delivery([.status(503, retryAfter: .seconds(2))], failure), expected)
  }
}
