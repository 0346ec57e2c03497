import TestSupport
import WindTunnelNetworkLayer

@testable import WindTunnelDrill

/// A client that tries again, and whose calls do not know of each other: no retry budget that they
/// share, no host that one of them closes off for the rest. What such a client meets is the seed's
/// alone, call by call and to the last attempt.
@Suite struct RepeatingClientTests {
  private func row(
    _ scenarios: [Scenario],
    on stage: Stage,
    at concurrency: Int,
    cassette: Cassette? = nil,
    calls: Int = 25
  ) async throws -> Report.Row {
    let cassette = try cassette ?? Shipped.cassette()
    var drill = Drill(
      cassette,
      in: scenarios,
      calls: calls,
      seed: 7,
      load: .closedLoop(concurrency: concurrency),
      deadline: .seconds(600),
      stage: stage
    )
    // A clock may end an attempt only where a fault makes it wait; none here does.
    drill.plan.attemptTimeout = .seconds(600)
    let admission = AdmissionController(AdmissionController.Rules(budget: nil, breaker: nil))
    let report = try await drill.run { call in
      let client = NetworkClient(
        baseURL: call.baseURL,
        session: call.session,
        limits: CallLimits(attemptTimeout: call.attemptTimeout, deadline: call.deadline),
        admission: admission
      )
      let endpoint = Endpoint(
        HTTPMethod(rawValue: call.request.method),
        target: call.request.url.target,
        headers: Headers(call.request.headers.map { Headers.Field($0.name, $0.value) }),
        body: call.request.body.data.isEmpty ? nil : .data(call.request.body.data)
      )
      return try await client.call(endpoint).body
    }
    return try #require(report.scenarios.first?.subjects.first)
  }

  private func met(_ row: Report.Row) -> [[Observation.Attempt]] { row.observations.map(\.story) }

  @Test(.world, arguments: ["server-errors", "rate-limited", "outage"])
  func `meets the same on both stages and at any concurrency`(name: String) async throws {
    let scenario = try Shipped.scenarios(named: [name])
    let first = try await row(scenario, on: .onTheWire, at: 1)
    // Some of its calls went further than one attempt, or nothing was shown here.
    #expect(met(first).contains { $0.count > 1 })
    for (stage, concurrency) in [(Stage.onTheWire, 16), (.inProcess, 1), (.inProcess, 16)] {
      let again = try await row(scenario, on: stage, at: concurrency)
      expectEqual(met(again), met(first), "\(stage), \(concurrency) at once")
      expectEqual(again.observations.map(\.endpoint), first.observations.map(\.endpoint))
      // Which of them failed; the words of a failure are the transport's, which counts on a socket what
      // was left to come.
      let succeeded = [again, first].map { $0.observations.map { $0.ending == .succeeded } }
      expectEqual(succeeded[0], succeeded[1])
    }
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `fifty equal calls at once each play the whole recorded sequence`(stage: Stage) async throws
  {
    let interactions = (1...3).map { number in
      """
      {"request":{"method":"GET","url":"/queue"},
       "response":{"status":\(number < 3 ? 503 : 200),"json":{"number":\(number)}}}
      """
    }
    let cassette = try Cassette(
      data: Data(
        "{\"windtunnel\":1,\"interactions\":[\(interactions.joined(separator: ","))]}".utf8
      ),
      source: "queue.json"
    )
    let row = try await row([.calm], on: stage, at: 50, cassette: cassette, calls: 50)
    let whole = (1...3).map { "recording \($0)" }
    expectEqual(
      row.observations.map { $0.attempts.map(\.source.words) },
      Array(repeating: whole, count: 50)
    )
    #expect(row.observations.allSatisfy { $0.ending == .succeeded })
  }
}
