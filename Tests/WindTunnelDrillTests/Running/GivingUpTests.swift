import TestSupport

@testable import WindTunnelDrill

/// Calls whose callers do not wait for them.
@Suite(.timeLimit(.minutes(5))) struct GivingUpTests {
  private static func scenario(share: Double, after: ClosedRange<Int> = 20...60) -> Scenario {
    // Nobody waits for the answers: they take an hour.
    var scenario = Scenario("slow", rules: [.always(.always, .delay(.exactly(.seconds(3600))))])
    scenario.cancellation = Cancellation(
      share: share,
      after: Fault.Spread(.milliseconds(after.lowerBound), through: .milliseconds(after.upperBound))
    )
    return scenario
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a call that is given up returns at once, counts as cancelled, and tries no more`(
    stage: Stage
  ) async throws {
    let scenario = Self.scenario(share: 1)
    let flight = try FlightOfCalls(URLSessionSubject(), scenario, on: stage, calls: 6)
    let row = Report.Row("x", try await flight.run(alarm: .whenItsRequestComes), plannedFaults: [])
    expectEqual(row.observations.map(\.ending), row.observations.map { _ in .failed("cancelled") })
    expectEqual(row.observations.map(\.attemptCount), [1, 1, 1, 1, 1, 1])
    expectEqual(row.observations.map { $0.cancellation?.attemptsAfter }, [0, 0, 0, 0, 0, 0])
    #expect(row.metrics.cancelledCalls == 6 && row.metrics.attemptsAfterCancel == 0)
    // Such a call is no failure of the client's.
    expectNil(row.metrics.successRate)
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `in a process of its own a client is given up by the clock`(stage: Stage) async throws {
    let drill = try TestSubjects.drill("fine") { plan in
      plan.scenarios = [Self.scenario(share: 1)]
      (plan.stage, plan.calls) = (stage, 6)
      plan.load = .closedLoop(concurrency: 6)
      (plan.deadline, plan.attemptTimeout) = (.seconds(300), .seconds(300))
    }
    let row = try #require(try await drill.run().scenarios.first?.subjects.first)
    expectEqual(row.observations.map(\.ending), row.observations.map { _ in .failed("cancelled") })
    expectEqual(row.metrics.cancelledCalls, 6)
    #expect(row.observations.allSatisfy { ($0.cancellation?.after ?? .zero) >= .milliseconds(20) })
  }

  @Test(arguments: [(20...60, 1), (0...0, 20)])
  func `a program is told to end, also one that is given up before it runs`(
    after: ClosedRange<Int>,
    calls: Int
  ) async throws {
    let row = try await TestSubjects.row(
      of: ["sh", "-c", "sleep 3600 & wait", "{url}"],
      in: Self.scenario(share: 1, after: after),
      calls: calls,
      atOnce: calls,
      seconds: 300
    )
    expectEqual(row.observations.map(\.ending), row.observations.map { _ in .failed("cancelled") })
    expectEqual(row.metrics.cancelledCalls, calls)
  }

  @Test(.curl)
  func
    `a program that does not heed it is given up all the same, and what it goes on to send counts`()
    async throws
  {
    var scenario = Self.scenario(share: 1)
    scenario.rules = [.always(.always, .status(503))]
    // It goes on when it has been told to end, and is not taken for one that had been on its way.
    let script = """
      trap 'told=yes' TERM; curl -s $0; until [ "$told" ]; do sleep 0.05; done
      sleep 1; for i in 1 2 3; do curl -s $0; done; echo shown
      """
    let subject = ExecSubject(["bash", "-c", script, "{url}"])
    var flight = try FlightOfCalls(subject, scenario, on: .onTheWire, calls: 2)
    // A program that knows no method asks for what is recorded as a GET.
    flight.setup.mix = Mix(isReadOnly: true)
    let row = Report.Row("x", try await flight.run(alarm: .whenItsRequestComes), plannedFaults: [])
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
    expectEqual(row.observations.map { $0.cancellation?.attemptsAfter }, [3, 3])
    #expect(row.observations.allSatisfy { $0.cancellation?.toReturn ?? .zero > .seconds(1) })
    #expect(row.metrics.cancelledCalls == 2 && row.metrics.attemptsAfterCancel == 6)
    expectNil(row.metrics.successRate, "nobody waited for it any more")
    try expectEqual(Gate("attemptsAfterCancel == 0").result(for: row).verdict, .failed)
    let report = Report(
      seed: 1,
      decisionHash: "",
      platformErrors: "current",
      scenarios: [.init("slow", on: .onTheWire, subjects: [row])]
    )
    try expectEqual(Report(data: report.data(), source: "x"), report)
  }

  @Test func `a program is asked once to end its call, in each order of start and cancellation`() {
    var (one, other) = (EndRequest(), EndRequest())
    #expect(!one.begins() && one.cancels() && !other.cancels() && other.begins())
  }

  @Test func `who gives up when is the seed's`() throws {
    let scenario = Self.scenario(share: 0.3)
    func moments(_ seed: UInt64) -> [Duration?] {
      (0..<1000).map { scenario.cancellation(seed: seed, lane: Workload.lane("slow", $0)) }
    }
    #expect(moments(1) == moments(1) && moments(1) != moments(2))
    let some = moments(1).compactMap(\.self)
    #expect((250...350).contains(some.count))
    #expect(some.allSatisfy { .milliseconds(20)...(.milliseconds(60)) ~= $0 })
    expectNil(Self.scenario(share: 0).cancellation(seed: 1, lane: .deck))
    expectNil(Scenario.calm.cancellation(seed: 1, lane: .deck))
  }

  @Test func `it is written and read, and refused by its place`() throws {
    let scenario = Self.scenario(share: 0.25)
    try expectEqual(Scenario(data: scenario.data(), source: "x"), scenario)
    for (text, place) in [
      (#"{"share":1.5,"afterMilliseconds":1}"#, "cancel.share"),
      (#"{"afterMilliseconds":1}"#, "cancel.share"),
      (#"{"share":0.5}"#, "cancel.afterMilliseconds"),
      (#"{"share":0.5,"afterMilliseconds":-1}"#, "cancel.afterMilliseconds"),
      (
        #"{"share":0.5,"afterMilliseconds":5,"throughMilliseconds":4}"#,
        "cancel.throughMilliseconds"
      ),
      (#"{"share":0.5,"afterMilliseconds":5,"often":true}"#, "cancel.often"),
    ] {
      let data = Data(#"{"windtunnelScenario":1,"name":"x","cancel":\#(text)}"#.utf8)
      let error = #expect(throws: FormatError.self) { try Scenario(data: data, source: "x") }
      #expect("\(try #require(error))".contains(place), "\(String(describing: error))")
    }
  }
}
