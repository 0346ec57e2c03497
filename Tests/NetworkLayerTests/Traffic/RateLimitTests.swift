import TestSupport
import WindTunnelDrill
import WindTunnelReferenceSubject
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// The time for which a server wants to be left alone, by all calls of the endpoint.
@Suite(.onThisSystem, .timeLimit(.minutes(1))) struct RateLimitTests {
  private static let origin = "https://api.example.test"

  /// A call, the time at which it begins, and the time until its deadline.
  struct Start: Sendable {
    var endpoint = Endpoint(.get, "/list")
    var at = Duration.zero
    var deadline: Duration? = .seconds(60)
  }

  /// The first request has to wait.
  private static func limit(
    _ status: Int = 429,
    of request: RequestPattern? = nil,
    for seconds: Int64 = 5
  ) -> FaultRule {
    FaultRule(
      when: Trigger(request: request, attempt: 1),
      [.status(status, retryAfter: .seconds(seconds))]
    )
  }

  /// Returns how each call ended and when, and when each request was sent.
  private static func run(
    _ starts: [Start],
    _ rules: [FaultRule],
    _ admission: AdmissionController.Rules,
    draw: Double
  ) async throws -> (ends: [String], requests: [String]) {
    let cassette = Cassette(
      [("GET", "/list"), ("GET", "/item"), ("POST", "/list")].map {
        Interaction(Request($0, RequestURL(origin + $1)), .json(["id": 7]))
      }
    )
    var scenario = Scenario("limits")
    scenario.rules = rules
    let drill = Drill(cassette, in: [scenario], calls: 1, deadline: .seconds(600))
    let ends = Locked([String](repeating: "", count: starts.count))
    let observer = RecordingObserver()
    let begins = Locked<[Int: Duration]>([:])
    _ = try await drill.run(in: .virtualTime) { call in
      let time = SystemTime()
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: call.baseURL),
        policy: RetryPolicy(backoff: Backoff(jitter: .none)),
        transport: call.transport,
        observer: observer,
        admission: AdmissionController(admission, time: time),
        time: time,
        draw: { draw }
      )
      await withTaskGroup { group in
        for (place, start) in starts.enumerated() {
          group.addTask {
            // Nobody cancels it.
            try? await Task.sleep(for: start.at)
            begins.withLock { $0[$0.count + 1] = time.uptime }
            var endpoint = start.endpoint
            endpoint.limits = CallLimits(attemptTimeout: .seconds(600), deadline: start.deadline)
            let name = PolicyFlightTests.name(await client.outcome(of: endpoint))
            ends.withLock { $0[place] = "\(name) at \(time.uptime / .seconds(1))" }
          }
        }
      }
      return 1
    }
    let begun = begins.withLock { $0 }
    let requests = observer.events.compactMap { event -> String? in
      guard case .attemptStarted(_, let request, _) = event.kind else { return nil }
      let time = begun[event.call, default: .zero] + event.elapsed
      return "\(request.url?.path ?? "") at \(time / .seconds(1))"
    }
    return (ends.withLock { $0 }, requests)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var starts: [Start]
    var rules = [limit()]
    var admission = AdmissionController.Rules()
    var draw = 0.0
    /// `nil`: it is another row's.
    var ends: [String]?
    var requests: [String]?
  }

  private static let waits = [429, 503].map { status in
    Row(
      testDescription: "whoever comes while an endpoint is limited by a \(status) asks once",
      starts: [0, 1, 2, 6].map { Start(at: .seconds($0)) },
      rules: [limit(status)],
      ends: ["5.0", "5.0", "5.0", "6.0"].map { "status 200 at \($0)" },
      requests: ["0.0", "5.0", "5.0", "5.0", "6.0"].map { "/list at \($0)" }
    )
  }

  private static let others = [Endpoint(.get, "/item"), Endpoint(.post, "/list")].map { other in
    Row(
      testDescription: "\(other.method.rawValue) \(other.path) is not limited with GET /list",
      starts: [Start(), Start(endpoint: other, at: .seconds(1))],
      rules: [limit(of: "GET /list")],
      ends: ["status 200 at 5.0", "status 200 at 1.0"]
    )
  }

  private static let two = [Start(), Start(at: .seconds(1))]

  private static let rows =
    waits + others + [
      Row(
        testDescription: "whoever cannot wait so long is told at once, and nothing is sent",
        starts: [Start(), Start(at: .seconds(1), deadline: .seconds(3)), Start(at: .seconds(2))],
        ends: ["status 200 at 5.0", "rate limited at 1.0", "status 200 at 5.0"],
        requests: ["/list at 0.0", "/list at 5.0", "/list at 5.0"]
      ),
      Row(
        testDescription:
          "a server that errs by a day shuts nobody out for longer than the rules say",
        starts: [0, 1, 29, 31].map { Start(at: .seconds($0)) },
        rules: [limit(for: 86_400)],
        ends: [0, 1, 29].map { "rate limited at \($0).0" } + ["status 200 at 31.0"],
        requests: ["/list at 0.0", "/list at 31.0"]
      ),
      // What is not limited has the slot meanwhile, and then one after the other.
      Row(
        testDescription: "whoever waits for a slot when the word comes waits on without one",
        starts: [Start(), Start(), Start(endpoint: Endpoint(.get, "/item"), at: .seconds(1))],
        rules: [FaultRule(when: .always, [.delay(.exactly(.seconds(2)))]), limit(of: "GET /list")],
        admission: .init(caps: TrafficCaps(total: 1)),
        ends: ["status 200 at 9.0", "status 200 at 11.0", "status 200 at 4.0"],
        requests: ["/list at 0.0", "/item at 2.0", "/list at 7.0", "/list at 9.0"]
      ),
      // The second waits for what the first was told at 0. From then on each waits for its own word,
      // and for what the other has been told meanwhile.
      Row(
        testDescription: "a server that asks for ever is waited for once, also without a deadline",
        starts: [Start(), Start(at: .seconds(1), deadline: nil)],
        rules: [FaultRule(when: .always, [.status(429, retryAfter: .seconds(5))])],
        draw: 0.5,
        ends: ["rate limited at 15.21", "rate limited at 20.2105"],
        requests: [0, 5, 5.2, 10.2, 10.21, 15.21, 15.2105, 20.2105].map { "/list at \($0)" }
      ),
      Row(
        testDescription: "a word that is too long is heard after a wait, too",
        starts: two,
        rules: [
          limit(), FaultRule(when: Trigger(attempt: 2), [.status(429, retryAfter: .seconds(3600))]),
        ],
        draw: 0.5,
        ends: ["rate limited at 5.0", "rate limited at 5.2"],
        requests: ["/list at 0.0", "/list at 5.0"]
      ),
      Row(
        testDescription: "whoever has just the time for it waits without the rest",
        starts: [Start(), Start(at: .seconds(1), deadline: .milliseconds(4100))],
        draw: 0.5,
        ends: ["status 200 at 5.0", "status 200 at 5.0"]
      ),
      Row(
        testDescription: "those who wait do not come back in step",
        starts: two,
        draw: 0.5,
        requests: ["/list at 0.0", "/list at 5.0", "/list at 5.2"]
      ),
      Row(
        testDescription: "without the rule each call finds out by itself",
        starts: two,
        admission: .init(longestRetryAfter: .zero),
        requests: ["/list at 0.0", "/list at 1.0", "/list at 5.0"]
      ),
    ]

  @Test(arguments: rows)
  func `a server's word to wait is heard by all of its endpoint's calls`(row: Row) async throws {
    let (ends, requests) = try await Self.run(row.starts, row.rules, row.admission, draw: row.draw)
    expectEqual(ends, row.ends ?? ends)
    expectEqual(requests, row.requests ?? requests)
  }
}

