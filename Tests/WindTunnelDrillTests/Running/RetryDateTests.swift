import TestSupport

@testable import WindTunnelDrill
@testable import WindTunnelReferenceSubject

/// Clients that are told by a date when to come again (RFC 9110 §10.2.3). The date has whole seconds, so it
/// is nearer than the seconds that it was made of, and whoever keeps to it has done what was asked.
@Suite(.timeLimit(.minutes(5))) struct RetryDateTests {
  private static func asked(inSeconds count: Int64) -> Scenario {
    let refused = Fault.status(503, retryAfter: .date(inSeconds: count))
    return Scenario("asked", rules: [.on("* /**", .first(1), refused)])
  }

  /// Asks, waits until the date that it is told or not at all, and asks again.
  @Sendable private static func ask(_ call: DrillCall, waits: Bool) async throws {
    for _ in 0..<2 {
      let (status, field) = try await answer(to: call)
      guard status == 503 else { return }
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      let date = try #require(field.flatMap { format.date(from: $0) })
      while waits, case let left = date.timeIntervalSinceNow, left > 0 {
        try await Task.sleep(for: .seconds(left))
      }
    }
    throw URLError(.badServerResponse)
  }

  private static func answer(to call: DrillCall) async throws -> (status: Int, retryAfter: String?)
  {
    let (_, answer, error) = await call.session.result(of: call.urlRequest)
    if let error { throw error }
    let response = try #require(answer)
    return (response.statusCode, response.value(forHTTPHeaderField: "Retry-After"))
  }

  private func run(_ stage: Stage, inSeconds count: Int64, waits: Bool) async throws -> Report.Row {
    let drill = Drill(
      try Shipped.cassette(),
      in: [Self.asked(inSeconds: count)],
      calls: 8,
      load: .openLoop(callsPerSecond: 20),
      deadline: .seconds(600),
      stage: stage
    )
    let report = try await drill.run { try await Self.ask($0, waits: waits) }
    return try #require(report.scenarios.first?.subjects.first)
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `who sleeps until that very date has waited as it was asked`(stage: Stage) async throws {
    let row = try await run(stage, inSeconds: 2, waits: true)
    #expect(row.metrics.successRate == 1 && row.metrics.averageRetries == 1)
    #expect(row.metrics.retryAfterCompliance == 1 && row.metrics.earlyRetries == 0)
    for call in row.observations {
      let (first, second) = (call.attempts[0], call.attempts[1])
      #expect(first.retryAfter == .seconds(2) && second.retryNotBefore == nil)
      let ahead = try #require(first.retryNotBefore) - #require(first.start)
      // Up to a second nearer than it says, and never further away.
      #expect(ahead <= .milliseconds(2001), "\(ahead)")
    }
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `who comes before it has not`(stage: Stage) async throws {
    let row = try await run(stage, inSeconds: 60, waits: false)
    #expect(row.metrics.retryAfterCompliance == 0 && row.metrics.earlyRetries == 8)
  }

  @Test func `the reference client keeps to a date`() async throws {
    let asked = Self.asked(inSeconds: 2)
    let drill = Drill(try Shipped.cassette(), [asked], calls: 3, seconds: 60, on: .onTheWire)
    let subject = ReferenceSubject()
    let report = try await drill.run { call in
      let result = await subject.run(call)
      guard case .failed(let reason) = result.ending else { return }
      throw ClosureDrillTests.Refused.reason(reason)
    }
    let row = try #require(report.scenarios.first?.subjects.first)
    #expect(row.metrics.retryAfterCompliance == 1 && row.metrics.earlyRetries == 0)
  }
}
