import TestSupport

@testable import WindTunnelDrill

/// The page beside a drill.
@Suite(.timeLimit(.minutes(5))) struct DrillConsoleTests {
  @Test func `each call that has ended is there with its attempts, by scenario`() async throws {
    var plan = try DrillPlan()
    plan.scenarios = [Scenario("calm"), Scenario("rain")]
    let console = try await DrillConsole(plan)
    var call = Observation(3, latency: .milliseconds(30), attempts: 2)
    var first = Observation.Attempt("rain/3\tGET /home\t1\t[{\"status\":503}]", "withheld 1")
    (first.start, first.end, first.status) = (.milliseconds(5), .milliseconds(10), 503)
    var second = Observation.Attempt("rain/3\tGET /home\t2\t[]")
    (second.start, second.end, second.status) = (.milliseconds(25), .milliseconds(35), 200)
    call.attempts = [first, second]
    console.take(.ended(scenario: "rain", subject: "shop", call))
    let url = try #require(URL(string: "\(console.url)exchanges"))
    let (data, _) = try await URLSession(configuration: .ephemeral).data(from: url)
    let json = try JSON(parsing: data, source: "rows")
    guard case .array(let rows)? = json["rows"], rows.count == 2 else {
      Issue.record("\(json)")
      return
    }
    expectEqual(rows.map { $0["status"]?.intValue }, [503, 200])
    expectEqual(rows.map { $0["call"]?.stringValue }, ["shop 3", "shop 3"])
    expectEqual(rows.map { $0["attempt"]?.intValue }, [1, 2])
    expectEqual(rows[0]["faults"], .array([.text("status 503")]))
    expectEqual(rows[1]["gap"]?.doubleValue, 15)
    #expect(rows[1]["interaction"]?.intValue == 1 && rows[1]["source"]?.stringValue == "recording")
    expectEqual(rows.map { $0["latency"]?.doubleValue }, [5, 10])
    await console.end(nil)
    await #expect(throws: URLError.self) {
      try await URLSession(configuration: .ephemeral).data(from: url)
    }
  }

  @Test func `what is found in a scenario is shown at its end, with the lines that show it`()
    async throws
  {
    let scenario = try #require(try Shipped.scenarios(named: ["rate-limited"]).first)
    var plan = try DrillPlan()
    (plan.scenarios, plan.calls, plan.subjects) = ([scenario], 4, ["hasty"])
    let console = try await DrillConsole(plan)
    // One that asks again at once, however long it is told to wait.
    let hasty = ClosureSubject(name: "hasty") { call in
      for _ in 0..<4 {
        if let body = try? await ClosureDrillTests.ask(call) { return body }
      }
      throw URLError(.badServerResponse)
    }
    let report = try await Drill.run([hasty], plan)
    let flown = try #require(report.scenarios.first)
    let finding = try #require(flown.findings.first { $0.finding.rule == "ignores-retry-after" })
    for call in flown.subjects[0].observations {
      console.take(.ended(scenario: scenario.name, subject: "hasty", call))
    }
    console.take(.judged(flown))
    let url = try #require(URL(string: "\(console.url)events"))
    let reading = Task { try await URLSession(configuration: .ephemeral).data(from: url).0 }
    // The stream ends with the console.
    while !console.isWatched { await Task.yield() }
    await console.end(nil)
    let text = String(decoding: try await reading.value, as: UTF8.self)
    let line = try #require(
      text.split(separator: "\n").first { $0.contains(#""rule":"ignores-retry-after""#) }
    )
    let told = try JSON(parsing: Data(line.dropFirst("data: ".count).utf8), source: "finding")
    guard case .array(let lines)? = told["rows"] else {
      Issue.record("\(told)")
      return
    }
    let rows = lines.compactMap(\.intValue)
    let call = flown.subjects[0].observations.first { $0.call == finding.finding.call }
    #expect(rows.count == call?.attempts.count && !rows.isEmpty)
    #expect(text.contains(#""id":\#(rows.first ?? 0),"kind":"request""#))
  }

  @Test func `a drill in virtual time has none`() async throws {
    let run = try await Tool.run(["drill", "--console", "--clock", "virtual", "--calls", "1"])
    #expect(run.code == 64 && run.complaints.contains("--console shows a drill in real time"))
  }
}
