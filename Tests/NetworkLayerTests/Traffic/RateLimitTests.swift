import Foundation
import Testing
import WindTunnel
import WindTunnelDrill
import WindTunnelVirtualTime

@testable import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The time for which a server wants to be left alone, by all calls of the endpoint.
@Suite(
  .enabled(if: VirtualTime.isSupported, "Virtual time is not to be had here."),
  .timeLimit(.minutes(1))
) struct RateLimitTests {
  private static let origin = "https://api.example.test"
  private static let list = Endpoint(.get, "/list")

  /// A call, the time at which it begins, and the time until its deadline.
  private struct Start {
    var endpoint = list
    var at = Duration.zero
    var deadline = Duration.seconds(60)
  }

  /// Returns how each call ended and when, and when each request was sent.
  private static func fly(
    _ starts: [Start],
    through rules: [Rule],
    _ admission: AdmissionController.Rules = .init()
  ) async throws -> (ends: [String], requests: [String]) {
    let cassette = Cassette(
      ["/list", "/item"].map {
        Interaction(Request("GET", RequestURL(origin + $0)), .json(["id": 7]))
      }
    )
    var scenario = Scenario("limits")
    scenario.rules = rules
    let drill = Drill(cassette, in: [scenario], calls: 1, deadline: .seconds(600))
    let ends = Locked([String](repeating: "", count: starts.count))
    let observer = RecordingObserver()
    let begins = Locked<[Int: Duration]>([:])
    _ = try await drill.fly(in: .virtualTime) { call in
      let time = SystemTime()
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: call.baseURL),
        policy: RetryPolicy(backoff: Backoff(jitter: .none)),
        transport: call.transport,
        observer: observer,
        admission: AdmissionController(admission, time: time),
        time: time
      )
      await withTaskGroup { group in
        for (place, start) in starts.enumerated() {
          group.addTask {
            // Nobody cancels it.
            try? await Task.sleep(for: start.at)
            begins.withLock { $0[$0.count + 1] = time.uptime }
            var endpoint = start.endpoint
            endpoint.limits = CallLimits(attemptTimeout: .seconds(600), deadline: start.deadline)
            let result: Result<WindTunnelNetworkLayer.Answer, NetworkError>
            do throws(NetworkError) {
              result = .success(try await client.call(endpoint))
            } catch {
              result = .failure(error)
            }
            let name = PolicyFlightTests.name(result)
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
    let (ends, requests) = try await Self.fly(
      [Start(), Start(at: .seconds(1)), Start(at: .seconds(2)), Start(at: .seconds(6))],
      through: [Rule(when: Trigger(attempt: 1), [.status(status, retryAfter: .seconds(5))])]
    )
    #expect(
      ends == ["status 200 at 5.0", "status 200 at 5.0", "status 200 at 5.0"] + [
        "status 200 at 6.0"
      ]
    )
    #expect(
      requests == ["/list at 0.0"] + .init(repeating: "/list at 5.0", count: 3) + ["/list at 6.0"]
    )
  }

  @Test func `whoever cannot wait so long is told at once, and nothing is sent`() async throws {
    let (ends, requests) = try await Self.fly(
      [Start(), Start(at: .seconds(1), deadline: .seconds(3)), Start(at: .seconds(2))],
      through: [Rule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(5))])]
    )
    #expect(ends == ["status 200 at 5.0", "rate limited at 1.0", "status 200 at 5.0"])
    #expect(requests == ["/list at 0.0", "/list at 5.0", "/list at 5.0"])
  }

  @Test func `another endpoint is not limited`() async throws {
    let (ends, _) = try await Self.fly(
      [Start(), Start(endpoint: Endpoint(.get, "/item"), at: .seconds(1))],
      through: [
        Rule(
          when: Trigger(request: "GET /list", attempt: 1),
          [.status(429, retryAfter: .seconds(5))]
        )
      ]
    )
    #expect(ends == ["status 200 at 5.0", "status 200 at 1.0"])
  }

  @Test func `a server that errs by a day shuts nobody out for longer than the rules say`()
    async throws
  {
    let (ends, requests) = try await Self.fly(
      [Start(), Start(at: .seconds(1)), Start(at: .seconds(40))],
      through: [Rule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(86_400))])]
    )
    #expect(ends == ["rate limited at 0.0", "status 200 at 30.0", "status 200 at 40.0"])
    #expect(requests == ["/list at 0.0", "/list at 30.0", "/list at 40.0"])
  }

  @Test func `without the rule each call finds out by itself`() async throws {
    let (_, requests) = try await Self.fly(
      [Start(), Start(at: .seconds(1))],
      through: [Rule(when: Trigger(attempt: 1), [.status(429, retryAfter: .seconds(5))])],
      .init(longestLimit: .zero)
    )
    #expect(requests == ["/list at 0.0", "/list at 1.0", "/list at 5.0"])
  }
}
