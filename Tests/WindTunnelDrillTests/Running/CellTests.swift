import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelVirtualTime

@testable import WindTunnelDrill
@testable import WindTunnelReferenceSubject

/// A long flight in virtual time, cut into cells: neither the number of threads nor that of
/// machines is in its report.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: VirtualTime.isSupported, "Virtual time is not to be had on this system.")
)
struct CellTests {
  private static func plan(_ names: String..., calls: Int) throws -> DrillPlan {
    let all = try Shipped.scenarios()
    let scenarios = try names.map { name in try #require(all.first { $0.name == name }) }
    var plan = DrillPlan(try Shipped.cassette(), in: scenarios)
    (plan.calls, plan.time, plan.stage) = (calls, .virtualTime, .inProcess)
    plan.load = .openLoop(callsPerSecond: 20)
    plan.subjects = [ReferenceSubject().name]
    return plan
  }

  private static func report(_ plan: DrillPlan) async throws -> Report {
    try await Drill.run([ReferenceSubject()], plan)
  }

  @Test(.bothTiers) func `a report has the same bytes at any number of workers`() async throws {
    var plan =
      Tier.includesWorld
      ? try Self.plan("server-errors", "metro", "auth-refused", calls: 1300)
      : try Self.plan("server-errors", "auth-refused", calls: 520)
    let alone = try await Self.report(plan).data()
    for workers in Tier.cases([4, 16, 2], few: 1) {
      plan.workers = workers
      try await expectEqual(Self.report(plan).data(), alone)
    }
  }

  @Test(.bothTiers) func `the parts that machines run merge to the whole`() async throws {
    var plan =
      Tier.includesWorld
      ? try Self.plan("server-errors", "metro", calls: 2700)
      : try Self.plan("server-errors", calls: 1010)
    plan.workers = 2
    let whole = try await Self.report(plan)
    var parts: [Report.Part] = []
    let count = Tier.includesWorld ? 4 : 2
    for number in 1...count {
      plan.shard = Shard(number, of: count)
      let part = try await Self.report(plan)
      parts.append(Report.Part(part, from: "\(number).json"))
    }
    let counts = parts.map { $0.report.scenarios[0].subjects[0].observations.count }
    expectEqual(counts, Tier.includesWorld ? [1000, 700, 500, 500] : [510, 500])
    try expectEqual(Report(merging: parts.reversed()).data(), whole.data())
  }

  @Test func `a flight is cut behind every five hundredth call`() throws {
    let plan = try Self.plan("calm", calls: 1300)
    let cells = plan.cells(in: .calm, of: ReferenceSubject())
    expectEqual(cells.map(\.calls), [Array(0..<500), Array(500..<1000), Array(1000..<1300)])
    let arrivals = ArrivalProcess(seed: plan.seed, callsPerSecond: 20, count: 1300)
    expectEqual(cells.map(\.age), [nil, arrivals.offset(of: 500), arrivals.offset(of: 1000)])
  }

  @Test func `a part of which no cell is flown is refused`() async throws {
    var plan = try Self.plan("calm", calls: 400)
    plan.shard = Shard(2, of: 4)
    let words =
      "Shard 2/4 has no call: in virtual time each shard takes blocks of 500 calls of a scenario. "
      + "Use fewer shards, or none."
    let refused = plan
    await #expect(throws: DrillError.plan(words)) { try await Self.report(refused) }
  }

  @Test func `the first error ends all others`() async throws {
    struct Own: Error {}
    let begun = Locked(0)
    await #expect(throws: Own.self) {
      try await Array(0..<1000).flown(by: 2) { number in
        begun.withLock { $0 += 1 }
        if number == 0 { throw Own() }
        // Only a cancellation ends it.
        try await Task.sleep(for: .seconds(86_400))
        return number
      } then: { _, _ in
      }
    }
    #expect(begun.withLock { $0 } <= 2)
  }

  @Test func `what one call waits for another is not cut`() throws {
    var plan = try Self.plan("calm", calls: 1300)
    let closure = ClosureSubject(name: "client") { _ in 1 }
    expectEqual(plan.cells(in: .calm, of: closure).map(\.calls), [Array(0..<1300)])
    plan.load = .closedLoop(concurrency: 4)
    expectEqual(plan.cells(in: .calm, of: ReferenceSubject()).map(\.calls), [Array(0..<1300)])
    plan.load = .openLoop(callsPerSecond: 20)
    plan.time = .realTime
    expectEqual(plan.cells(in: .calm, of: ReferenceSubject()).map(\.calls), [Array(0..<1300)])
  }

  /// A window of the scenario's is met by whoever calls in it, whatever cell that is.
  @Test func `a cell begins at the scenario's age`() async throws {
    var plan = try Self.plan("calm", calls: 600)
    // The second cell begins in this window.
    let (begin, end) = (Duration.seconds(20), Duration.seconds(27))
    plan.scenarios = [
      Scenario(
        "gap",
        rules: [
          FaultRule(when: Trigger(window: TimeWindow(from: begin, until: end)), [.status(503)])
        ]
      )
    ]
    let row = try await Self.report(plan).scenarios[0].subjects[0]
    for call in row.observations {
      for attempt in call.attempts {
        let start = try #require(attempt.start)
        expectEqual((attempt.status == 503), (begin..<end).contains(start), "call \(call.call)")
        // An end is a sum of two that were rounded down.
        let end = try #require(call.end) + .microseconds(2)
        #expect(try #require(call.start) <= start && start <= end)
      }
    }
    let faults = row.metrics.faults
    expectEqual(faults.first.map { $0.attempts > 10 }, true, "\(faults)")
    expectEqual(row.observations.map(\.call), Array(0..<600))
  }
}
