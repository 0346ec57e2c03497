import TestSupport

@testable import WindTunnelDrill

@Suite struct FallTests {
  /// The numbers of the calls that ended so.
  private func calls(_ row: Report.Row, _ ending: Observation.CallResult) -> [Int] {
    row.observations.filter { $0.ending == ending }.map(\.call)
  }

  private func row(_ report: Report, _ index: Int = 0) throws -> Report.Row {
    let flown = try #require(report.scenarios.first)
    try #require(index < flown.subjects.count)
    return flown.subjects[index]
  }

  @Test(arguments: ["traps-on-3", "leaves-on-3"])
  func `a call that its process dies in is a row, and the others run on`(name: String) async throws
  {
    let report = try await TestSubjects.drill(name, "fine") { plan in
      plan.scenarios = [.calm, Scenario("later")]
    }.run()
    expectEqual(report.scenarios.map(\.name), ["calm", "later"])
    for flown in report.scenarios {
      let row = try #require(flown.subjects.first)
      expectEqual(calls(row, .crashed), [3])
      expectEqual(calls(row, .succeeded), [0, 1, 2, 4, 5, 6, 7])
      expectEqual(row.metrics.averageRetries, 0, "it is seen that it made no attempt")
    }
    expectEqual(report.verdict.outcome, .crashed)
  }

  @Test func `a crash took as long as it took, and not as long as it might have`() async throws {
    let drill = try TestSubjects.drill("traps-on-3") { $0.deadline = .seconds(3600) }
    let crashed = try row(try await drill.run()).observations[3]
    expectEqual(crashed.ending, .crashed)
    #expect(crashed.latency > .zero && crashed.latency < .seconds(3600))
    #expect(crashed.start != nil)
  }

  @Test func `of several calls in the air the one that kills is found by flying them alone`()
    async throws
  {
    let mark = TestSubjects.mark()
    // It is there unless the test has failed already.
    defer { try? FileManager.default.removeItem(at: mark) }
    let drill = try TestSubjects.drill("traps-on-2-in-company", mark: mark) {
      $0.load = .closedLoop(concurrency: 4)
    }
    let report = try await drill.run()
    let row = try row(report)
    expectEqual(calls(row, .crashed), [2])
    expectEqual(calls(row, .succeeded), [0, 1, 3, 4, 5, 6, 7])
  }

  @Test func `a call that never returns hangs, and its process flies on`() async throws {
    let drill = try TestSubjects.drill("never-returns-on-5") { plan in
      plan.load = .closedLoop(concurrency: 2)
      plan.deadline = .seconds(10)
    }
    let row = try row(try await drill.run())
    expectEqual(calls(row, .hung), [5])
    expectEqual(row.observations.count, 8)
  }

  @Test func `a process that stops is killed, and the call that stops it hangs`() async throws {
    var drill = try TestSubjects.drill("stops-on-3") { plan in
      plan.calls = 4
      plan.load = .closedLoop(concurrency: 2)
      plan.deadline = .seconds(10)
    }
    drill.grace = ChildProcess.Patience(first: .seconds(60), later: .seconds(2))
    let row = try row(try await drill.run())
    expectEqual(calls(row, .hung), [3])
    expectEqual(calls(row, .succeeded), [0, 1, 2])
  }

  @Test func `a client's output does not disturb its calls`() async throws {
    let row = try row(
      try await TestSubjects.drill("prints") { $0.load = .closedLoop(concurrency: 4) }.run()
    )
    expectEqual(calls(row, .succeeded), Array(0..<8))
    #expect(row.observations.allSatisfy { $0.attempts.count == 1 })
  }

  @Test func `a yardstick that falls fails nobody`() async throws {
    let report = try await TestSubjects.drill("fine", "traps-on-3").run()
    expectEqual(calls(try row(report, 1), .crashed), [3])
    expectEqual(report.verdict.outcome, .passed)
  }

  @Test(arguments: ["true", "false", "/nowhere/windtunnel"])
  func `a process that never makes a call ends the drill with a sentence`(name: String) async throws
  {
    // In /bin on one system, in /usr/bin on another.
    let path = Executable.find(name)?.path ?? name
    var plan = try DrillPlan()
    // WorkerJob that do not fit into a pipe are written to a process that is dead.
    plan.calls = 20_000
    plan.scenarios = [.calm]
    let drill = try ProcessDrill(plan, executable: URL(filePath: path), arguments: [])
    let error = await #expect(throws: DrillError.self) { _ = try await drill.run() }
    guard case .harness(let problem) = try #require(error) else {
      Issue.record("\(String(describing: error)) is not the harness's")
      return
    }
    #expect(problem.contains("client's process") || problem.contains("cannot be started"))
  }

  @Test func `a drill that is cancelled takes its process with it`() async throws {
    let drill = try TestSubjects.drill("never-returns-on-5") {
      $0.load = .closedLoop(concurrency: 8)
    }
    let (landings, landed) = AsyncStream.makeStream(of: Int.self)
    let flight = Task {
      try await drill.run { if case .calls(_, _, let done, _) = $0 { landed.yield(done) } }
    }
    for await done in landings where done == 7 { break }
    flight.cancel()
    await #expect(throws: CancellationError.self) { try await flight.value }
  }
}
