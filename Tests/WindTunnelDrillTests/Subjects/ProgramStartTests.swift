import TestSupport
import WindTunnelCommandLine

@testable import WindTunnelDrill

/// How long programs take to start, and how often they are started for it.
@Suite(.timeLimit(.minutes(5))) struct ProgramStartTests {
  static func report(
    _ script: String,
    in scenario: Scenario = .calm,
    edit: (inout DrillPlan) -> Void = { _ in }
  ) async throws -> Report {
    let drill = try TestSubjects.drill(DrillPlan.execSubject) { plan in
      (plan.command, plan.scenarios) = (["sh", "-c", script, "{url}"], [scenario])
      (plan.calls, plan.stage, plan.deadline) = (2, nil, .seconds(120))
      plan.load = .closedLoop(concurrency: 2)
      edit(&plan)
    }
    return try await drill.run()
  }

  private static func fact(_ name: String, of report: Report) -> String? {
    report.environment.first { $0.name == name }?.value
  }

  /// It takes its time before there is a client.
  private static let late = #"sleep 2; exec curl -sf --noproxy '*' "$0""#

  @Test(.curl)
  func `what a program does before it asks is a stage of its own, and no part of its latency`()
    async throws
  {
    let row = try #require(try await Self.report(Self.late).scenarios.first?.subjects.first)
    for call in row.observations {
      expectEqual(call.ending, .succeeded)
      expectEqual(call.startUp.map { $0 >= .seconds(2) }, true)
      #expect(call.latency < .seconds(2) && call.latency > .zero)
    }
    expectEqual(row.metrics.stages.first?.stage, "startUp")
    // In a closed loop nobody was to begin at any moment.
    expectNil(row.starts)
  }

  @Test(.curl)
  func `a program that starts slowly does not hang, and one that asks nothing for long does`()
    async throws
  {
    // A call of a second is waited for two and a half.
    let slow = #"sleep 3; exec curl -sf --noproxy '*' "$0""#
    let row = try #require(
      try await Self.report(slow) { $0.deadline = .seconds(1) }.scenarios.first?.subjects.first
    )
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
    let silent = try #require(
      try await Self.report("sleep 60") { $0.deadline = .seconds(1) }
        .scenarios.first?.subjects.first
    )
    expectEqual(silent.observations.map(\.ending), [.hung, .hung])
  }

  @Test func `who starts waits for a place, and a place is given back once`() async {
    let places = StartingPlaces(1)
    let first = await places.place()
    let (order, told) = AsyncStream<Int>.makeStream()
    for number in [1, 2] {
      Task {
        let giveBack = await places.place()
        told.yield(number)
        giveBack()
      }
    }
    first()
    first()
    var seen: [Int] = []
    for await number in order {
      seen.append(number)
      if seen.count == 2 { break }
    }
    expectEqual(seen.sorted(), [1, 2])
    // The last to have one gives it back when it has told; given back twice, the first would be two.
    let last = await places.place()
    expectEqual(places.free, 0)
    last()
    expectEqual(places.free, 1)
  }

  @Test func `who is cancelled waits for no place, and takes none`() async {
    let places = StartingPlaces(1)
    let giveBack = await places.place()
    let waiting = Task { await places.place() }
    waiting.cancel()
    // Whoever has waited for nothing can give nothing back.
    await waiting.value()
    expectEqual(places.free, 0)
    // One that is cancelled before it asks, too, and with nobody in front of it.
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await places.place()()
    }
    await cancelled.value
    expectEqual(places.free, 0)
    giveBack()
    expectEqual(places.free, 1)
    // Nobody is left in the line who would be given it.
    let next = await places.place()
    expectEqual(places.free, 0)
    next()
    expectEqual(places.free, 1)
  }

  @Test(.curl) func `what it waits for a connection is its latency, and not its start`()
    async throws
  {
    let lost: Scenario = [.always(.always, .connection(.lostSYNs(2)))]
    let report = try await Self.report(#"exec curl -sf --noproxy '*' "$0""#, in: lost)
    for call in try #require(report.scenarios.first?.subjects.first).observations {
      #expect(call.ending == .succeeded && call.latency >= .seconds(2))
      expectEqual(call.startUp.map { $0 < .seconds(2) }, true)
    }
  }

  @Test func `without a first request, a program's start-up is not separated from its latency`()
    async throws
  {
    let row = try #require(try await Self.report("sleep 1").scenarios.first?.subjects.first)
    #expect(row.observations.allSatisfy { $0.startUp == nil && $0.latency >= .seconds(1) })
    expectEqual(row.metrics.stages.first?.stage, "dns")
  }

  @Test(.curl) func `the rate follows what calm shows that the machine can start`() async throws {
    let report = try await Self.report(Self.late) { plan in
      (plan.load, plan.followsCalm) = (.programs, true)
    }
    let rate = try #require(Self.fact("rate", of: report))
    #expect(rate.hasPrefix("measured in calm: this machine starts "))
    let shown = try #require(rate.split(separator: " ").compactMap { Double($0) }.first)
    // Two seconds of a processor each.
    #expect(shown <= Double(ProcessInfo.processInfo.activeProcessorCount) / 2)
    let load = try #require(Self.fact("load", of: report))
    // What is shown is rounded to a tenth, and half of it is flown.
    let meant = [-0.05, 0, 0.0499].map { DrillPlan.load(startingAtMost: shown + $0).words }
    #expect(meant.contains(load), "\(load), shown \(shown)")
    let row = try #require(report.scenarios.first?.subjects.first)
    expectEqual(row.observations.map(\.call), [0, 1], "what showed it is in no report")
  }

  @Test(.curl) func `without calm it is fixed, and what it asks too much is inconclusive`()
    async throws
  {
    let report = try await Self.report(Self.late, in: Scenario("other")) { plan in
      (plan.load, plan.followsCalm, plan.calls) = (.openLoop(callsPerSecond: 1000), true, 8)
      plan.gates = [try? Gate("max <= 0.001ms"), try? Gate("successRate == 1")].compactMap { $0 }
    }
    expectEqual(Self.fact("rate", of: report), "fixed")
    expectEqual(Self.fact("load", of: report), "open loop, 1000 calls a second")
    let flown = try #require(report.scenarios.first)
    let starts = try #require(flown.subjects.first?.starts)
    #expect(starts.asked == 1000 && starts.isBeyond)
    guard case .inconclusive(let reason) = flown.gates[0].verdict else {
      Issue.record("\(flown.gates[0].words)")
      return
    }
    #expect(reason.hasPrefix("1000 calls a second were to begin, and this machine starts "))
    expectEqual(flown.gates[1].verdict, .met)
  }

  @Test func `a rate is half of what can be started, ten at the most and two at least`() {
    let rates = [1000, 20, 7, 4.2, 3.33, 0.01].map { DrillPlan.load(startingAtMost: $0) }
    expectEqual(rates, [10, 10, 3.5, 2.1, 2, 2].map { .openLoop(callsPerSecond: $0) })
  }

  @Test(arguments: ["--rate", "--shard", "--concurrency", "--duration", "--baseline", nil])
  func `a given load or baseline is kept, and not adapted to the calm run`(flag: String?) throws {
    let values = [
      "--rate": "5", "--shard": "1/2", "--concurrency": "2", "--duration": "9s", "--baseline": "x",
    ]
    let flags = flag.flatMap { name in values[name].map { [name, $0] } } ?? []
    let words = flags + ["--subject", "exec", "--", "true", "{url}"]
    let arguments = try Arguments(
      words,
      flags: DrillProgram(name: "drill", subjects: [.urlSession, .program]).flags,
      operandsMax: 0,
      takesCommand: true
    )
    var plan = try DrillPlan()
    try plan.apply(subject: arguments, [])
    expectEqual(plan.followsCalm, (flag == nil))
  }

  @Test func `a drill of a program without calm makes three calls before, and counts none`()
    async throws
  {
    let folder = try Folder()
    let rain: Scenario = [.always(.always, .status(503))]
    for (name, scenario, count) in [("rain", rain, 7), ("calm", Scenario.calm, 4)] {
      let file = try folder.file(name)
      let script = #"echo "$WINDTUNNEL_CALL" >>'\#(file)'"#
      let report = try await Self.report(script, in: scenario) { $0.calls = 4 }
      let runs = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      expectEqual(runs.count, count)
      expectEqual(report.scenarios.flatMap(\.subjects).map(\.observations.count), [4])
    }
  }

  @Test func `who is slow without faults is judged by no time, in no scenario`() throws {
    let rain: Scenario = [.always(.always, .status(503))]
    func rows(_ seconds: Int...) -> [Report.Row] {
      zip(["a", "b"], seconds).map { name, seconds in
        let call = Observation(latency: .seconds(seconds))
        return Report.Row(name, [call])
      }
    }
    var plan = DrillPlan(try Shipped.cassette(), in: [.calm, rain])
    plan.subjects = ["a", "b"]
    func calm(_ plan: DrillPlan, _ scenarios: [Scenario]) -> [[Duration?]] {
      let flown = scenarios.map { scenario in
        plan.flown(scenario, on: .onTheWire, scenario.hasNoFaults ? rows(3, 0) : rows(0, 7))
      }
      return plan.report(flown).scenarios.map { $0.subjects.map(\.calm) }
    }
    expectEqual(calm(plan, [.calm, rain]), [[.seconds(3), nil], [.seconds(3), nil]])
    expectEqual(calm(plan, [rain]), [[nil, nil]])
    // The calls that ran before count where the drill has none.
    plan.trial = rows(2)[0].observations
    expectEqual(calm(plan, [rain]), [[.seconds(2), .seconds(2)]])
    expectEqual(calm(plan, [.calm, rain]), [[.seconds(3), nil], [.seconds(3), nil]])
    plan.time = .virtualTime
    expectEqual(calm(plan, [.calm, rain]), [[nil, nil], [nil, nil]])
  }

  @Test func `limits for connecting are not judged where a link's connections open at once`() throws
  {
    var late = Scenario("late")
    late.link = Link(up: .init(delay: .milliseconds(300)), down: .init())
    var lossy = Scenario("lossy")
    lossy.link = Link(up: .init(lossProbability: 0.1), down: .init())
    var lost: Scenario = [.always(.always, .connection(.lostSYNs(1)))]
    (lost.name, lost.link) = ("lost", late.link)
    var named = Scenario("named")
    named.link = Link(up: .init(), down: .init(), dnsDelay: .seconds(1))
    let plan = DrillPlan(try Shipped.cassette(), in: [.calm, late, lossy, lost, named])
    func told(_ stage: Stage) -> String? {
      Self.fact("notJudged", of: plan.report(plan.scenarios.map { plan.flown($0, on: stage, []) }))
    }
    expectEqual(
      told(.onTheWire),
      "connecting, in late, lossy (there it happens before the first byte)"
    )
    expectNil(told(.inProcess))
    let report = plan.report([plan.flown(late, on: .onTheWire, [])])
    #expect(report.text().contains("\nnot judged: connecting, in late ("))
  }
}
