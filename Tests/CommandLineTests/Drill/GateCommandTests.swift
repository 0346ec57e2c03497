import TestSupport
import WindTunnelDrill

@Suite(.timeLimit(.minutes(5))) struct GateCommandTests {
  private func drill(_ words: String..., in scratch: Scratch) async throws -> Program.Run {
    try await scratch.run(Self.common + words)
  }

  private static let common = line(
    "drill --subject network-layer --calls 20 --scenario calm --stage in-process"
  )

  @Test(
    .referenceClient,
    arguments: [
      (["--gate", "successRate == 1", "--gate=p95 <= 1m", "x"], 64),
      (["--gate", "successRate == 1"], 0), (["--gate", "calls(GET /home) == 4"], 0),
      (["--gate", "calls > 20"], 99), (["--gate", "p99 <= 9s"], 98),
      (["--gate", "all: successRate == 1"], 0), (["--gate", "run: calls > 20"], 99),
      (["--gate", "none: hangs == 0"], 64),
      (["--gate", "p99 <= 9s", "--allow-inconclusive"], 0),
      // There is none, and none will come while it flies.
      (["--gate", "p95 <= baseline*1.10"], 64),
      (["--gate", "p99 <= 9s", "--gate", "calls > 20", "--gate", "hangs == 0"], 99),
      (["--gate", "calls > 20", "--allow-inconclusive"], 99),
    ] as [([String], Int32)]
  )
  func `the worst gate is the exit code`(words: [String], code: Int32) async throws {
    try await Scratch().run(Self.common + words).exits(code)
  }

  @Test(.referenceClient) func `each gate that is not met is a line below the table`() async throws
  {
    let run = try await drill("--gate", "calls > 20", "--gate", "p99 < 9s", in: Scratch())
    let lines = run.out.split(separator: "\n", omittingEmptySubsequences: false).suffix(7)
    expectEqual(
      Array(lines.prefix(3)),
      ["", "gates: 3 met, 1 failed, 1 inconclusive", "  calm: calls > 20: failed, got 20"]
    )
    expectEqual(
      lines.dropFirst(3).first?.hasPrefix(
        "  calm: p99 < 9s: inconclusive, p99 needs 100 calls and has 20 (got "
      ),
      true
    )
    #expect(!run.err.contains("calls > 20"))
  }

  @Test(.referenceClient) func `whoever reads JSON has the lines on standard error`() async throws {
    let run = try await drill("--json", "--gate", "calls > 20", in: Scratch()).exits(99)
    expectEqual(
      run.err,
      "windtunnel: calm: calls > 20: failed, got 20\nFAILED (99): 1 of 4 gates not met\n"
    )
    #expect(run.out.contains(#"{ "gate": "calls > 20", "verdict": "failed", "got": "20" }"#))
  }

  @Test(.referenceClient) func `a scenario's own gates count, and a report keeps the verdict`()
    async throws
  {
    let scratch = try Scratch()
    let bar = #"{"windtunnelScenario":1,"name":"bar","gates":["calls > 5"]}"#
    try scratch.write(bar, to: "bar.json")
    let words = ["drill", "--scenario", "bar.json", "--calls", "5", "--report", "drill.json"]
    try await scratch.run(words).exits(99)
    let shown = try await scratch.run("report drill.json").exits(0)
    #expect(
      shown.out.hasSuffix(
        "\n\ngates of network-layer: 1 failed\n  bar: calls > 5: failed, got 5\n\nFAILED (99): 1 of 1 "
          + "gate not met\n"
      )
    )
  }

  @Test(.referenceClient) func `the group is flown by its name`() async throws {
    let run = try await Scratch().run(
      "drill --scenario every-push --calls 1 --json --subject network-layer"
    ).exits(0)
    let report = try Report(data: Data(run.out.utf8), source: "drill")
    expectEqual(report.scenarios.map(\.name), Shipped.everyPush)
  }
}
