import TestSupport
import WindTunnelReports

/// What a drill could not tell at its end is refused at its beginning.
@Suite(.timeLimit(.minutes(5))) struct DrillRefusalTests {
  @Test func `a repeated scenario runs once, and two scenarios of one name are refused`()
    async throws
  {
    let scratch = try Scratch()
    let words = ["drill", "--calls", "1", "--stage", "in-process", "--json", "--scenario", "calm"]
    let twice = try await scratch.run(words + ["--scenario", "calm"]).exits(0)
    try expectEqual(Report(data: Data(twice.out.utf8), source: "x").scenarios.map(\.name), ["calm"])
    #expect(twice.err.contains("windtunnel: calm is requested twice but runs once.\n"))
    try scratch.write(
      #"{"windtunnelScenario":1,"name":"calm","rules":[{"faults":[{"status":503}]}]}"#,
      to: "other.json"
    )
    let other = try await scratch.run(words + ["--scenario", "other.json"])
    #expect(other.code == 64 && other.out == "", "\(other)")
    #expect(other.err.hasPrefix(#"windtunnel: Two scenarios are called "calm", "#), "\(other)")
  }

  @Test(
    arguments: [
      (
        ["JOB_COMPLETION_INDEX": "2"],
        #"--shard env: JOB_COMPLETION_INDEX is "2", and WINDTUNNEL_SHARDS, the number of shards,"#
      ),
      (["CI_NODE_INDEX": "2"], #"--shard env: CI_NODE_INDEX is "2", and CI_NODE_TOTAL is missing"#),
      ([:], "--shard env: the environment has neither WINDTUNNEL_SHARD=I/N nor a CI's job numbers"),
    ] as [([String: String], String)]
  )
  func `half of a shard's numbers are refused with the name of the other half`(
    environment: [String: String],
    sentence: String
  ) async throws {
    let run = try await Scratch().run("drill --shard env", with: environment)
    #expect(run.code == 64 && run.out == "", "\(run)")
    #expect(run.err.hasPrefix("windtunnel: \(sentence)"), "\(run)")
  }
}
