import TestSupport

@testable import WindTunnelReports

/// Each test drills with the built tool. What a call meets depends on a clock only where an attempt
/// or a call runs out of time, so the drills here have time in plenty: ten minutes a call, and no
/// fault in them waits for a time-out.
@Suite struct SameStoryTests {
  private func drill(_ folder: Folder, _ name: String, _ words: [String], calls: Int = 25)
    async throws -> Report
  {
    let file = try folder.file("\(name).json")
    let common = [
      "drill", "--subject", "network-layer", "--seed", "7", "--calls", "\(calls)", "--timeout",
      "600s", "--report", file,
    ]
    let end = try await Tool.run(common + words)
    expectEqual(end.code, 0, "\(end.complaints)")
    return try Report(contentsOf: URL(filePath: file))
  }

  private func met(_ row: Report.Row) -> [[Observation.Attempt]] { row.observations.map(\.story) }

  /// Two rows of the tool's clients that met the same. The calls of `network-layer` pay their retries
  /// from one budget and leave a host alone that fails all of them, so which of them come first says
  /// how far a call goes; what it met until then does not depend on it. A client whose calls do not
  /// know of each other is in ``RepeatingClientTests``.
  private func expectSame(_ one: Report.Row, _ other: Report.Row, _ comment: Comment) {
    expectEqual(one.observations.map(\.call), other.observations.map(\.call), comment)
    expectEqual(one.observations.map(\.endpoint), other.observations.map(\.endpoint), comment)
    guard one.name != "urlsession" else {
      expectEqual(met(one), met(other), comment)
      return
    }
    for (some, others) in zip(met(one), met(other)) {
      let both = min(some.count, others.count)
      expectEqual(Array(some.prefix(both)), Array(others.prefix(both)), comment)
    }
    #expect(met(one).joined().count >= 20)
    #expect(met(other).joined().count >= 20)
  }

  @Test func `one seed tells one story, at any concurrency and every time`() async throws {
    let folder = try Folder()
    let scenario = ["--scenario", "server-errors"]
    let first = try await drill(folder, "a", scenario)
    for concurrency in ["1", "4", "16"] {
      let again = try await drill(folder, concurrency, scenario + ["--concurrency", concurrency])
      expectEqual(again.decisionHash, first.decisionHash)
      let (rows, twins) = (first.scenarios.flatMap(\.subjects), again.scenarios.flatMap(\.subjects))
      expectEqual(twins.map(\.name), ["network-layer", "urlsession"])
      try #require(rows.count == twins.count)
      for (row, twin) in zip(rows, twins) {
        expectSame(row, twin, "\(row.name), \(concurrency) at once")
      }
    }
    let other = try await drill(folder, "b", scenario + ["--stage", "in-process"])
    expectEqual(other.decisionHash, first.decisionHash)
  }

  @Test(
    .bothTiers,
    arguments: Tier.cases(
      ["server-errors", "tls-failure", "calm", "rate-limited", "outage"],
      few: 2
    )
  )
  func `a call meets the same on both stages, whoever makes it`(scenario: String) async throws {
    let folder = try Folder()
    var rows: [Report.Row] = []
    for stage in ["wire", "in-process"] {
      let report = try await drill(folder, stage, ["--scenario", scenario, "--stage", stage])
      rows += try #require(report.scenarios.first).subjects
    }
    try #require(rows.count == 4)
    expectSame(rows[0], rows[2], "network-layer on both stages")
    expectSame(rows[1], rows[3], "urlsession on both stages")
    for (many, few) in zip(met(rows[0]), met(rows[1])) {
      // One of them tries again and the other does not; as far as both went, they met the same.
      expectEqual(Array(many.prefix(few.count)), Array(few.prefix(many.count)))
      #expect(!few.isEmpty)
    }
  }

  @Test(arguments: ["wire", "in-process"])
  func `fifty equal calls at once all begin a recorded sequence at its head`(stage: String)
    async throws
  {
    let folder = try Folder()
    let interactions = (1...4).map { number in
      let status = number < 3 ? 503 : 200
      return """
        {"request":{"method":"GET","url":"/queue"},
         "response":{"status":\(status),"json":{"number":\(number)}}}
        """
    }
    let cassette = try folder.file(
      "queue.json",
      "{\"windtunnel\":1,\"interactions\":[\(interactions.joined(separator: ","))]}"
    )
    // What is recorded fails, and `calm` asks that all goes well.
    let scenario = try folder.file("none.json", #"{"windtunnelScenario":1,"name":"none"}"#)
    let words = ["--cassette", cassette, "--scenario", scenario, "--stage", stage]
    let report = try await drill(folder, "r", words + ["--concurrency", "50"], calls: 50)
    for row in try #require(report.scenarios.first).subjects {
      expectEqual(row.observations.count, 50)
      for observation in row.observations {
        // As far as its retry budget goes.
        let most = row.name == "network-layer" ? 3 : 1
        let whole = (1...most).map { "recording \($0)" }
        expectEqual(
          observation.attempts.map(\.source.words),
          Array(whole.prefix(observation.attempts.count))
        )
        if row.name == "urlsession" { expectEqual(observation.attempts.count, 1) }
      }
      // Fifty failures at once close the host off, but not before the first slots were used.
      #expect(met(row).joined().count >= 20)
    }
  }
}
