import TestSupport
import WindTunnelDrill
import WindTunnelReferenceSubject

@testable import WindTunnelNetworkLayer

/// Each rule of the policy in virtual time: no wait is the test's word for one, each is measured by
/// the client's own clock, to the nanosecond.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct PolicyVirtualTests {
  @Test(
    arguments: try PolicyFlightTests.flights().filter { $0.stage == .inProcess },
    [false, true]
  )
  func `a rule makes these attempts with these gaps`(
    flight: PolicyFlightTests.Flight,
    ofSession: Bool
  ) async throws {
    let row = flight.row
    let url = RequestURL(FlightStand.origin + row.endpoint.path)
    let request = Request(row.endpoint.method.rawValue, url)
    let cassette = Cassette([Interaction(request, .json(["id": 7]))])
    let drill = Drill(cassette, in: [row.plan], calls: 1, deadline: .seconds(3600))
    let observer = RecordingObserver()
    let end = Locked("")
    let report = try await drill.run(in: .virtualTime) { call in
      let time = SystemTime()
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: call.baseURL),
        policy: row.policy,
        transport: ofSession ? URLSessionTransport(session: call.session) : call.transport,
        observer: observer,
        limits: row.limits,
        admission: AdmissionController(row.rules, time: time),
        time: time
      )
      let result = await FlightStand.result(of: row.endpoint, flight.kind, by: client)
      end.withLock { $0 = PolicyFlightTests.name(result) }
      return try result.get().status
    }
    expectEqual(end.withLock { $0 }, row.end)
    expectEqual(observer.waits, row.gaps.map { .milliseconds($0) })
    let attempts = row.gaps.count + (row.rules.breaker?.window == 2 ? 0 : 1)
    expectEqual(observer.attempts, attempts)
    let metrics = report.scenarios.first?.subjects.first?.metrics
    if row.isSeen { expectEqual(metrics?.amplification, Double(attempts)) }
  }
}

extension RecordingObserver {
  /// The number of attempts that were sent.
  fileprivate var attempts: Int {
    events.count { if case .attemptStarted = $0.kind { true } else { false } }
  }

  /// The times from each decision to retry to what came of it.
  fileprivate var waits: [Duration] {
    zip(events, events.dropFirst()).compactMap { event, next in
      if case .retryScheduled = event.kind { next.elapsed - event.elapsed } else { nil }
    }
  }
}
