import TestSupport
import WindTunnelVirtualTime

@testable import WindTunnelDrill
@testable import WindTunnelReferenceSubject

/// Drills in virtual time: the same flight each time, and the flight that real time would have had.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: VirtualTime.isSupported, "Virtual time is not to be had on this system.")
)
struct VirtualDrillTests {
  private static func plan(
    _ scenarios: [Scenario],
    calls: Int? = nil,
    in time: DrillClock = .virtualTime
  ) throws -> DrillPlan {
    var plan = DrillPlan(try Shipped.cassette(), in: scenarios)
    (plan.calls, plan.time, plan.stage) = (calls, time, .inProcess)
    plan.subjects = [ReferenceSubject().name]
    return plan
  }

  private static func shipped(_ names: String...) throws -> [Scenario] {
    let all = try Shipped.scenarios()
    return try names.map { name in try #require(all.first { $0.name == name }) }
  }

  @Test(.bothTiers)
  func `every shipped scenario that can be carried is flown to the same bytes`() async throws {
    var plan = try Self.plan(try Shipped.scenarios())
    try plan.leaveOut(among: Set(plan.scenarios.map(\.name)))
    #expect(plan.scenarios.count > 35)
    let report = try await Drill.run([ReferenceSubject()], plan)
    for flown in report.scenarios {
      let row = try #require(flown.subjects.first)
      #expect(!row.observations.isEmpty && row.observations.allSatisfy { $0.ending != .hung })
    }
    let bytes = report.data()
    for _ in 0..<(Tier.includesWorld ? 3 : 1) {
      try await expectEqual(Drill.run([ReferenceSubject()], plan).data(), bytes)
    }
    plan.scenarios = try Self.shipped("server-errors")
    let one = try await Drill.run([ReferenceSubject()], plan)
    plan.seed = 2
    let two = try await Drill.run([ReferenceSubject()], plan)
    #expect(one.scenarios[0].subjects[0].observations != two.scenarios[0].subjects[0].observations)
  }

  /// What hangs on seeds alone is the same to the attempt; waits may be longer in real time, and
  /// never shorter.
  @Test(
    .world,
    arguments: [
      "calm", "rate-limited", "permanent-errors", "changed-between", "portal-gone", "redirect-loop",
      "stale-answers", "auth-refused", "legal", "tls-failure",
    ]
  )
  func `a flight meets what the same one meets in real time`(name: String) async throws {
    let scenarios = try Self.shipped(name)
    func row(_ time: DrillClock) async throws -> [Observation] {
      let plan = try Self.plan(scenarios, calls: 12, in: time)
      let report = try await Drill.run([ReferenceSubject()], plan)
      return try #require(report.scenarios.first?.subjects.first).observations
    }
    let (virtual, real) = (try await row(.virtualTime), try await row(.realTime))
    expectEqual(virtual.map(\.ending), real.map(\.ending))
    expectEqual(virtual.map { $0.attempts.map(\.status) }, real.map { $0.attempts.map(\.status) })
    expectEqual(virtual.map { $0.attempts.map(\.bytes) }, real.map { $0.attempts.map(\.bytes) })
    // Those that waited to try again drew how long, and those that waited with another call up to a
    // tenth of that.
    let drawn = name == "rate-limited" ? 10 : 0
    for (virtual, real) in zip(virtual, real) where virtual.attempts.count == 1 {
      #expect(virtual.latency <= real.latency * (100 + drawn) / 100 + .milliseconds(1))
    }
  }

  @Test func `a closure that waits a day is flown in no time, without a session`() async throws {
    let start = ContinuousClock.now
    let report = try await Drill(
      try Shipped.cassette(),
      in: Self.shipped("server-errors"),
      calls: 50
    )
    .run(in: .virtualTime) { call in
      for wait in [60.0, 3600, 86_400] {
        let answer = try await call.send(call.request)
        if answer.status < 500 { return answer.body.data }
        try await Task.sleep(for: .seconds(wait))
      }
      throw URLError(.badServerResponse)
    }
    let row = try #require(report.scenarios.first?.subjects.first)
    expectEqual(row.observations.count, 50)
    #expect(row.observations.contains { $0.latency > .seconds(60) || $0.ending == .hung })
    #expect(report.environment.contains { $0.name == "clock" && $0.value == "virtual" })
    #expect(ContinuousClock.now - start < .seconds(3600))
  }

  @Test func `a stall is left after the client's own time, to the microsecond`() async throws {
    var plan = try Self.plan(try Self.shipped("stall"), calls: 3)
    plan.deadline = .seconds(31)
    let report = try await Drill.run([ReferenceSubject()], plan)
    for call in try #require(report.scenarios.first?.subjects.first).observations {
      expectEqual(call.ending, .failed("timedOut"))
      if call.attempts.first?.isRepeatable == false {
        expectEqual(call.latency, .seconds(10), "the limit of its one attempt")
      } else {
        #expect(call.latency > .seconds(21) && call.latency <= .seconds(31) * 0.95)
      }
    }
  }

