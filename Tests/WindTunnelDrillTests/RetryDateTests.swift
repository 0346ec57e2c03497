import Foundation
import Testing
import WindTunnel

@testable import WindTunnelDrill

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Clients that are told by a date when to come again (RFC 9110 §10.2.3). The date has whole seconds, so it
/// is nearer than the seconds that it was made of, and whoever keeps to it has done what was asked.
@Suite(.timeLimit(.minutes(10))) struct RetryDateTests {
  private static let asked = Scenario(
    "asked",
    rules: [.on("* /**", .first(1), .status(503, retryAfter: .date(inSeconds: 2)))]
  )

  /// Asks, waits until so long before the date that it is told, and asks again.
  @Sendable private static func ask(_ call: DrillCall, early: TimeInterval) async throws {
    for _ in 0..<2 {
      let (status, field) = try await answer(to: call)
      guard status == 503 else { return }
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      let date = try #require(field.flatMap { format.date(from: $0) })
      while case let left = date.timeIntervalSinceNow - early, left > 0 {
        try await Task.sleep(for: .seconds(left))
      }
    }
    throw URLError(.badServerResponse)
  }

  private static func answer(to call: DrillCall) async throws -> (status: Int, retryAfter: String?) {
    try await withCheckedThrowingContinuation { continuation in
      call.session.dataTask(with: call.urlRequest) { _, response, error in
        continuation.resume(
          with: Result {
            if let error { throw error }
            let response = try #require(response as? HTTPURLResponse)
            return (response.statusCode, response.value(forHTTPHeaderField: "Retry-After"))
          }
        )
      }.resume()
    }
  }

  private func fly(_ stage: Stage, early: TimeInterval) async throws -> Report.Row {
    let drill = Drill(
      try Shipped.cassette(),
      in: [Self.asked],
      calls: 8,
      load: .openLoop(callsPerSecond: 20),
      deadline: .seconds(600),
      stage: stage
    )
    let report = try await drill.fly { try await Self.ask($0, early: early) }
    return try #require(report.scenarios.first?.subjects.first)
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `who sleeps until that very date has waited as it was asked`(stage: Stage) async throws {
    let row = try await fly(stage, early: 0)
    #expect(row.metrics.successRate == 1 && row.metrics.averageRetries == 1)
    #expect(row.metrics.retryAfterCompliance == 1 && row.metrics.earlyRetries == 0)
    for call in row.observations {
      let (first, second) = (call.attempts[0], call.attempts[1])
      #expect(first.retryAfter == .seconds(2) && second.retryNotBefore == nil)
      let ahead = try #require(first.retryNotBefore) - #require(first.start)
      // A clock that is read a moment later has less to go, and no date is further away than it says.
      #expect(ahead > .milliseconds(900) && ahead <= .milliseconds(2001), "\(ahead)")
    }
    // The calls are spread over a second, and all of them mean whole seconds of one clock.
    let dates = row.observations.compactMap { $0.attempts.first?.retryNotBefore?.inMilliseconds }
    let first = try #require(dates.first)
    for date in dates {
      let off = abs((date - first) - ((date - first) / 1000).rounded() * 1000)
      #expect(off < 50, "\(dates)")
    }
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `who comes before it has not`(stage: Stage) async throws {
    let row = try await fly(stage, early: 0.5)
    #expect(row.metrics.retryAfterCompliance == 0 && row.metrics.earlyRetries == 8)
  }

  @Test func `the reference client keeps to a date`() async throws {
    let drill = Drill(
      try Shipped.cassette(),
      in: [Self.asked],
      calls: 3,
      load: .closedLoop(concurrency: 1),
      deadline: .seconds(60),
      stage: .onTheWire
    )
    let subject = NetworkLayerSubject()
    let report = try await drill.fly { call in
      let landing = await subject.fly(call)
      if case .failed(let reason) = landing.ending { throw ClosureDrillTests.Refused.reason(reason) }
    }
    let row = try #require(report.scenarios.first?.subjects.first)
    #expect(row.metrics.retryAfterCompliance == 1 && row.metrics.earlyRetries == 0)
  }
}
