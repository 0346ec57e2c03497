import TestSupport

@testable import WindTunnelDrill

/// What a call brought, held against what it asked for.
@Suite struct WhatCameTests {
  private func row(_ rule: FaultRule, _ subject: String, on stage: Stage, calls: Int = 10)
    async throws
    -> Metrics
  {
    try #require(
      await report(rule, subject, on: stage, calls: calls).scenarios.first?.subjects.first
    ).metrics
  }

  private func report(_ rule: FaultRule, _ subject: String, on stage: Stage, calls: Int = 10)
    async throws -> Report
  {
    let folder = try Folder()
    let scenario = Scenario("odd", rules: [rule], critical: ["GET /home"])
    let (weather, page) = (try folder.file("odd.json"), try folder.file("report.json"))
    try scenario.data().write(to: URL(filePath: weather))
    let end = try await Tool.run([
      "drill", "--scenario", weather, "--subject", subject, "--stage",
      stage == .onTheWire ? "wire" : "in-process", "--calls", "\(calls)", "--concurrency", "2",
      "--timeout", "600s", "--findings", "off", "--report", page,
    ])
    try #require(end.code == 0, "\(end.complaints)")
    return try Report(contentsOf: URL(filePath: page))
  }

  @Test(.referenceClient, arguments: [Stage.onTheWire, .inProcess])
  func `a page for an answer in JSON is blank, and a client that looks shows its copy`(
    stage: Stage
  ) async throws {
    let portal = FaultRule.on("* /**", .always, .answer(.captivePortalPage))
    let bare = try await report(portal, "urlsession", on: stage)
    let bareMetrics = bare.scenarios[0].subjects[0].metrics
    #expect(bareMetrics.successRate == 1 && bareMetrics.blankScreenRate == 1)
    expectEqual(bare.findings.map(\.finding.rule), ["takes-portal-for-answer"])
    let careful = try await report(portal, "network-layer", on: stage)
    let metrics = careful.scenarios[0].subjects[0].metrics
    #expect(metrics.successRate == 0 && metrics.blankScreenRate == 0)
    // Of the others there is no copy: they are no GETs that anybody keeps.
    expectEqual(metrics.staleServed, 4)
    expectEqual(careful.findings.map(\.finding.rule), [])
  }

  @Test(
    .referenceClient,
    arguments: [Stage.onTheWire, .inProcess],
    ["urlsession", "network-layer"]
  )
  func `a body that is cut without a sign is a silent truncation`(stage: Stage, subject: String)
    async throws
  {
    let cut = FaultRule.on("* /**", .always, .malformed(.silentTruncation))
    let metrics = try await row(cut, subject, on: stage)
    expectEqual(metrics.silentTruncations, 10)
    let calm = try await row(.on("* /none", .always, .status(503)), subject, on: stage)
    #expect(calm.silentTruncations == 0 && calm.blankScreenRate == 0)
  }

  @Test(.referenceClient, arguments: [Stage.onTheWire, .inProcess])
  func `a client that renews its token is let in again, and has sent nothing twice`(stage: Stage)
    async throws
  {
    var trigger = Trigger.always
    trigger.untilHeaderChanges = "Authorization"
    let expired = FaultRule(when: trigger, [.status(401)])
    let metrics = try await row(expired, "network-layer", on: stage)
    #expect(metrics.successRate == 1 && metrics.averageRetries == 1 && metrics.duplicates == 0)
    let bare = try await row(expired, "urlsession", on: stage)
    expectEqual(bare.successRate, 0)
  }

  @Test func `what a program prints is only held against a body that it could be`() throws {
    let recorded = "{\"a\":1,\"b\":[1,2,3]}"
    let request = Request("GET", "/a")
    let cassette = Cassette([Interaction(request, Response(body: Body(recorded)))])
    let bodies = RecordedBodies(cassette, matcher: .pathAndQuery)
    let key = Matcher.pathAndQuery.key(request)
    let other = Matcher.pathAndQuery.key(Request("GET", "/b"))
    func result(_ text: String, isPrinted: Bool) -> CallResult {
      var result = CallResult.good(Data(text.utf8))
      result.isPrinted = isPrinted
      return result
    }
    for (text, printed, returned) in [
      (recorded, true, true), (String(recorded.prefix(9)), false, false),
      ("", nil, false), ("{\n  \"a\": 1\n}\n", nil, false), ("200\n", nil, false),
    ] as [(String, Bool?, Bool?)] {
      expectEqual(bodies.match(result(text, isPrinted: true), key), printed, "\(text)")
      expectEqual(bodies.match(result(text, isPrinted: false), key), returned, "\(text)")
    }
    for (text, told) in [
      ("", ""), ("\n \n", ""), ("\n200 OK\nmore\n", "200 OK"), ("{\n  \"a\": 1\n}\n", "{"),
      (String(repeating: "é", count: 41), String(repeating: "é", count: 40) + "…"),
      ("token=s3cretW0rd7\n", "token=REDACTED-token-1"),
    ] {
      expectEqual(bodies.printed(result(text, isPrinted: true), key), told, "\(text)")
      expectNil(bodies.printed(result(text, isPrinted: false), key))
      expectNil(bodies.printed(result(text, isPrinted: true), other))
    }
    for text in [recorded, recorded + "\n", String(recorded.prefix(9))] {
      expectNil(bodies.printed(result(text, isPrinted: true), key), "\(text)")
    }
    let page = " <!DOCTYPE html><title>Log in</title>"
    for isPrinted in [true, false] {
      #expect(!bodies.shows(result(page, isPrinted: isPrinted), key))
      #expect(bodies.shows(result(recorded, isPrinted: isPrinted), key))
    }
    #expect(bodies.shows(result("ok", isPrinted: true), key))
    #expect(!bodies.shows(result("ok", isPrinted: false), key))
  }

  @Test(
    arguments: try TestData.rows("printed-bodies.json", count: 19) as [(String, String, Bool?)]
  )
  func `a line feed and another layout of JSON make no other body of what is printed`(
    recorded: String,
    text: String,
    verdict: Bool?
  ) {
    let request = Request("GET", "/a")
    let cassette = Cassette([Interaction(request, Response(body: Body(recorded)))])
    let bodies = RecordedBodies(cassette, matcher: .pathAndQuery)
    let key = Matcher.pathAndQuery.key(request)
    var result = CallResult.good(Data(text.utf8))
    // What a closure returns is what came, byte for byte.
    expectEqual(bodies.match(result, key), (recorded == text))
    result.isPrinted = true
    expectEqual(bodies.match(result, key), verdict)
  }

  @Test(.curl) func `a program that prints a line feed is seen to take a part for the whole`()
    async throws
  {
    func run(_ script: String, in scenario: Scenario) async throws -> Report.Row {
      let command = ["sh", "-c", script, "sh", "{url}"]
      return try await TestSubjects.row(of: command, in: scenario, calls: 4, seconds: 60)
    }
    let cut = Scenario("cut", rules: [.on("* /**", .always, .malformed(.silentTruncation))])
    let curl = #"curl -sf --noproxy '*' "$1" "#
    for (script, scenario, count) in [
      (curl, cut, 4), (curl + "&& echo", cut, 4), (curl, .calm, 0), (curl + "&& echo", .calm, 0),
    ] {
      let row = try await run(script, in: scenario)
      expectEqual(row.metrics.silentTruncations, count, "\(script), \(scenario.name)")
      #expect(row.observations.allSatisfy { $0.printed == nil })
    }
    let gate = try Gate("silentTruncations == 0")
    for (script, printed, words) in [
      (
        curl + "-o /dev/null -w '%{http_code}'", "200",
        #": the program printed something else, such as "200""#
      ),
      (curl + "-o /dev/null", "", ": the program printed nothing"),
    ] {
      let row = try await run(script, in: .calm)
      expectEqual(row.observations.map(\.printed), Array(repeating: printed, count: 4))
      expectNil(row.metrics.silentTruncations)
      expectEqual(gate.result(for: row).verdict, .inconclusive("no body was compared\(words)"))
    }
  }
}
