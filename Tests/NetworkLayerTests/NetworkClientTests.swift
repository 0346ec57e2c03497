import TestSupport
import WindTunnelNetworkLayer
import WindTunnelTesting

@Suite struct NetworkClientTests {
  @Test(.cassette("calls"))
  func `two setbacks cost two retries, and the gaps are the back-off's`() async throws {
    let fixture = try Fixture(at: "/setbacks")
    let (result, waits) = await fixture.waited(2)
    expectEqual(waits, [.milliseconds(200), .milliseconds(400)])
    expectEqual(result, .success(CallResponse(status: 200, body: Data("ok".utf8), attempts: 3)))
    expectEqual(fixture.transport.instants, [.zero, .milliseconds(200), .milliseconds(600)])
  }

  @Test(.cassette("calls")) func `the draw decides the gap`() async throws {
    let fixture = try Fixture(at: "/busy", jitter: .full, draw: 0.5)
    let (result, waits) = await fixture.waited(2)
    expectEqual(waits, [.milliseconds(100), .milliseconds(200)])
    expectEqual(result, .success(CallResponse(status: 200, body: Data("ok".utf8), attempts: 3)))
  }

  @Test(.cassette("calls")) func `the gap is the server's where it asks for one`() async throws {
    let fixture = try Fixture(at: "/later")
    let (result, waits) = await fixture.waited(2)
    expectEqual(waits, [.seconds(3), .seconds(5)])
    expectEqual(result, .success(CallResponse(status: 200, body: Data("ok".utf8), attempts: 3)))
  }

  @Test(.cassette("calls"))
  func `after three retries the caller gets what is there`() async throws {
    let fixture = try Fixture(at: "/bad")
    await expectEqual(
      fixture.waited(3).result,
      .failure(.server(status: 502, body: Data("bad".utf8)))
    )
    expectEqual(fixture.transport.instants.count, 4)
  }

  @Test(.cassette("calls")) func `a POST is never sent twice`() async throws {
    let fixture = try Fixture(at: "/lost")
    let call = fixture.start(Endpoint(.post, "/lost", body: .data(Data("1".utf8))))
    await expectEqual(call.value, .failure(.transport(.connectionLost, text: "connectionLost")))
    expectEqual(fixture.transport.instants, [.zero])
  }

  @Test func `a POST with a key is sent again as it was`() async throws {
    let fixture = try Fixture([.symptom(.emptyAnswer), .status(201)])
    let key: Headers = ["Idempotency-Key": "k1"]
    let pay = Endpoint(.post, "/pay", headers: key, body: .data(Data("1".utf8)))
    try await expectEqual(fixture.waited(1, for: pay).result.get().attempts, 2)
    expectEqual(fixture.transport.requests.count, 2)
    expectEqual(Set(fixture.transport.requests).count, 1)
    expectEqual(fixture.transport.requests[0].timeoutInterval, 3)
  }

  @Test(arguments: [
    (
      ScriptedTransport.Step.status(404, body: "no"),
      NetworkError.server(status: 404, body: Data("no".utf8))
    ),
    (.status(401), .credentials(status: 401, body: Data())),
    (.status(429, ["Retry-After": "3600"]), .rateLimited(retryAfter: .seconds(3600))),
    (
      .symptom(.serverCertificateHasBadDate),
      .transport(.serverCertificateHasBadDate, text: "serverCertificateHasBadDate")
    ),
    (.symptom(.unknown), .transport(.unknown, text: "unknown")),
    (ScriptedTransport.Step(outcome: .failure(.cancelled)), .cancelled),
  ])
  func `what does not pass is told at once`(
    step: ScriptedTransport.Step,
    error: NetworkError
  ) async throws {
    let fixture = try Fixture([step, .status(200)])
    await expectEqual(fixture.start().value, .failure(error))
    expectEqual(fixture.transport.instants, [.zero])
  }

  @Test(.cassette("calls"), arguments: [200, 204, 302, 304])
  func `a status below 400 is an answer`(status: Int) async throws {
    let fixture = try Fixture(at: "/plain/\(status)")
    await expectEqual(
      fixture.start().value,
      .success(CallResponse(status: status, headers: ["A": "b"]))
    )
  }

  @Test(.cassette("calls"))
  func `the observer hears all of a call in order and in time`() async throws {
    let fixture = try Fixture([.recorded(takes: .milliseconds(30))], at: "/once")
    let endpoint = Endpoint(.get, "/once", priority: .critical)
    let result = await fixture.waited(2, for: endpoint).result
    let request = fixture.transport.requests[0]
    let (answered, over) = (Duration.milliseconds(30), Duration.milliseconds(230))
    func event(_ elapsed: Duration, _ kind: CallEvent.Kind) -> CallEvent {
      CallEvent(call: 1, elapsed: elapsed, kind: kind)
    }
    expectEqual(
      fixture.observer.events,
      [
        event(.zero, .callStarted(endpoint)),
        event(.zero, .attemptStarted(1, request, engine: "ScriptedTransport")),
        event(answered, .attemptEnded(1, .success(ServerResponse(status: 503)))),
        event(answered, .retryScheduled(after: 1, delay: .milliseconds(200))),
        event(over, .attemptStarted(2, request, engine: "ScriptedTransport")),
        event(over, .attemptEnded(2, .success(ServerResponse(status: 200, body: Data("ok".utf8))))),
        event(over, .callEnded(result, attempts: 2)),
      ]
    )
  }

  @Test func `an impossible request is refused before anything is sent`() async throws {
    let fixture = try Fixture([.status(200)])
    let error = NetworkError.invalidRequest(.path("a", .relative))
    await expectEqual(fixture.start(Endpoint(.get, "a")).value, .failure(error))
    #expect(fixture.transport.instants.isEmpty)
    expectEqual(fixture.observer.events.last?.kind, .callEnded(.failure(error), attempts: 0))
  }

  @Test(.cassette("calls")) func `copies of a client number their calls together`() async throws {
    let fixture = try Fixture(at: "/fine")
    let copy = fixture.client
    let answers = [try await fixture.client.call(fixture.page), try await copy.call(fixture.page)]
    let fine = CallResponse(status: 200, body: Data("fine".utf8))
    expectEqual(answers, [fine, fine])
    expectEqual(fixture.observer.events.map(\.call), [1, 1, 1, 1, 2, 2, 2, 2])
  }

  @Test func `an error names its symptom where it is no answer`() {
    expectEqual(NetworkError.cancelled.symptom, .cancelled)
    expectEqual(NetworkError.transport(.truncated, text: "").symptom, .truncated)
    expectEqual(NetworkError.deadlinePassed(.seconds(1)).symptom, .timedOut)
    expectNil(NetworkError.server(status: 500, body: Data()).symptom)
  }

  @Test(arguments: [
    (NetworkError.cancelled, "The call was cancelled."),
    (.transport(.truncated, text: "900 left"), "No response arrived (truncated): 900 left"),
    (
      .server(status: 503, body: Data("busy".utf8)),
      "The server responded with status 503 and 4 bytes."
    ),
    (.rateLimited(retryAfter: nil), "The server limits the rate: send fewer requests."),
    (.rateLimited(retryAfter: .seconds(9)), "The server limits the rate: wait for 9.0 seconds."),
    (.deadlinePassed(.seconds(3)), "No response arrived within 3.0 seconds."),
    (.invalidRequest(.method("GE T")), "\"GE T\" is not a method: use letters, as in \"GET\"."),
  ])
  func `an error is one sentence`(error: NetworkError, sentence: String) {
    expectEqual(error.description, sentence)
  }
}