  @Test func `a session is flown to the same bytes, and meets what it meets in real time`()
    async throws
  {
    let names = ["latency", "one-fault", "stalled-body", "redirect-elsewhere", "auth-refused"]
    let scenarios = try Shipped.scenarios().filter { names.contains($0.name) }
    expectEqual(scenarios.count, names.count)
    func report(_ time: DrillClock) async throws -> Report {
      try await Drill(try Shipped.cassette(), in: scenarios, calls: 12, stage: .inProcess)
        .run(in: time) { call in try await ClosureDrillTests.send(call.urlRequest, by: call.session)
        }
    }
    let virtual = try await report(.virtualTime)
    for _ in 0..<5 { try await expectEqual(report(.virtualTime).data(), virtual.data()) }
    let real = try await report(.realTime)
    for (virtual, real) in zip(virtual.scenarios, real.scenarios) {
      let (virtual, real) = (virtual.subjects[0].observations, real.subjects[0].observations)
      expectEqual(virtual.map(\.ending), real.map(\.ending))
      expectEqual(virtual.map { $0.attempts.map(\.status) }, real.map { $0.attempts.map(\.status) })
    }
  }

  /// A client with a thread of its own, on which an answer takes the machine's time.
  @Test func `a call that a thread keeps waiting does not hang`() async throws {
    let error = await #expect(throws: NotVirtual.self) {
      try await Drill(try Shipped.cassette(), in: Self.shipped("calm"), calls: 1)
        .run(in: .virtualTime) { call in
          // Time goes on for as long as the call may take, and then the thread is done.
          let moment = DispatchSemaphore(value: 0)
          Task {
            try await Task.sleep(for: .seconds(10))
            moment.signal()
          }
          await withCheckedContinuation { continuation in
            Thread {
              moment.wait()
              continuation.resume()
            }.start()
          }
          return try await call.send(call.request).body.data
        }
    }
    expectEqual(error?.reason, .cameBackLate)
  }

  @Test func `a drill in a virtual time that is there is refused`() async throws {
    let error = await #expect(throws: NotVirtual.self) {
      _ = try await VirtualTime.run {
        try await Drill(try Shipped.cassette(), in: Self.shipped("calm"), calls: 1)
          .run(in: .virtualTime) { try await $0.send($0.request).body.data }
      }
    }
    expectEqual(error?.reason, .nested)
  }

  @Test func `what hangs for ever hangs`() async throws {
    let report = try await Drill(try Shipped.cassette(), in: Self.shipped("calm"), calls: 2)
      .run(in: .virtualTime) { call in
        for await _ in AsyncStream<Int>(unfolding: {
          try? await Task.sleep(for: .seconds(5))
          return 1
        }) {}
      }
    let row = try #require(report.scenarios.first?.subjects.first)
    expectEqual(row.observations.map(\.ending), [.hung, .hung])
  }

  @Test func `a client that needs the machine's time is refused before the run`() async throws {
    var plan = try Self.plan([.calm])
    plan.stage = .onTheWire
    await #expect(
      throws: DrillError.plan("Sockets use the machine's time. Run it without --clock virtual.")
    ) { try await Drill.run([ReferenceSubject()], plan) }
    (plan.stage, plan.subjects, plan.command) = (nil, ["exec"], ["curl", "{url}"])
    await #expect(
      throws: DrillError.plan(
        "Only windtunnel drill runs programs in virtual time. Omit --clock virtual."
      )
    ) { try await Drill.run([ExecSubject()], plan) }
  }

  @Test func `on the wire nothing can be sent without a session`() async throws {
    let report = try await Drill(
      try Shipped.cassette(),
      in: [.calm],
      calls: 1,
      stage: .onTheWire
    ).run { call in try await call.send(call.request).body.data }
    let ending = try #require(report.scenarios.first?.subjects.first?.observations.first).ending
    guard case .failed(let reason) = ending else {
      Issue.record("it went well")
      return
    }
    #expect(reason.contains("a network address, but a session is required"))
  }
}
