import TestSupport
import WindTunnelNetworkLayer
import WindTunnelSymptoms

@Suite struct RetryPolicyTests {
  let policy = RetryPolicy(backoff: Backoff(jitter: .none))

  func request(_ method: String, key: String? = nil) throws -> URLRequest {
    var request = URLRequest(url: try Fixture.base())
    request.httpMethod = method
    request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
    return request
  }

  func decision(
    after outcome: AttemptOutcome,
    attempt: Int = 1,
    of request: URLRequest
  ) -> Decision {
    policy.decide(after: outcome, attempt: attempt, of: request, at: ManualTime.epoch, draw: 0)
  }

  func status(_ status: Int, _ headers: Headers = [:]) -> AttemptOutcome {
    .success(ServerResponse(status: status, headers: headers))
  }

  @Test func `of all symptoms, those that pass by themselves are tried again`() throws {
    let get = try request("GET")
    let retried = Symptom.allCases.filter {
      decision(after: .failure(.failed($0, text: "")), of: get) != .surface
    }
    expectEqual(
      retried,
      [.timedOut, .connectionLost, .emptyAnswer, .truncated, .connectionRefused, .hostNotFound]
    )
  }

  @Test func `of all statuses, five are tried again`() throws {
    let get = try request("GET")
    let retried = (100...599).filter { decision(after: status($0), of: get) != .surface }
    expectEqual(retried, [429, 500, 502, 503, 504])
  }

  @Test func `a setback gets three retries, ever further apart`() throws {
    let get = try request("GET")
    let decisions = (1...4).map { decision(after: status(503), attempt: $0, of: get) }
    expectEqual(
      decisions,
      [
        .retry(after: .milliseconds(200)), .retry(after: .milliseconds(400)),
        .retry(after: .milliseconds(800)), .surface,
      ]
    )
  }

  @Test(arguments: [
    ("GET", true, true), ("HEAD", true, true), ("PUT", true, true), ("DELETE", true, true),
    ("OPTIONS", true, true), ("TRACE", true, true), ("POST", false, true),
    ("PATCH", false, true), ("CONNECT", false, false),
    ("LOCK", false, false),
  ])
  func `only what may be sent twice is sent twice`(
    method: String,
    without: Bool,
    withKey: Bool
  ) throws {
    let lost = AttemptOutcome.failure(.failed(.connectionLost, text: ""))
    expectEqual((decision(after: lost, of: try request(method)) != .surface), without)
    expectEqual((decision(after: lost, of: try request(method, key: "k1")) != .surface), withKey)
    expectEqual((decision(after: lost, of: try request(method, key: "")) != .surface), without)
  }

  @Test func `a cancellation is surfaced even where a table names it`() throws {
    let policy = RetryPolicy(mostRetries: [.symptom(.cancelled): 9])
    let decision = policy.decide(
      after: .failure(.cancelled),
      attempt: 1,
      of: try request("GET"),
      at: ManualTime.epoch,
      draw: 0
    )
    expectEqual(decision, .surface)
  }

  @Test func `each setback has its own number in the table`() throws {
    let policy = RetryPolicy(
      mostRetries: [.symptom(.timedOut): 1, .status(418): 2],
      backoff: Backoff(jitter: .none)
    )
    let get = try request("GET")
    func most(_ outcome: AttemptOutcome) -> Int {
      (1...9).prefix {
        policy.decide(after: outcome, attempt: $0, of: get, at: ManualTime.epoch, draw: 0)
          != .surface
      }.count
    }
    expectEqual(most(.failure(.failed(.timedOut, text: ""))), 1)
    expectEqual(most(status(418)), 2)
    expectEqual(most(status(503)), 0)
  }

  @Test(arguments: [
    ("2", Decision.retry(after: .seconds(2))),
    ("30", .retry(after: .seconds(30))),
    ("31", .surface),
    ("99999999999999999999999", .surface),
    ("0", .retry(after: .milliseconds(200))),
    ("-1", .retry(after: .milliseconds(200))),
    ("soon", .retry(after: .milliseconds(200))),
    ("Sun, 06 Nov 1994 08:49:40 GMT", .retry(after: .seconds(3))),
    ("Sun, 06 Nov 1994 08:49:00 GMT", .retry(after: .milliseconds(200))),
    ("Sun, 06 Nov 1994 09:49:37 GMT", .surface),
  ])
  func `Retry-After goes before the back-off, unless it says nothing or too much`(
    value: String,
    decision: Decision
  ) throws {
    let get = try request("GET")
    expectEqual(self.decision(after: status(429, ["Retry-After": value]), of: get), decision)
    expectEqual(self.decision(after: status(503, ["retry-after": value]), of: get), decision)
  }

  @Test func `Retry-After makes no status recoverable`() throws {
    let outcome = status(404, ["Retry-After": "1"])
    expectEqual(decision(after: outcome, of: try request("GET")), .surface)
  }
}
