import TestSupport

@testable import WindTunnelDrill

@Suite struct ClosureDrillTests {
  /// One request by completion handler: its body, or what went wrong.
  static func ask(_ call: DrillCall) async throws -> Data {
    try await send(call.urlRequest, by: call.session)
  }

  static func send(_ asked: URLRequest, by session: URLSession) async throws -> Data {
    let (data, response, error) = await session.result(of: asked)
    if let error { throw error }
    let status = response?.statusCode ?? 0
    guard 200..<400 ~= status else { throw Refused.status(status) }
    return data ?? Data()
  }

  enum Refused: Error, Equatable { case status(Int), reason(String) }

  private func drill(
    _ scenarios: [Scenario],
    calls: Int = 10,
    deadline: Duration = .seconds(600),
    _ stage: Stage? = nil
  ) throws -> Drill {
    Drill(try Shipped.cassette(), in: scenarios, calls: calls, deadline: deadline, stage: stage)
  }

  private func rows(_ report: Report) -> [Report.Row] { report.scenarios.flatMap(\.subjects) }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `every call has its own way to the tape`(stage: Stage) async throws {
    let report = try await drill([.calm], stage).run(as: "mine", Self.ask)
    let row = try #require(rows(report).first)
    expectEqual(row.name, "mine")
    expectEqual(report.scenarios.map(\.stage), [stage])
    expectEqual(
      row.observations.map(\.endpoint),
      (0..<10).map {
        [
          "GET /home", "POST /login", "POST /payments", "POST /telemetry", "GET /recommendations",
          "GET /recommendations",
        ][$0 % 6]
      }
    )
    expectEqual(row.observations.map(\.call), Array(0..<10))
    #expect(row.observations.allSatisfy { $0.ending == .succeeded && $0.attemptCount == 1 })
    expectEqual(
      row.observations.map { $0.attempts.map(\.source.words) },
      (0..<10).map { ["recording \($0 % 6 + 1)"] }
    )
    #expect(report.environment.contains(.sharedProcess))
    #expect(report.text().contains("the clients ran in this process: a crash would have ended"))
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a closure meets what a subject in a process of its own meets`(stage: Stage) async throws {
    let scenario = try Shipped.scenarios(named: ["server-errors"])
    let report = try await drill(scenario, calls: 25, stage).run { _ = try await Self.ask($0) }
    let other = try await TestSubjects.drill("fine") { plan in
      (plan.scenarios, plan.calls, plan.stage) = (scenario, 25, stage)
      plan.deadline = .seconds(600)
    }.run()
    expectEqual(report.decisionHash, other.decisionHash)
    expectEqual(rows(report)[0].observations.map(\.story), rows(other)[0].observations.map(\.story))
    expectEqual(
      rows(report)[0].observations.map { $0.ending == .succeeded },
      rows(other)[0].observations.map { $0.ending == .succeeded }
    )
  }

  @Test func `what a closure throws is why the call failed`() async throws {
    struct Own: Error, CustomStringConvertible { var description = "out of\nstock" }
    let scenario: [Scenario] = [Scenario("s", rules: [.on("GET /home", .always, .status(503))])]
    let report = try await drill(scenario, calls: 5, .inProcess).run { call in
      switch call.index {
      case 1: throw URLError(.timedOut)
      case 2: throw CancellationError()
      case 3: throw Own()
      case 4: throw Own(description: String(repeating: "x", count: 1000))
      default: _ = try await Self.ask(call)
      }
    }
    expectEqual(
      rows(report)[0].observations.map(\.ending),
      [
        .failed("status(503)"), .failed("timedOut"), .failed("cancelled"), .failed("out of stock"),
        .failed(String(repeating: "x", count: 200) + "…"),
      ]
    )
    expectEqual(rows(report)[0].observations.map(\.showed), Array(repeating: false, count: 5))
    expectEqual(rows(report)[0].observations.map(\.attemptCount), [1, 0, 0, 0, 0])
  }

  @Test func `what is empty is blank, unless the client says otherwise`() async throws {
    func showed<Shown: Sendable>(
      _ body: @escaping @Sendable @concurrent (DrillCall) async throws -> Shown
    ) async throws -> Bool {
      let report = try await drill([.calm], calls: 1, .inProcess).run(body)
      return rows(report)[0].observations[0].showed
    }
    #expect(try await showed { _ in })
    #expect(try await showed { _ in 0 })
    #expect(try await showed { _ in "a" })
    #expect(try await showed { _ in [1] as [Int]? })
    #expect(try await showed { _ in Data("{}".utf8) })
    #expect(try await !showed { _ in "" })
    #expect(try await !showed { _ in [Int]() })
    #expect(try await !showed { _ in nil as Int? })
    #expect(try await !showed { _ in Data() })
    #expect(try await !showed { _ in Data("{".utf8) })
    #expect(try await !showed { $0.showed(false) })
    #expect(
      try await showed { call in
        call.showed(false)
        call.showed(true)
        throw URLError(.timedOut)
      }
    )
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a hung call is reported, and its later actions do not affect other calls`(stage: Stage)
    async throws
  {
    let (gate, opened) = AsyncStream<Void>.makeStream()
    let (ends, ended) = AsyncStream<Bool>.makeStream()
    let client = ClosureSubject(name: "client") { call in
      guard call.index == 1 else { return }
      for await _ in gate {}
      // A session that had ended would end the process here.
      let late = try? await Self.ask(call)
      ended.yield(late != nil)
    }
    var flight = try FlightOfCalls(client, .calm, on: stage, calls: 3)
    // However soon the others return, only this one is late.
    flight.setup.hanging = Alarm { _, call, ring in
      if call == 1 { Alarm.clock.set(.zero, call, ring) }
    }
    let observations = try await flight.run()
    expectEqual(observations.map(\.ending), [.succeeded, .hung, .succeeded])
    expectEqual(observations.map(\.attemptCount), [0, 0, 0])
    opened.finish()
    for await isAnswered in ends {
      // In process the tape is still there; the server of the wire has gone.
      expectEqual(isAnswered, (stage == .inProcess))
      break
    }
  }

  @Test func `a drill that nobody waits for ends, and begins no further call`() async throws {
    let (begins, began) = AsyncStream<Int>.makeStream()
    var drill = try drill([.calm], calls: 1000, .inProcess)
    drill.plan.load = .closedLoop(concurrency: 16)
    let flight = Task { [drill] in
      try await drill.run { call in
        began.yield(call.index)
        while call.index >= 0 {
          // It does not come out of this; nobody cancels it.
          try await Task.sleep(for: .seconds(3600))
        }
      }
    }
    for await _ in begins { break }
    flight.cancel()
    await #expect(throws: CancellationError.self) { try await flight.value }
    began.finish()
    var count = 1
    for await _ in begins { count += 1 }
    #expect(count <= 16)
  }

  @Test func `attempts are seen in the scenario of every push`() async throws {
    let report = try await drill(.everyPush, calls: 5).run { _ = try await Self.ask($0) }
    expectEqual(
      report.scenarios.map { "\($0.name) \($0.stage.rawValue)" },
      [
        "calm wire", "latency wire", "packet-loss wire", "rate-limited wire", "server-errors wire",
        "dns-failure in-process", "tls-failure wire", "offline in-process", "outage wire",
      ]
    )
    #expect(rows(report).allSatisfy { $0.metrics.averageRetries == 0 })
    try report.require([Gate("averageRetries == 0"), Gate("blankScreens >= 0")])
  }

  @Test(.world) func `attempts are seen in all scenarios of the default drill`() async throws {
    let report = try await drill(.defaultDrill, calls: 5).run { _ = try await Self.ask($0) }
    expectEqual(report.scenarios.map(\.name), Scenario.defaultDrill.map(\.name))
    // What cannot be seen on the wire, or cannot be made there for a client in Swift, is in process.
    expectEqual(
      report.scenarios.filter { $0.stage == .inProcess }.map(\.name),
      [
        "dns-failure", "expired-certificate", "wrong-host", "unknown-authority", "offline",
        "connect-timeout",
      ]
    )
    // A redirect that is followed is no retry.
    #expect(rows(report).allSatisfy { $0.metrics.averageRetries == 0 })
  }

  @Test func `gates of the scenarios and of the plan are judged`() async throws {
    var drill = try drill(
      [.calm, Scenario("bad", rules: [.always(.always, .status(503))])],
      calls: 5
    )
    drill.plan.scenarios[1].gates = [try Gate("successRate == 1")]
    drill.plan.gates = [try Gate("calls(GET /home) == 1")]
    let report = try await drill.run { try await Self.ask($0) }
    expectEqual(
      report.judgements.map(\.description),
      [
        "calm: calls(GET /home) == 1: met, got 1",
        "bad: successRate == 1: failed, got 0 (0 of 5 calls)",
        "bad: calls(GET /home) == 1: met, got 1",
      ]
    )
  }

  @Test(
    arguments: [
      { $0.calls = 0 }, { $0.scenarios = [] }, { $0.cassette = Cassette() },
      { $0.load = .closedLoop(concurrency: 0) },
      {
        ($0.scenarios, $0.stage) = (
          [Scenario("s", rules: [.always(.always, .connection(.tls(.expired)))])], .onTheWire
        )
      },
    ] as [@Sendable (inout DrillPlan) -> Void]
  )
  func `a plan that cannot be flown is refused before a call`(
    edit: @Sendable (inout DrillPlan) -> Void
  ) async throws {
    var drill = try drill([.calm])
    edit(&drill.plan)
    await #expect(throws: DrillError.self) {
      _ = try await drill.run { _ in Issue.record("a call was made") }
    }
  }