/// The words of servers, as a value, and what calls make of them where nothing is virtual.
@Suite struct RateLimitsTests {
  private static func place(_ number: Int = 0) -> RateLimits.Endpoint {
    RateLimits.Endpoint(host: "api.example.test", method: "GET", endpoint: "/\(number)")
  }

  @Test func `a shorter word does not end a longer one`() {
    var limits = RateLimits(longest: .seconds(30))
    limits.leave(Self.place(), alone: .seconds(10), at: .zero)
    limits.leave(Self.place(), alone: .seconds(5), at: .seconds(1))
    let limit = limits.limit(on: Self.place(), at: .seconds(6))
    expectEqual(limit, RateLimits.Limit(rest: .seconds(4), isTooLong: false))
    expectNil(limits.limit(on: Self.place(), at: .milliseconds(9_999)))
    limits.leave(Self.place(), alone: .seconds(60), at: .seconds(10))
    let longer = limits.limit(on: Self.place(), at: .seconds(10))
    expectEqual(longer, RateLimits.Limit(rest: .seconds(60), isTooLong: true))
    limits.leave(Self.place(), alone: .seconds(25), at: .seconds(20))
    let still = limits.limit(on: Self.place(), at: .seconds(41))
    expectEqual(still, RateLimits.Limit(rest: .seconds(29), isTooLong: true))
    expectNil(limits.limit(on: Self.place(), at: .seconds(45)))
  }

  @Test
  func
    `of more endpoints than are remembered the known ones are, and those that are over make room`()
  {
    var limits = RateLimits(longest: .seconds(30))
    for number in 0..<1100 { limits.leave(Self.place(number), alone: .seconds(5), at: .zero) }
    func known(at time: Duration) -> Int {
      (0..<1100).count { limits.limit(on: Self.place($0), at: time) != nil }
    }
    expectEqual(known(at: .seconds(1)), 1024)
    limits.leave(Self.place(7), alone: .seconds(20), at: .seconds(1))
    expectEqual(known(at: .seconds(6)), 1)
    limits.leave(Self.place(1099), alone: .seconds(5), at: .seconds(6))
    expectEqual(known(at: .seconds(7)), 2)
  }

  @Test(.cassette("outages"))
  func `whoever is cancelled while it waits ends at once, and holds no slot meanwhile`()
    async throws
  {
    let fixture = try Fixture(at: "/limited")
    var once = fixture.page
    once.mostRetries = 0
    await expectEqual(fixture.result(of: once), .failure(.rateLimited(retryAfter: .seconds(5))))
    let call = fixture.start()
    await fixture.until(.retryAfter)
    #expect(fixture.client.admission.load == (0, 0))
    call.cancel()
    await expectEqual(call.value, .failure(.cancelled))
    expectEqual(fixture.transport.requests.count, 1)
  }
}
