import TestSupport
import WindTunnelReports

/// The findings of a client, which depend on its seed, and not on how many calls are in the air or on how
/// many machines a drill is flown.
@Suite(.timeLimit(.minutes(5))) struct SameFindingsTests {
  /// The rules over one call that a client breaks, by scenario.
  private func broken(_ report: Report) -> Set<String> {
    // Those over many calls may not be met where there are fewer.
    let ofMany: Set<String> = ["gives-up-at-once", "retries-in-step", "retry-storm"]
    var names: Set<String> = []
    for found in report.findings where !ofMany.contains(found.finding.rule) {
      names.insert("\(found.scenario) \(found.finding.rule)")
    }
    return names
  }

  private static let clients = [
    // It prints whatever comes and ends with 0, and asks again at once.
    [
      "--", "sh", "-c", #"curl -s --noproxy '*' "$0" || curl -s --noproxy '*' "$0"; true"#, "{url}",
    ],
    ["--subject", "urlsession", "--stage", "in-process"],
  ]

  @Test(.bothTiers, arguments: Tier.cases(clients, few: 1))
  func `the same rules are broken at any concurrency, and in the parts of a drill`(
    client: [String]
  ) async throws {
    if client[0] == "--", Companion.find("curl") == nil {
      try Test.cancel("curl is not here")
    }
    let scratch = try Scratch()
    func run(_ file: String, _ words: String...) async throws -> Report {
      var scenario: [String] = []
      let names = ["captive-portal", "server-errors", "permanent-errors", "outage"]
      for name in Tier.cases(names, few: 2) {
        scenario += ["--scenario", name]
      }
      let flags = ["drill", "--seed", "7", "--calls", "24", "--report", file]
      let run = try await scratch.run(flags + words + scenario + client)
      #expect([0, 99].contains(run.code), "\(run.err)")
      return try Report(contentsOf: scratch.file(file))
    }
    let alone = broken(try await run("1.json", "--concurrency", "1"))
    #expect(alone.contains("captive-portal takes-portal-for-answer"))
    expectEqual(broken(try await run("16.json", "--concurrency", "16")), alone)
    for part in ["1/2", "2/2"] {
      _ = try await run("part-\(part.first ?? "0").json", "--concurrency", "4", "--shard", part)
    }
    let merged = try await scratch.run("report part-1.json part-2.json --format json")
    // A merged report is judged as the whole would be.
    expectEqual(merged.code, 99, "\(merged.err)")
    let whole = try Report(data: Data(merged.out.utf8), source: "merged")
    expectEqual(broken(whole), alone)
  }
}