  @Test(arguments: TargetsTests.losesSYNs ? [Stage.inProcess, .onTheWire] : [.inProcess])
  func `a connection that comes late is one attempt, and takes its time`(stage: Stage) async throws
  {
    let lost = Scenario("lost", rules: [.always(.first(1), .connection(.lostSYNs(1)))])
    let report = try await drill([lost], calls: 3, stage).run { try await Self.ask($0) }
    let row = try #require(rows(report).first)
    expectEqual(report.scenarios.map(\.stage), [stage])
    #expect(row.observations.allSatisfy { $0.ending == .succeeded && $0.attemptCount == 1 })
    expectEqual(row.metrics.averageRetries, 0)
    expectEqual(row.metrics.p50.map { $0 >= .seconds(1) }, true)
  }

  @Test func `the groups hold all that ships, in the order of the drill`() throws {
    let others = Scenario.preRelease.filter { scenario in
      (Shipped.largeBodies + Shipped.streams + Shipped.sockets + Shipped.startups)
        .contains(scenario.name)
    }
    expectEqual(Scenario.defaultDrill + Scenario.weakNetwork + others, Scenario.preRelease)
    expectEqual(Scenario.everyPush, Scenario.defaultDrill.filter(Scenario.everyPush.contains))
    expectEqual(Scenario.preRelease, (try Shipped.scenarios()), "a release flies all that ships")
    expectEqual([Scenario].weakNetwork, Scenario.weakNetwork)
    expectEqual([Scenario].preRelease, Scenario.preRelease)
  }
}
