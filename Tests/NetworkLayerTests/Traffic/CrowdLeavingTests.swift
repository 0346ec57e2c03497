import TestSupport

@testable import WindTunnelNetworkLayer

/// In a process of its own, where no other test has calls under way.
@Suite struct CrowdLeavingTests {
  /// An object that somebody else holds, or nobody any more.
  struct Held: Sendable {
    weak let object: (any AnyObject & Sendable)?
  }

  static func hasTasks(_ session: URLSession) async -> Bool {
    await withCheckedContinuation { continuation in
      session.getAllTasks { continuation.resume(returning: !$0.isEmpty) }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `crowds of a thousand, half of which give up, leave no task, alarm or object behind`() async
  {
    await #expect(processExitsWith: .success) {
      let count = CrowdOrigin.Count()
      count.open()
      let crowd = try Crowd(count)

      for _ in 0..<3 {
        var engine: CrowdTests.Engine? = CrowdTests.Engine(crowd.session)
        let time = SystemTime()
        var admission: AdmissionController? = AdmissionController()
        // The deadline is an hour away: whatever waited for it would still be there.
        var clients = try crowd.clients(engine, admission, deadline: .seconds(3600), time: time)
        await concurrently((0..<1000).map { ($0, clients[$0 % 2]) }) { number, client in
          let call = Task { try await client.call(Endpoint(.get, "/\(number)")) }
          if number % 4 < 2 {
            // Some in the queue, some in flight, some before they began.
            for _ in 0..<(number % 7) { await Task.yield() }
            call.cancel()
          }
          // How each ended is another test's.
          _ = await call.result
        }
        #expect(try #require(admission).load == (0, 0))
        #expect(
          clients.allSatisfy { $0.shared.flights.count == 0 && $0.shared.renewals.count == 0 }
        )
        expectEqual(time.alarms.count, 0)
        let held =
          [Held(object: engine), Held(object: admission), Held(object: admission?.gate)]
          + clients.flatMap {
            [
              Held(object: $0.shared.background), Held(object: $0.shared.flights),
              Held(object: $0.shared.revalidations),
              Held(object: $0.shared.renewals), Held(object: $0.shared.calls),
            ]
          }
        #expect(held.allSatisfy { $0.object != nil })
        clients = []
        (engine, admission) = (nil, nil)
        // A task that still ran would hold its client, and that all of them.
        while held.contains(where: { $0.object != nil }) { await Task.yield() }
        while count.unanswered > 0 { await Task.yield() }
        while await CrowdLeavingTests.hasTasks(crowd.session) { await Task.yield() }
      }
      crowd.stop()
    }
  }
}
