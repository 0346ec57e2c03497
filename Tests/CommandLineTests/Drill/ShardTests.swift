import TestSupport
import WindTunnelDrill

/// Eight machines' parts of a drill, by the tool itself.
@Suite(.timeLimit(.minutes(5))) struct ShardTests {
  private static let words =
    line("drill --subject network-layer --calls 64 --rate 200 --seed 11")
    + line("--scenario rate-limited --scenario packet-loss --gate \("successRate >= 0.99")")
    + line("--gate \("duplicates == 0") --gate \("averageRetries <= 0.01")")

  /// The same report of a world without clocks.
  private static func untimed(_ report: Report) -> Report {
    var report = report
    report.environment.removeAll { ["date", "reportFile"].contains($0.name) }
    report.scenarios = report.scenarios.map { flown in
      let rows = flown.subjects.map { row in
        Report.Row(row.name, row.observations.map(untimed), plannedFaults: row.plannedFaults)
      }
      return Report.ScenarioResult(
        flown.name,
        on: flown.stage,
        subjects: rows,
        gates: flown.gates.map(\.gate)
      )
    }
    return report
  }

  private static func untimed(_ call: Observation) -> Observation {
    var call = call
    (call.latency, call.intendedStart, call.start) = (.zero, nil, nil)
    for place in call.attempts.indices {
      (call.attempts[place].start, call.attempts[place].end) = (nil, nil)
      call.attempts[place].stages = ExchangeStages()
    }
    return call
  }

  @Test(.world)
  func `eight shards merge to the one run in every figure and form that no clock is in`()
    async throws
  {
    let scratch = try Scratch()
    try await scratch.run(Self.words + ["--report", "whole.json"]).exits(99)
    let names = (1...8).map { "shard-\($0).json" }
    for (number, name) in names.enumerated() {
      let part = ["--shard", "\(number + 1)/8", "--report", name]
      let run = try await scratch.run(Self.words + part)
      #expect([0, 99].contains(run.code), "\(run.err)")
      let report = try Report(contentsOf: scratch.file(name))
      #expect(report.scenarios.allSatisfy { $0.subjects.allSatisfy { $0.metrics.calls == 8 } })
    }
    let files = [
      "merged.json", "merged.html", "merged.xml", "merged.md", "merged.csv", "merged.txt",
    ]
    let merge = ["report"] + names.reversed() + files.flatMap { ["--report", $0] }
    let merged = try await scratch.run(merge)
    // Parts were judged by themselves; together they are judged anew.
    expectEqual(merged.code, 99, "\(merged.err)")
    let one = try Report(contentsOf: scratch.file("whole.json"))
    let other = try Report(contentsOf: scratch.file("merged.json"))
    let (mine, its) = (Self.untimed(one), Self.untimed(other))
    expectEqual(
      its.environment,
      mine.environment,
      "all shards are the whole, and nothing is said of them"
    )
    expectEqual(its, mine)
    for rendering in [ReportRendering.json, .html, .junit, .markdown, .csv, .text] {
      expectEqual(its.rendered(as: rendering), mine.rendered(as: rendering), "\(rendering)")
    }
    // The tool's own files are the merged report's.
    for (name, rendering) in zip(
      files.dropFirst(),
      [.html, .junit, .markdown, .csv] as [ReportRendering]
    ) {
      let told = other.rendered(as: rendering)
      try expectEqual(Data(contentsOf: scratch.file(name)), told, "\(name)")
    }
    #expect(try scratch.text("merged.html").contains("<h1>FAILED (99): "))
    try expectEqual(scratch.text("merged.txt"), merged.out)
    // Seven of the eight say that they are not all.
    let most = try await scratch.run(["report"] + names.dropLast())
    #expect(most.out.contains("shard 1/8 | 2/8 | "), "\(most.out.prefix(300))")
  }

  private static let xmllint = Executable.find("xmllint")

  @Test(.enabled(if: xmllint != nil, "xmllint is not installed."))
  func `JUnit of a drill that failed is well-formed`() async throws {
    let scratch = try Scratch()
    try scratch.write(
      #"{"windtunnelScenario":1,"name":"a<&\"b","rules":[{"faults":[{"status":503}]}],"gates":["successRate >= 0.5"]}"#,
      to: "odd.json"
    )
    try await scratch.run(
      "drill --scenario odd.json --scenario server-errors --calls 30 --rate 200 --stage in-process",
      "--gate \("calls(GET /home) > 1000") --report drill.xml"
    ).exits(99)
    let look = try await scratch.run(
      [try #require(Self.xmllint).path, "--noout", scratch.file("drill.xml").path],
      isTool: false
    )
    #expect(look.code == 0 && look.err.isEmpty, "\(look.err)")
    #expect(try scratch.text("drill.xml").contains("<failure"))
  }

  @Test func `a baseline with another load is reported in every readable format`()
    async throws
  {
    let scratch = try Scratch()
    let words = ["drill", "--calls", "20", "--scenario", "calm", "--stage", "in-process"]
    _ = try await scratch.run(words + ["--rate", "100", "--report", "a.json"])
    let run = try await scratch.run(
      words + ["--concurrency", "4", "--baseline", "a.json", "--report", "b.json"]
    ).exits(0)
    let warning =
      "the baseline ran with another load (open loop, 100 calls a second, not closed loop, 4 at "
      + "once): latencies are not comparable"
    let label =
      "closed loop, 4 at once: a slow client receives fewer calls, which improves its percentiles"
    #expect(run.out.contains("\(label)\n\(warning)\n"), "\(run.out)")
    // It is kept in the report, and in its page.
    let page = try await scratch.run("report b.json --format html")
    #expect(page.out.contains("<p class=\"note\">\(warning)</p>"))
    let same = try await scratch.run(words + ["--rate", "100", "--baseline", "a.json"])
    #expect(!same.out.contains("another load") && !same.out.contains("flatter"))
  }
}
