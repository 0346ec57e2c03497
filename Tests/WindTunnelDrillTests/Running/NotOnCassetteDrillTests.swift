import TestSupport

@testable import WindTunnelDrill

/// Requests for what is not on the cassette are no failures of the client's.
@Suite(.timeLimit(.minutes(5))) struct NotOnCassetteDrillTests {
  private static func cassette(then: EndPolicy? = nil) -> Cassette {
    Cassette([
      Interaction(
        Request("GET", "https://api.example.test/get"),
        Response(headers: ["Content-Type": "text/plain"], body: Body("got")),
        then: then
      )
    ])
  }

  private func run(
    in scenario: Scenario = .calm,
    _ stage: Stage = .onTheWire,
    calls: Int = 20,
    then: EndPolicy? = nil,
    at place: @escaping @Sendable (DrillCall) -> [String]
  ) async throws -> Report {
    let tape = Self.cassette(then: then)
    let drill = Drill(tape, [scenario], calls: calls, atOnce: 4, on: stage)
    return try await drill.run { call in
      for place in place(call) {
        var asked = call.urlRequest
        let url: URL = try #require(URL(string: place))
        asked.url = url
        _ = try await ClosureDrillTests.send(asked, by: call.session)
      }
    }
  }

  private func metrics(_ report: Report) throws -> Metrics {
    try #require(report.scenarios.first?.subjects.first).metrics
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `calls that are not on the cassette are not counted in rates`(stage: Stage) async throws {
    let report = try await run(stage) { call in
      [call.baseURL.absoluteString + (call.index % 4 == 1 ? "/other?token=s3cret" : "/get")]
    }
    let row = try #require(report.scenarios.first?.subjects.first)
    let words = "GET /other, nearest #1 GET https://api.example.test/get, differs in path"
    for call in row.observations {
      expectEqual(call.notOnCassette, (call.call % 4 == 1 ? words : nil))
      expectEqual(
        call.attempts.map(\.source.words),
        [call.call % 4 == 1 ? "unmatched" : "recording 1"]
      )
    }
    #expect(row.metrics.calls == 20 && row.metrics.notOnCassette == 5)
    #expect(row.metrics.successRate == 1 && row.metrics.averageRetries == 0)
    #expect(row.metrics.latency.calls == 15 && row.metrics.unexpectedErrors == 0)
    expectEqual(report.verdict.outcome, .inconclusive)
    #expect(
      report.text().contains(
        "\ncalm: 5 calls had no recording, first: \(words); not counted in any rate\n"
      )
    )
  }

  @Test func `a client that loses the call's part of the address has made no attempt that failed`()
    async throws
  {
    let report = try await run { call in
      let base = call.baseURL
      // As it was with an escaped slash: the number of the call is a folder.
      return ["http://\(base.host ?? ""):\(base.port ?? 0)/.windtunnel/calm/\(call.index)/get"]
    }
    let row = try #require(report.scenarios.first?.subjects.first)
    #expect(row.metrics.notOnCassette == 20 && row.metrics.successRate == nil)
    #expect(row.metrics.averageRetries == nil && row.metrics.unexpectedErrors == nil)
    let end = "/get, nearest #1 GET https://api.example.test/get, differs in path"
    for call in row.observations {
      #expect(call.attempts == [] && call.attemptCount == 0)
      expectEqual(call.notOnCassette?.hasPrefix("GET /"), true)
      expectEqual(call.notOnCassette?.hasSuffix(end), true, "\(call.notOnCassette ?? "")")
    }
    expectEqual(report.verdict.outcome, .inconclusive)
  }

  @Test func `a call that sends nothing while others get their answers has failed`() async throws {
    let report = try await run { call in
      call.index % 2 == 0 ? [call.baseURL.absoluteString + "/get"] : ["nowhere:"]
    }
    let metrics = try metrics(report)
    #expect(metrics.notOnCassette == 0 && metrics.successRate == 0.5)
    expectEqual(report.findings.map(\.finding.rule), ["fails-without-fault"])
    expectEqual(report.verdict.outcome, .failed)
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `a used-up recording counts as on the cassette, and a further request for it fails`(
    stage: Stage
  )
    async throws
  {
    let report = try await run(stage, calls: 4, then: .fail) { call in
      Array(repeating: call.baseURL.absoluteString + "/get", count: call.index == 2 ? 2 : 1)
    }
    let metrics = try metrics(report)
    #expect(metrics.notOnCassette == 0 && metrics.successRate == 0.75)
  }

  @Test(arguments: [Stage.onTheWire, .inProcess])
  func `where the scenario leads nobody has recorded, and the client is judged`(stage: Stage)
    async throws
  {
    for substitute in [ReplacementResponse.captivePortalRedirect, .captivePortalPage] {
      let portal = Scenario("portal", rules: [.on("GET /get", .always, .answer(substitute))])
      let metrics = try metrics(
        await run(in: portal, stage, calls: 4) { call in
          // The second is a link of the page.
          ["/get", "/log-in"].map { call.baseURL.absoluteString + $0 }
        }
      )
      #expect(metrics.notOnCassette == 0 && metrics.successRate == 0, "\(substitute)")
    }
    // Where it is no answer that leads there, it is the client itself.
    let broken = Scenario("broken", rules: [.always(.always, .status(503))])
    let own = try self.metrics(
      await run(in: broken, stage, calls: 4) { [$0.baseURL.absoluteString + "/other"] }
    )
    #expect(own.notOnCassette == 4 && own.successRate == nil)
  }

  @Test(.curl) func `the tool says so and ends inconclusive, from shards, too`() async throws {
    let folder = try Folder()
    let cassette = try folder.file("c.json")
    try Self.cassette().data().write(to: URL(filePath: cassette))
    let common = [
      "drill", "--cassette", cassette, "--scenario", "calm", "--calls", "4", "--concurrency", "1",
      "--subject", "exec",
    ]
    let program = ["--", "curl", "-sf", "--noproxy", "*", "{base}/other?access_token=s3cret"]
    let sentence =
      "calm: 4 calls had no recording, first: GET /other, nearest #1 GET "
      + "https://api.example.test/get, differs in path"
    let page = try folder.file("r.json")
    let end = try await Tool.run(common + ["--report", page] + program)
    expectEqual(end.code, 98, "\(end.complaints)")
    #expect(end.answer.contains("\n\(sentence); not counted in any rate\n"), "\(end.answer)")
    #expect(end.answer.contains("  4 not on the cassette\n"))
    #expect(!end.answer.contains("--again"), "\(end.answer)")
    #expect(!end.answer.contains("s3cret"))
    let added = try await Tool.run(
      common + ["--scenario", "outage", "--", "curl", "-sf", "--noproxy", "*", "{url}/more"]
    )
    let words =
      "in each call the client appends a path such as /more to {url}, which is the whole URL"
    #expect(added.code == 98 && added.answer.isEmpty, "\(added.answer)")
    #expect(
      added.complaints.contains(": \(words) of a call. Use {base} instead of {url}.\n"),
      "\(added.complaints)"
    )
    let allowed = try await Tool.run(common + ["--allow-inconclusive"] + program)
    expectEqual(allowed.code, 0)
    let json = try await Tool.run(common + ["--json"] + program)
    #expect(json.code == 98 && json.complaints.contains("windtunnel: \(sentence)\n"))
    let again = try await Tool.run(
      ["drill", "--again", "\(page)#calm/get/2", "--cassette", cassette] + program
    )
    expectEqual(again.code, 98, "\(again.complaints)")
    #expect(
      again.answer.contains("It had no recording: GET /other, nearest #1")
    )
    var shards: [String] = []
    for number in 1...2 {
      let shard = try folder.file("shard-\(number).json")
      _ = try await Tool.run(common + ["--shard", "\(number)/2", "--report", shard] + program)
      shards.append(shard)
    }
    let merged = try await Tool.run(["report"] + shards)
    #expect(merged.code == 98 && merged.answer.contains("\n\(sentence); not counted in any rate\n"))
  }
}
