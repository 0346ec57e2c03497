import TestSupport
import WindTunnelReports

@Suite struct VerdictTests {
  /// A packet now and then: no attempt is ever silent for long, so only a deadline ends a call.
  private static let drip = """
    {"windtunnelScenario":1,"name":"drip","link":{"downBitsPerSecond":40000}}
    """

  private static let long = """
    {"windtunnel":1,"interactions":[
     {"request":{"method":"GET","url":"/long"},"response":{"text":"\(String(repeating: "x", count: 60_000))"}}
    ]}
    """

  @Test(
    .referenceClient,
    arguments: [("urlsession", 97), ("network-layer", 0)] as [(String, Int32)]
  )
  func `a hanging judged client exits with 97, and a hanging comparison client does not`(
    judged: String,
    code: Int32
  ) async throws {
    let folder = try Folder()
    let words = ["drill", "--scenario", try folder.file("drip.json", Self.drip), "--calls", "1"]
    let cassette = try folder.file("long.json", Self.long)
    let end = try await Tool.run(
      words + ["--cassette", cassette, "--timeout", "1s", "--subject", judged]
    )
    expectEqual(end.code, code, "\(end.complaints)")
    #expect(end.answer.contains("1 hung"), "\(end.answer)")
  }

  @Test func `a report that cannot be written is told before the drill`() async throws {
    let words = ["drill", "--scenario", "calm", "--calls", "1", "--report"]
    let end = try await Tool.run(words + ["/nowhere/a.json"])
    expectEqual(end.code, 73)
    #expect(end.complaints.contains("cannot be written"))
    #expect(end.answer.isEmpty)
  }

  @Test func `several reports are the same`() async throws {
    let folder = try Folder()
    let files = [try folder.file("a.json"), try folder.file("b.json")]
    let words = ["drill", "--scenario", "calm", "--calls", "1"]
    let end = try await Tool.run(words + files.flatMap { ["--report", $0] })
    expectEqual(end.code, 0)
    let texts = try files.map { try Data(contentsOf: URL(filePath: $0)) }
    expectEqual(texts[0], texts[1])
  }

  @Test(.world)
  func `the reference client flies no worse than a bare session in any shipped scenario`()
    async throws
  {
    let folder = try Folder()
    let file = try folder.file("default.json")
    let end = try await Tool.run([
      "drill", "--subject", "network-layer", "--seed", "1", "--calls", "30", "--report", file,
    ])
    expectEqual(end.code, 0)
    // Success is no merit where nobody can succeed, nor where a client should not wait for it. A portal's
    // page passes for success with a bare session, and behind an outage a breaker is open for some time.
    let others = ["portal-gone", "recovery"]
    let fair = try Report(contentsOf: URL(filePath: file)).scenarios.filter { flown in
      !others.contains(flown.name)
        && flown.scenario.map { $0.survival?.calls != Survival.Calls.none && !$0.standsStill }
          ?? false
    }
    #expect(fair.count > 10)
    for flown in fair {
      let (judged, bare) = (flown.subjects[0].metrics, flown.subjects[1].metrics)
      #expect((judged.successRate ?? 0) >= (bare.successRate ?? 1), "\(flown.name)")
      #expect((judged.blankScreenRate ?? 1) <= (bare.blankScreenRate ?? 0), "\(flown.name)")
    }
  }
}
