import Foundation
import TestSupport
import Testing
import WindTunnel
import WindTunnelDrill
import WindTunnelReferenceSubject

@testable import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The time for which a server wants to be left alone, by all calls of the endpoint.
@Suite(.onThisSystem, .timeLimit(.minutes(1))) struct RateLimitTests {
  private static let origin = "https://api.example.test"
  private static let list = Endpoint(.get, "/list")

  /// A call, the time at which it begins, and the time until its deadline.
  private struct Start {
    var endpoint = list
    var at = Duration.zero
    var deadline: Duration? = .seconds(60)
  }

  /// Returns how each call ended and when, and when each request was sent.
  private static func run(
    _ starts: [Start],
    through rules: [FaultRule],
    _ admission: AdmissionController.Rules = .init(),
    draw: Double = 0
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

  @Test(arguments: [429, 503])
  func `whoever comes while an endpoint is limited waits, and asks once`(status: Int) async throws {
    let (ends, requests) = try await Self.run(
      [Start(), Start(at: .seconds(1)), Start(at: .seconds(2)), Start(at: .seconds(6))],
      through: [FaultRule(when: Trigger(attempt: 1), [.status(status, retryAfter: .seconds(5))])]
    )
    expectEqual(
      ends,
      ["status 200 at 5.0", "status 200 at 5.0", "status 200 at 5.0"] + ["status 200 at 6.0"]
    )
    expectEqual(
      requests,
      ["/list at 0.0"] + .init(repeating: "/list at 5.0", count: 3) + ["/list at 6.0"]
    )
  }

  @Test func `whoever cannot wait so long is told at once, and nothing is sent`() async throws {
    let (ends, requests) = try await Self.run(
      [Start(), Start(at: .seconds(1), deadline: .seconds(3)), Start(at: .seconds(2))],
      through: [FaultRule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(5))])]
    )
    expectEqual(ends, ["status 200 at 5.0", "rate limited at 1.0", "status 200 at 5.0"])
    expectEqual(requests, ["/list at 0.0", "/list at 5.0", "/list at 5.0"])
  }

  @Test(arguments: [Endpoint(.get, "/item"), Endpoint(.post, "/list")])
  func `another endpoint or another method of the same path is not limited`(
    other: Endpoint
  ) async throws {
    let (ends, _) = try await Self.run(
      [Start(), Start(endpoint: other, at: .seconds(1))],
      through: [
        FaultRule(
          when: Trigger(request: "GET /list", attempt: 1),
          [.status(429, retryAfter: .seconds(5))]
        )
      ]
    )
    expectEqual(ends, ["status 200 at 5.0", "status 200 at 1.0"])
  }

  @Test func `a server that errs by a day shuts nobody out for longer than the rules say`()
    async throws
  {
    let (ends, requests) = try await Self.run(
      [Start(), Start(at: .seconds(1)), Start(at: .seconds(29)), Start(at: .seconds(31))],
      through: [FaultRule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(86_400))])]
    )
    expectEqual(ends, [0, 1, 29].map { "rate limited at \($0).0" } + ["status 200 at 31.0"])
    expectEqual(requests, ["/list at 0.0", "/list at 31.0"])
  }

  @Test func `whoever waits for a slot when the word comes waits on without one`() async throws {
    let (ends, requests) = try await Self.run(
      [Start(), Start(), Start(endpoint: Endpoint(.get, "/item"), at: .seconds(1))],
      through: [
        FaultRule(when: .always, [.delay(.exactly(.seconds(2)))]),
        FaultRule(
          when: Trigger(request: "GET /list", attempt: 1),
          [.status(429, retryAfter: .seconds(5))]
        ),
      ],
      .init(caps: TrafficCaps(total: 1))
    )
    expectEqual(requests.first, "/list at 0.0")
    // What is not limited has the slot meanwhile, and then one after the other.
    expectEqual(requests.dropFirst(), ["/item at 2.0", "/list at 7.0", "/list at 9.0"])
    expectEqual(ends, ["status 200 at 9.0", "status 200 at 11.0", "status 200 at 4.0"])
  }

  @Test func `a server that asks for ever is waited for once, also without a deadline`()
    async throws
  {
    let (ends, requests) = try await Self.run(
      [Start(), Start(at: .seconds(1), deadline: nil)],
      through: [FaultRule(when: .always, [.status(429, retryAfter: .seconds(5))])],
      draw: 0.5
    )
    // The second waits for what the first was told at 0. From then on each waits for its own word,
    // and for what the other has been told meanwhile.
    let times: [Double] = [0, 5, 5.2, 10.2, 10.21, 15.21, 15.2105, 20.2105]
    expectEqual(requests, times.map { "/list at \($0)" })
    expectEqual(ends, ["rate limited at 15.21", "rate limited at 20.2105"])
  }

  @Test func `a word that is too long is heard after a wait, too`() async throws {
    let (ends, requests) = try await Self.run(
      [Start(), Start(at: .seconds(1))],
      through: [
        FaultRule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(5))]),
        FaultRule(when: Trigger(attempt: 2), [.status(429, retryAfter: .seconds(3600))]),
      ],
      draw: 0.5
    )
    expectEqual(requests, ["/list at 0.0", "/list at 5.0"])
    expectEqual(ends, ["rate limited at 5.0", "rate limited at 5.2"])
  }

  @Test func `whoever has just the time for it waits without the rest`() async throws {
    let (ends, _) = try await Self.run(
      [Start(), Start(at: .seconds(1), deadline: .milliseconds(4100))],
      through: [FaultRule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(5))])],
      draw: 0.5
    )
    expectEqual(ends, ["status 200 at 5.0", "status 200 at 5.0"])
  }

  @Test func `those who wait do not come back in step`() async throws {
    let (_, requests) = try await Self.run(
      [Start(), Start(at: .seconds(1))],
      through: [FaultRule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(5))])],
      draw: 0.5
    )
    expectEqual(requests, ["/list at 0.0", "/list at 5.0", "/list at 5.2"])
  }

  @Test func `without the rule each call finds out by itself`() async throws {
    let (_, requests) = try await Self.run(
      [Start(), Start(at: .seconds(1))],
      through: [FaultRule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(5))])],
      .init(longestRetryAfter: .zero)
    )
    expectEqual(requests, ["/list at 0.0", "/list at 1.0", "/list at 5.0"])
  }
}

/// The words of servers, as a value, and what calls make of them where nothing is virtual.
@Suite struct RateLimitsTests {
  private static func place(_ number: Int = 0) -> RateLimits.Place {
    RateLimits.Place(host: "api.example.test", method: "GET", endpoint: "/\(number)")
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

  @Test func `whoever is cancelled while it waits ends at once, and holds no slot meanwhile`()
    async throws
  {
    let fixture = try Fixture([.status(429, ["Retry-After": "5"]), .status(200)])
    var once = Endpoint(.get, "/a")
    once.mostRetries = 0
    await expectEqual(fixture.result(of: once), .failure(.rateLimited(retryAfter: .seconds(5))))
    let call = fixture.start()
    while !fixture.observer.events.contains(where: { $0.kind == .waiting(.retryAfter) }) {
      await Task.yield()
    }
    #expect(fixture.client.admission.load == (0, 0))
    call.cancel()
    await expectEqual(call.value, .failure(.cancelled))
    expectEqual(fixture.transport.requests.count, 1)
  }
}
