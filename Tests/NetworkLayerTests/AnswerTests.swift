import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// What a call brings beside its content: updates, errors for a screen, codes, the record.
@Suite struct AnswerTests {
  private func read(
    _ updates: AsyncThrowingStream<CallResponse, any Error>
  ) async -> (answers: [String], error: NetworkError?) {
    var answers: [String] = []
    do {
      for try await answer in updates {
        answers.append("\(String(decoding: answer.body, as: UTF8.self)) \(answer.source)")
      }
      return (answers, nil)
    } catch {
      return (answers, error as? NetworkError)
    }
  }

  @Test(.cassette("calls"))
  func `updates are the stored response, marked, then the fresh one or the error`() async throws {
    let fixture = try Fixture.cached(at: "/updates")
    let page = fixture.page
    #expect(await read(fixture.client.updates(of: page)) == (["one network"], nil))
    // A fresh one is the last: nothing is asked.
    #expect(await read(fixture.client.updates(of: page)) == (["one cache"], nil))
    fixture.time.advance(by: .seconds(61))
    #expect(await read(fixture.client.updates(of: page)) == (["one stale", "two network"], nil))
    fixture.time.advance(by: .seconds(61))
    #expect(
      await read(fixture.client.updates(of: page)) == (
        ["two stale"], .server(status: 404, body: Data())
      )
    )
  }

  @Test(.cassette("calls"))
  func `a stale response states the error that it replaces`() async throws {
    let fixture = try Fixture.cached(at: "/absent")
    let page = Endpoint(.get, "/absent", mostRetries: 0)
    let first = try await fixture.client.call(page)
    expectNil(first.standsInFor)
    fixture.time.advance(by: .seconds(2))
    let stale = try await fixture.client.call(page)
    #expect(stale.isStale && stale.body == Data("one".utf8))
    expectEqual(stale.standsInFor, .server(status: 503, body: Data()))
    // It came with its record, which leaves the error as it is.
    expectEqual(stale.record?.response.source, .stale)
  }

  @Test(.cassette("calls"))
  func `an absent server is told behind the stale answer`() async throws {
    let fixture = try Fixture.cached(at: "/absent")
    let page = Endpoint(.get, "/absent", mostRetries: 0)
    #expect(await read(fixture.client.updates(of: page)) == (["one network"], nil))
    fixture.time.advance(by: .seconds(2))
    #expect(
      await read(fixture.client.updates(of: page)) == (
        ["one stale"], .server(status: 503, body: Data())
      )
    )
  }

  @Test(
    arguments: [
      (.cancelled, .silent), (.offline(text: ""), .wait), (.rateLimited(retryAfter: nil), .wait),
      (.circuitOpen(host: "", retryAfter: .zero), .wait), (.deadlinePassed(.zero), .retry),
      (.credentials(status: 401, body: Data()), .signIn),
      (.credentials(status: 403, body: Data()), .tell), (.proxyCredentials, .tell),
      (.server(status: 502, body: Data()), .retry), (.server(status: 503, body: Data()), .wait),
      (.server(status: 404, body: Data()), .tell), (.transport(.connectionLost, text: ""), .retry),
      (.transport(.serverCertificateUntrusted, text: ""), .tell),
      (.business(code: "1", message: ""), .tell), (.decode(.notJSON), .tell), (.file(""), .tell),
      (.middleware(""), .tell), (.invalidRequest(.method("")), .tell),
    ] as [(NetworkError, NetworkError.Kind)]
  )
  func `each error has a reaction of the screen`(error: NetworkError, kind: NetworkError.Kind) {
    expectEqual(error.kind, kind)
  }

  @Test(.cassette("calls")) func `an error's content is decoded by rule`() async throws {
    let refusal = #"{"retcode":1001,"retdesc":"sold out"}"#
    let fixture = try Fixture(at: "/refused")
    let endpoint = Endpoint(.get, "/refused", rules: ResponseRules(errors: Envelope()))
    var errors: [NetworkError] = []
    for _ in 0..<6 {
      if case .failure(let error) = await fixture.result(of: endpoint) { errors.append(error) }
    }
    let soldOut = NetworkError.business(code: "1001", message: "sold out")
    expectEqual(
      errors,
      [
        soldOut, .server(status: 400, body: Data("<html>".utf8)),
        .credentials(status: 401, body: Data(refusal.utf8)), soldOut,
        .credentials(status: 403, body: Data()), .proxyCredentials,
      ]
    )
  }

  @Test(.cassette("calls"))
  func `an envelope's code renews the token, and its message is returned`() async throws {
    let tokens = BearerTokens("old", expiry: .init(codes: ["40101"])) { "new" }
    let fixture = try Fixture(at: "/enveloped", authenticator: tokens)
    let value = try await fixture.client.value(
      of: fixture.page,
      by: ResponseDecoder<Enveloped<Int>>.wholeEnvelope()
    )
    #expect((value.code, value.message, value.value) == ("0", "welcome", 7))
    expectEqual(fixture.sent("Authorization"), ["Bearer old", "Bearer new"])
  }

  @Test(.cassette("calls"))
  func `a response has its record, which can be stored`() async throws {
    let fixture = try Fixture(at: "/once", sendsTraces: true)
    let answer = try await fixture.waited(1).result.get()
    let record = try #require(answer.record)
    expectEqual(record.state, .answered)
    expectEqual(record.counters.attempts, 2)
    expectEqual(record.counters.backoff, .milliseconds(200))
    expectEqual(record.response.bytes, 2)
    let id = try #require(record.system.traceID)
    expectEqual(fixture.sent("X-Request-ID"), ["\(id)-1", "\(id)-2"])
    let data = try JSONEncoder().encode(record)
    try expectEqual(JSONDecoder().decode(CallRecord.self, from: data), record)
    // Answers are compared without it.
    expectEqual(answer, CallResponse(status: 200, body: Data("ok".utf8), attempts: 2))
  }

  @Test func `no two calls have one id`() async throws {
    let fixture = try Fixture((0..<100).map { _ in .status(200) }, sendsTraces: true)
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: fixture.transport
    )
    for _ in 0..<100 { _ = try await client.call(Endpoint(.get, "/a")) }
    let ids = fixture.sent("X-Request-ID")
    expectEqual(Set(ids).count, 100)
  }

  @Test(.cassette("calls"))
  func `one call is suspended and resumed, and no other`() async throws {
    let fixture = try Fixture(at: "/once")
    let pause = CallPause()
    let (client, page) = (fixture.client, fixture.page)
    let call = Task { try await client.call(page, progress: nil, pausedBy: pause) }
    await expectEqual(fixture.time.nextSleep(), .milliseconds(200))
    pause.suspend()
    fixture.time.advance(by: .milliseconds(200))
    await fixture.until(.pause)
    try await expectEqual(client.call(Endpoint(.get, "/fine")).body, Data("fine".utf8))
    pause.resume()
    try await expectEqual(call.value.body, Data("ok".utf8))
  }

  @Test func `a call that is suspended can be cancelled`() async throws {
    let fixture = try Fixture([.status(200)])
    let pause = CallPause()
    pause.suspend()
    let client = fixture.client
    let call = Task { try await client.call(Endpoint(.get, "/a"), progress: nil, pausedBy: pause) }
    await fixture.until(.pause)
    call.cancel()
    await #expect(throws: NetworkError.cancelled) { _ = try await call.value }
    #expect(fixture.transport.requests.isEmpty)
  }
}
