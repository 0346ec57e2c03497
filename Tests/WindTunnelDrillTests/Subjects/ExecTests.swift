import TestSupport

@testable import WindTunnelDrill

/// Any program as a subject.
@Suite(.timeLimit(.minutes(5))) struct ExecTests {
  /// Flies a shell's script through weather.
  private func run(
    _ script: String,
    in scenarios: [Scenario] = [.calm],
    calls: Int = 4,
    deadline: Duration = .seconds(20)
  ) async throws -> [Report.Row] {
    let drill = try TestSubjects.drill(DrillPlan.execSubject) { plan in
      plan.command = ["sh", "-c", script, "{method} {url}", "{base}", "{call}"]
      plan.scenarios = scenarios
      plan.calls = calls
      plan.deadline = deadline
      plan.stage = nil
    }
    let report = try await drill.run()
    expectEqual(report.scenarios.map(\.stage), scenarios.map { _ in .onTheWire })
    #expect(report.environment.contains(Report.Fact("program", "sh")))
    return try report.scenarios.map { try #require($0.subjects.first) }
  }

  @Test func `a program is told its call, in words and by its environment`() async throws {
    let script = """
      [ "$0" = "$WINDTUNNEL_METHOD $WINDTUNNEL_URL" ] || exit 9
      [ "$1" = "$WINDTUNNEL_BASE" ] && [ "$2" = "$WINDTUNNEL_CALL" ] || exit 8
      case $WINDTUNNEL_URL in "$1"/*) ;; *) exit 7 ;; esac
      echo shown
      """
    let row = try await run(script)[0]
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded, .succeeded, .succeeded])
    #expect(row.observations.allSatisfy { $0.showed })
    expectEqual(row.metrics.averageRetries, 0)
  }

  @Test(arguments: [
    ("[]", false), ("{\"ok\":true, \"items\": []}", false), ("", false), ("null", false),
    ("{\"total\":0}", true), ("no items", true), ("✓", true), ("{\"ok\":false}", true),
  ])
  func `an error that is shown as an empty list is a blank screen`(text: String, shows: Bool)
    async throws
  {
    let failing = Scenario("failing", rules: [FaultRule(when: .always, [.status(503)])])
    for (scenario, fails) in [(Scenario.calm, false), (failing, true)] {
      let script = "curl -sf \"$WINDTUNNEL_URL\" || echo '\(text)'"
      let row = try await run(script, in: [scenario], calls: 1)[0]
      #expect(row.observations.allSatisfy { $0.showed == (shows || !fails) })
    }
    // A program that was served may print this by design.
    let served = "curl -sf -o /dev/null \"$WINDTUNNEL_URL\"; echo '[]'"
    let row = try await run(served, in: [.calm], calls: 1)[0]
    #expect(row.observations.allSatisfy { $0.showed })
  }

  @Test
  func `a program is told what was recorded of its request, as a word and by its environment`()
    async throws
  {
    let body = "name=Ada Lovelace&note={url} \"x\" $HOME"
    let post = Interaction(
      Request(
        "POST",
        "http://a.test/users",
        headers: [
          "Content-Type": "application/x-www-form-urlencoded", "X-Plan": "gold", "Host": "a.test",
          "Content-Length": "\(body.utf8.count)", "Connection": "keep-alive",
        ],
        body: Body(body)
      ),
      .response(Response(status: 201))
    )
    let script = """
      [ "$0" = POST ] || exit 9
      [ "$1" = "$WINDTUNNEL_BODY" ] || exit 8
      [ "$1" = "name=Ada Lovelace&note={""url} \\"x\\" \\$HOME" ] || exit 7
      [ "$WINDTUNNEL_HEADERS" = "Content-Type: application/x-www-form-urlencoded
      X-Plan: gold
      " ] || exit 6
      echo shown
      """
    let command = ["sh", "-c", script, "{method}", "{body}"]
    let row = try await TestSubjects.row(of: command, calls: 2) { plan in
      (plan.cassette, plan.cassetteFile) = (Cassette([post]), nil)
    }
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
  }

  @Test func `a body that is no word is refused where a word should be made of it`() throws {
    for body in [
      Body(Data([0xFF, 0xFE])), Body("a\0b"), Body(String(repeating: "x", count: 200_000)),
    ] {
      let post = Interaction(
        Request("POST", "http://a.test/users?token=abc1", body: body),
        .response(Response(status: 201))
      )
      var plan = try DrillPlan()
      plan.cassette = Cassette([post])
      plan.clients = [PlannedClient(ExecSubject())]
      (plan.subjects, plan.command) = (
        ["exec"], ["curl", "-X", "{method}", "-d", "{body}", "{url}"]
      )
      let error = #expect(throws: DrillError.self) { try plan.validate() }
      let told = error.map { "\($0)" } ?? ""
      expectEqual(
        told,
        "{body} cannot be filled in for POST http://a.test/users?token=REDACTED-token-1: the "
          + "recorded body is not text of at most 102400 bytes."
      )
      // In the environment it is left out.
      plan.command = ["curl", "-X", "{method}", "{url}"]
      #expect(throws: Never.self) { try plan.validate() }
    }
  }

  @Test func `an end by code, signal or shell is told apart, and the others run on`() async throws {
    let script = """
      case $2 in
        0) exit 28 ;;
        1) kill -SEGV $$ ;;
        2) exit 139 ;;
        *) exit 0 ;;
      esac
      """
    let rows = try await run(script, in: [.calm, Scenario("later")])
    for row in rows {
      expectEqual(
        row.observations.map(\.ending),
        [.failed("exit 28"), .crashed, .crashed, .succeeded]
      )
      // It printed nothing.
      #expect(!row.observations[3].showed)
    }
  }

  @Test func `a program that does not end is killed with what it has started`() async throws {
    let mark = TestSubjects.mark()
    defer { try? FileManager.default.removeItem(at: mark) }
    let script = """
      [ $2 = 1 ] || exit 0
      sleep 3600 &
      echo $! > '\(mark.path)'
      wait
      """
    let row = try await run(script, deadline: .seconds(10))[0]
    expectEqual(row.observations.map(\.ending), [.succeeded, .hung, .succeeded, .succeeded])
    let text = try String(contentsOf: mark, encoding: .utf8)
    let sleeper = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Its parent is gone, so whoever reaps orphans may take a moment.
    while kill(sleeper, 0) == 0, !Self.isDead(sleeper) { await Task.yield() }
  }

  private static func isDead(_ process: Int32) -> Bool {
    // Where there is no such file system, only its number tells.
    guard FileManager.default.fileExists(atPath: "/proc/self/stat") else { return false }
    // It was reaped between two looks.
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return true
    }
    return stat.contains(") Z ")
  }

  @Test func `a program that cannot be told the method is given what can be got`() throws {
    var plan = try DrillPlan()
    (plan.subjects, plan.command) = (["exec"], ["curl", "{url}"])
    #expect((0..<50).allSatisfy { plan.workload.request(of: $0).method == "GET" })
    expectEqual(plan.uncalled, "POST /login, POST /payments, POST /telemetry")
    for command in [
      ["curl", "-X", "{method}", "{url}"],
      ["sh", "-c", #"curl -X "$WINDTUNNEL_METHOD" "$WINDTUNNEL_URL""#],
    ] {
      plan.command = command
      #expect((0..<50).contains { plan.workload.request(of: $0).method == "POST" })
      expectEqual(plan.uncalled, "")
    }
    // A person who wants no POST is told nothing.
    (plan.command, plan.mix) = (["curl", "{url}"], Mix([.init("POST *", weight: 0)]))
    expectEqual(plan.uncalled, "")
  }

  @Test func `a program that fails in calm breaks a rule, and is told what it was not given`()
    async throws
  {
    let drill = try TestSubjects.drill(DrillPlan.execSubject) { plan in
      plan.command = ["sh", "-c", "[ $0 != 1 ] || exit 7", "{call}"]
      plan.calls = 4
      plan.stage = nil
    }
    let report = try await drill.run()
    let found = report.findings.map(\.finding).filter { $0.rule == "fails-without-fault" }
    expectEqual(found.map(\.seen), ["It failed, exit 7, and sent no request."])
    expectEqual(found.map(\.countDescription), ["1 of 4 calls"])
    expectEqual(report.verdict.outcome, .failed)
    let words = "POST /login, POST /payments, POST /telemetry (the command has no {method})"
    #expect(report.environment.contains(Report.Fact("notCalled", words)))
    #expect(report.text().contains("\nnot called: \(words)\n"))
  }

  @Test(.curl) func `curl's own retries are counted`() async throws {
    let twice: Scenario = [.on("GET *", .first(2), .status(503))]
    let command = ["curl", "-sf", "--retry", "3", "--retry-delay", "1", "{url}"]
    let row = try await TestSubjects.row(of: command, in: twice, calls: 3, atOnce: 3, seconds: 60)
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded, .succeeded])
    expectEqual(row.observations.map(\.attemptCount), [3, 3, 3])
    expectEqual(row.metrics.averageRetries, 2)
  }

  @Test(.curl) func `what a program tries at a name without address is not seen`() async throws {
    let nameless: Scenario = [.always(.always, .connection(.hostNotFound))]
    let command = ["curl", "-sf", "--retry", "2", "{url}"]
    let row = try await TestSubjects.row(of: command, in: nameless, calls: 2)
    expectEqual(row.observations.map(\.ending), [.failed("exit 6"), .failed("exit 6")])
    expectEqual(row.observations.map(\.attemptCount), [nil, nil])
    expectNil(row.metrics.averageRetries)
  }
}
