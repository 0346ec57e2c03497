import Programs
import TestSupport
import WindTunnelCommandLine
import WindTunnelSymptoms

@testable import WindTunnelDrill

/// The server in Python that shows a call without the tool.
@Suite(.timeLimit(.minutes(5))) struct PythonServerTests {
  private static let body = #"{"greeting":"hello, world"}"#
  private static let curl = ["curl", "--cacert={ca}", "-X", "{method}", "-d", "{body}", "{url}"]

  /// Returns the server for a call that made so many requests.
  private static func server(
    _ method: String,
    _ scenario: Scenario,
    requests: Int = 1,
    rule: String? = nil,
    _ command: [String] = curl
  ) throws -> PythonServer {
    var request = Request(method, "https://api.example.com/pay?user=7")
    request.body = Body("{}")
    let recorded = Interaction(request, Response(body: Body(body)))
    var plan = DrillPlan(Cassette([recorded]), in: [scenario])
    (plan.subjects, plan.command, plan.calls) = ([DrillPlan.execSubject], command, 1)
    let options = PlaybackOptions(matcher: plan.matcher, then: .repeat)
    let deck = Deck(plan.cassette, scenario: scenario, options: options)
    var call = Observation(
      0,
      "\(method) /pay",
      showed: false,
      latency: .milliseconds(40),
      attempts: requests
    )
    call.start = .zero
    for number in 0..<requests {
      let outcome = deck.decide(request, lane: Workload.lane(scenario.name, 0), at: .now)
      deck.finished(outcome)
      let sum = AnswerSummary(outcome.decision.faults, over: outcome.recording)
      var attempt = Observation.Attempt(
        decision: .init(outcome.decision),
        source: .played(.recording(0))
      )
      (attempt.status, attempt.error, attempt.bytes) = (
        sum.status, sum.symptom?.rawValue, sum.bytes
      )
      (attempt.start, attempt.retryAfter) = (.milliseconds(number * 20), sum.retryAfter)
      (attempt.end, attempt.isRepeatable) = (.milliseconds(number * 20 + 1), method != "POST")
      call.attempts.append(attempt)
    }
    let row = Report.Row(DrillPlan.execSubject, [call], of: .program)
    let flown = Report.ScenarioResult("s", on: .onTheWire, subjects: [row], scenario: scenario)
    let report = Report(seed: 1, decisionHash: "", platformErrors: "current", scenarios: [flown])
    let found = report.findings.map(\.finding)
    let finding = try rule.map { rule in try #require(found.first { $0.rule == rule }, "\(found)") }
    return try PythonServer(of: call, finding, in: report, plan)
  }

  @Test(
    arguments: [
      (
        "GET", .malformed(.badChunkSize), 1, "success-without-answer",
        [
          "# curl: Reports success without a response", #"Transfer-Encoding: chunked\r\n"#,
          ": [R1]}",
        ]
      ),
      (
        "GET", .status(503, retryAfter: .date(inSeconds: 3)), 2, "ignores-retry-after",
        [
          "from RFC 9110 §10.2.3; RFC 6585 §4\n", #"Retry-After: {date+3}\r\n"#, ": [R1, R2]}",
          "\n#   env TZ=\(SubjectProcess.timeZoneInTheEast) curl ",
        ]
      ),
      (
        "POST", .reset(.afterRequest), 2, "repeats-post",
        [
          #"R1 = ["reset"]"#, "\n#   curl --cacert=/dev/null -X POST ",
          " -d '{}' 'http://127.0.0.1:8765/pay?user=7'\n",
        ]
      ),
    ] as [(String, Fault, Int, String, [String])]
  )
  func `a finding is named, and its responses are text`(
    method: String,
    fault: Fault,
    requests: Int,
    rule: String,
    parts: [String]
  ) throws {
    let scenario: Scenario = [.on("/pay", .first(1), fault)]
    let text = try Self.server(method, scenario, requests: requests, rule: rule).text()
    for part in parts + ["Rule \(rule)"] { #expect(text.contains(part), "\(text)") }
    #expect(text.split(separator: "\n").count <= PythonServer.linesMax, "\(text)")
  }

  @Test func `the server repeats the last response of many`() throws {
    let text = try Self.server("GET", [.on("/pay", .always, .status(503))], requests: 1_000).text()
    #expect(text.contains(": [R1]}"), "\(text)")
  }

  @Test(
    arguments: [
      (.tls(.garbage), "its TLS handshake fails in ways that no library produces"),
      (.hostNotFound, "DNS fails before a server is contacted"),
      (.lostSYNs(1), "packets are lost before they reach a server"),
    ] as [(ConnectionFault, String)]
  )
  func `a fault that no plain server has is refused`(fault: ConnectionFault, reason: String) {
    let refusal = #expect(throws: CommandError.self) {
      try Self.server("GET", [FaultRule(when: .always, [.connection(fault)])])
    }
    #expect(refusal?.sentence == "A plain server cannot reproduce this call: \(reason).")
    #expect(refusal?.code == .usage)
  }

  @Test func `a program that lives from call to call is asked by a line`() throws {
    let server = try Self.server("POST", [.on("/pay", .always, .status(503))], ["./client", "-v"])
    let url = #""url":"http://127.0.0.1:8765/pay?user=7""#
    let name = #""endpoint":"POST /pay""#
    expectEqual(
      server.command,
      #"printf '%s\n' '{"call":0,"method":"POST",\#(url),\#(name),"headers":{},"body":"{}"}' | ./client -v"#
    )
  }

  /// The codes are those of curl's manual: 18 partial file, 28 timeout, 56 failure in receiving, 60
  /// certificate.
  @Test(
    .enabled(
      if: ["python3", "curl", "openssl"].allSatisfy { Executable.find($0) != nil },
      "There is no python3, curl or openssl to run the server and its command with."
    ),
    arguments: [
      (.malformed(.badChunkSize), 56), (.close(.body(5)), 18), (.reset(.body(5)), 56),
      (.stall(.body(5)), 28), (.answer(.redirectElsewhere), 0),
      (.status(503, retryAfter: .seconds(1)), 0), (.connection(.tls(.expired)), 60),
    ] as [(Fault, Int32)]
  )
  func `a client meets the same without the tool`(fault: Fault, code: Int32) async throws {
    let folder = try Folder()
    let client = ["curl", "-sSfL", "--retry", "1", "--max-time", code == 28 ? "2" : "60", "{url}"]
    let server = try Self.server(
      "GET",
      // The next connections may be without the fault of a first response, not of a certificate.
      [FaultRule(when: code == 28 || code == 60 ? .always : .first(1), [fault])],
      requests: 2,
      client
    )
    let file = try folder.file("server.py", server.text())
    let python = try StartedProgram(["python3", file, "0"], in: folder.url)
    try python.start()
    defer { python.kill() }
    let ready = try #require(try await python.line())
    let words = ["/bin/sh", "-c", String(ready.dropFirst("Run: ".count))]
    let run = try await StartedProgram.run(words, in: folder.url)
    #expect(run.code == code && (code != 0 || run.out == Self.body), "\(run)")
    let first = try await python.line() ?? ""
    let line = code == 60 ? "the connection ended" : "GET /pay request 1, 0 bytes {'Host'"
    #expect(first.contains(line), "\(first)")
  }
}
