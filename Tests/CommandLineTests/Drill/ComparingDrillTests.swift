import TestSupport

@testable import WindTunnelReports

/// The reference client's engines in one drill, from the command to the report.
@Suite(.timeLimit(.minutes(5))) struct ComparingDrillTests {
  @Test(.referenceClient) func `two engines are flown through the same calls and compared`()
    async throws
  {
    let scratch = try Scratch()
    let engines = ["network-layer:urlsession", "network-layer:sockets"]
    let run = try await scratch.run(
      [
        "drill", "--cassette", Repository.shop, "--scenario", "calm", "--scenario", "latency",
        "--calls", "6", "--report", "r.json",
      ] + engines.flatMap { ["--subject", $0] }
    ).exits(0)
    let report = try Report(contentsOf: scratch.file("r.json"))
    expectEqual(report.fact(Report.compared), engines.joined(separator: ", "))
    expectEqual(report.scenarios.map(\.name), ["calm", "latency"])
    for scenario in report.scenarios {
      expectEqual(scenario.subjects.prefix(2).map(\.name), engines)
      let (first, second) = (scenario.subjects[0], scenario.subjects[1])
      expectEqual(first.observations.map(\.endpoint), second.observations.map(\.endpoint))
      #expect(first.observations.allSatisfy { $0.ending == .succeeded })
      #expect(second.observations.allSatisfy { $0.ending == .succeeded })
      // The same draws for both: what each met is the same, to the decision.
      expectEqual(
        first.observations.map { $0.attempts.map(\.decision) },
        second.observations.map { $0.attempts.map(\.decision) }
      )
      #expect(first.against == nil && second.against?.comparison.flips?.lost == 0)
    }
    #expect(run.out.contains("\(engines[1]) against \(engines[0]), call by call:"))
  }
}
