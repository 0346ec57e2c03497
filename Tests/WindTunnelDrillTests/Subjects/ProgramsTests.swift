import TestSupport

@testable import WindTunnelDrill

/// Programs that people have, as subjects: what is counted is what their own documents say of them. One
/// that is not installed is skipped in words.
@Suite(.timeLimit(.minutes(5))) struct ProgramsTests {
  private static let hasCurl = Executable.find("curl") != nil
  private static let hasWget = Executable.find("wget") != nil
  private static let hasOpenSSL = TestSubjects.hasAuthority

  private static func run(
    _ command: [String],
    in scenario: Scenario,
    calls: Int = 3
  ) async throws -> Report.Row {
    let drill = try TestSubjects.drill(DrillPlan.execSubject) { plan in
      (plan.command, plan.scenarios, plan.calls) = (command, [scenario], calls)
      plan.load = .closedLoop(concurrency: calls)
      plan.stage = nil
      plan.deadline = .seconds(120)
    }
    let report = try await drill.run()
    expectEqual(report.scenarios.map(\.stage), [.onTheWire])
    return try #require(report.scenarios.first?.subjects.first)
  }

  private static func ends(_ row: Report.Row) -> Set<Observation.CallResult> {
    Set(row.observations.map(\.ending))
  }

  private static let always: Scenario = [.on("* *", .always, .status(503))]
  private static let twice: Scenario = [.on("* *", .first(2), .status(503))]
  private static let asked: Scenario = [
    .on("* *", .first(1), .status(429, retryAfter: .seconds(1)))
  ]

  // MARK: curl

  /// `curl(1)`: 408, 429, 500, 502, 503 and 504 are transient; the first wait is a second, and each
  /// that follows twice as long.
  @Test(.curl) func `curl --retry 3 asks three times more, and each wait is twice the last`()
    async throws
  {
    let curl = ["curl", "-sf", "--retry", "3", "{url}"]
    async let lost = Self.run(curl, in: Self.always)
    async let won = Self.run(curl, in: Self.twice)
    let (failed, recovered) = try await (lost, won)
    expectEqual(Self.ends(failed), [.failed("exit 22")])
    #expect(failed.metrics.averageRetries == 3 && failed.metrics.successRate == 0)
    expectEqual(failed.metrics.callsByRetries, [0, 0, 0, 3])
    expectEqual(Self.ends(recovered), [.succeeded])
    #expect(recovered.metrics.averageRetries == 2 && recovered.metrics.firstTrySuccessRate == 0)
    expectEqual(recovered.metrics.recoveredRate, 1)
    for (gaps, seconds) in zip(try #require(failed.metrics.backoff), [1.0, 2, 4]) {
      #expect(gaps.min >= .seconds(seconds), "a wait is never shorter")
    }
  }

  @Test(.curl) func `curl waits as long as Retry-After says`() async throws {
    let row = try await Self.run(["curl", "-sf", "--retry", "1", "{url}"], in: Self.asked)
    expectEqual(Self.ends(row), [.succeeded])
    expectEqual(row.metrics.averageRetries, 1)
    #expect(row.metrics.retryAfterCompliance == 1 && row.metrics.earlyRetries == 0)
  }

  // MARK: Python

  /// A session with urllib3's `Retry`, as its documents have it.
  private static func requests(_ retry: String) -> [String] {
    let script = TestData.text("retrying-session.py").replacing("RETRY", with: retry)
    return ["python3", "-c", script, "{method}"]
  }

  /// In one process: whether it is there is asked by starting it.
  private static let hasRequests: Bool = {
    guard let python = Executable.find("python3") else { return false }
    let process = SpawnedProcess()
    process.executableURL = python
    process.arguments = ["-c", "import requests, urllib3.util.retry"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    // One that cannot be started is not there.
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// `urllib3.util.Retry`: `total` is the number of retries, and POST is not among the methods that are
  /// asked again by default.
  @Test(.enabled(if: hasRequests, "Python's requests is not installed."))
  func `a session with Retry(total=3) asks three times more, and never posts again`() async throws {
    let drilled = Self.requests("total=3, backoff_factor=0.01")
    async let lost = Self.run(drilled, in: Self.always, calls: 10)
    async let won = Self.run(drilled, in: Self.twice, calls: 10)
    let (failed, recovered) = try await (lost, won)
    for row in [failed, recovered] {
      for call in row.observations {
        let isPost = call.endpoint.hasPrefix("POST ")
        let isLost = row == failed
        expectEqual(call.attemptCount, (isPost ? 1 : isLost ? 4 : 3), "\(call.endpoint)")
        let error: Observation.CallResult = .failed(isPost ? "exit 1" : "exit 3")
        expectEqual(call.ending, (isPost || isLost ? error : .succeeded), "\(call.endpoint)")
      }
      expectEqual(row.metrics.duplicates, 0)
      #expect(row.observations.contains { $0.endpoint.hasPrefix("POST ") })
    }
  }

  @Test(.enabled(if: hasRequests, "Python's requests is not installed."))
  func `a session that may post again is seen to, and waits as it is asked`() async throws {
    let any = Self.requests("total=3, backoff_factor=0.01, allowed_methods=None")
    let row = try await Self.run(any, in: Self.asked, calls: 10)
    expectEqual(Self.ends(row), [.succeeded])
    #expect(row.metrics.averageRetries == 1 && row.metrics.retryAfterCompliance == 1)
    let posts = row.observations.count { $0.endpoint.hasPrefix("POST ") }
    #expect(posts > 0 && row.metrics.duplicates == posts)
  }

  // MARK: wget

  /// `wget(1)`: `--tries` counts the first one, too; `--waitretry=1` waits a second at most; 8 is the
  /// exit code of an error that the server told.
  @Test(.enabled(if: hasWget, "wget is not installed."))
  func `wget --tries=3 asks three times in all`() async throws {
    let wget = [
      "wget", "-q", "-O", "-", "--no-proxy", "--tries=3", "--waitretry=1",
      "--retry-on-http-error=503", "{url}",
    ]
    async let lost = Self.run(wget, in: Self.always)
    async let won = Self.run(wget, in: Self.twice)
    let (failed, recovered) = try await (lost, won)
    #expect(failed.metrics.averageRetries == 2 && failed.metrics.successRate == 0)
    expectEqual(Self.ends(recovered), [.succeeded])
    expectEqual(recovered.metrics.averageRetries, 2)
    #expect(recovered.observations.allSatisfy { $0.showed && $0.bodyMatches == true })
  }

  // MARK: Certificates

  @Test(
    .enabled(if: hasCurl && hasOpenSSL, "curl and OpenSSL 3 are not both installed."),
    .bothTiers,
    arguments: Tier.cases(
      [TLSFault.expired, .selfSigned, .wrongHost, .notYetValid, .incompleteChain],
      few: 2
    )
  )
  func `a program that trusts the run's authority meets a bad certificate on the wire`(
    fault: TLSFault
  ) async throws {
    let scenario: Scenario = [.always(.always, .connection(.tls(fault)))]
    let row = try await Self.run(
      ["curl", "-sf", "--noproxy", "*", "--cacert", "{ca}", "--retry", "2", "{url}"],
      in: scenario,
      calls: 2
    )
    // No retry helps there, and curl makes none.
    expectEqual(Self.ends(row), [.failed("exit 60")])
    expectEqual(row.metrics.averageRetries, 0)
    expectEqual(row.metrics.endings.map(\.fault), [fault.rawValue])
  }

  @Test(.enabled(if: hasCurl && hasOpenSSL, "curl and OpenSSL 3 are not both installed."))
  func `where a handshake does not fail the program comes through, by flag and by environment`()
    async throws
  {
    let first: Scenario = [.always(.first(1), .connection(.tls(.expired)))]
    let again =
      #"case "$1" in https:*) ;; *) exit 9 ;; esac; curl -sf --noproxy '*' "$1" || "#
      + #"curl -sf --noproxy '*' "$1""#
    for command in [
      ["env", "CURL_CA_BUNDLE={ca}", "sh", "-c", again, "sh", "{url}"],
      ["sh", "-c", #"export CURL_CA_BUNDLE="$WINDTUNNEL_CA"; \#(again)"#, "sh", "{url}"],
      // It is told by the variable that its TLS library reads, and needs to be changed in nothing.
      ["sh", "-c", again, "sh", "{url}"],
    ] {
      let row = try await Self.run(command, in: first, calls: 2)
      expectEqual(Self.ends(row), [.succeeded])
      #expect(row.metrics.averageRetries == 1 && row.metrics.recoveredRate == 1)
      #expect(row.observations.allSatisfy { $0.attempts.map(\.isRequest) == [false, true] })
    }
  }

  @Test(.enabled(if: hasCurl && hasOpenSSL, "curl and OpenSSL 3 are not both installed."))
  func `a program that does not trust the authority finds that first, and no file stays behind`()
    async throws
  {
    let folder = try Folder()
    let name = try folder.file("name")
    let row = try await Self.run(
      [
        "sh", "-c",
        #"echo "$2" > "$0"; unset CURL_CA_BUNDLE SSL_CERT_FILE; exec curl -sf --noproxy '*' "$1""#,
        name, "{url}", "{ca}",
      ],
      in: [.always(.first(1), .connection(.tls(.expired)))],
      calls: 1
    )
    expectEqual(Self.ends(row), [.failed("exit 60")])
    let file = try String(contentsOfFile: name, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(file.hasSuffix(".pem"))
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test(.enabled(if: hasCurl && hasOpenSSL, "curl and OpenSSL 3 are not both installed."))
  func `a link's round trip for TLS is in the handshake, and not in the answer, too`() async throws
  {
    let folder = try Folder()
    let file = try folder.file("moments")
    var scenario: Scenario = [.always(.first(1), .connection(.tls(.expired)))]
    scenario.link = Link(
      up: .init(delay: .milliseconds(500)),
      down: .init(delay: .milliseconds(500))
    )
    let form = "%{time_connect} %{time_appconnect} %{time_starttransfer}\\n"
    let curl =
      #"curl -sf --noproxy '*' --cacert "$2" -o /dev/null -w "\#(form)" "$1" >"$0""#
    let row = try await Self.run(
      ["sh", "-c", "\(curl) || \(curl)", file, "{url}", "{ca}"],
      in: scenario,
      calls: 1
    )
    expectEqual(Self.ends(row), [.succeeded])
    let moments = try String(contentsOfFile: file, encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(moments.count == 3)
    let (connect, secure, first) = (moments[0], moments[1], moments[2])
    // One round trip of TLS 1.3; then one to connect, which a server cannot put off, and the request's.
    #expect(secure - connect >= 1, "curl's limits for handshakes see it")
    #expect(first - secure >= 2 && first - secure < 3, "it is paid once")
    let stages = try #require(row.observations.first?.attempts.last).stages
    expectEqual(stages.connect, .seconds(1))
    expectEqual(stages.tls.map { $0 >= .seconds(1) && $0 < .seconds(2) }, true)
  }

  @Test func `a program is not flown in process, where its address would be the real one`() throws {
    let error = #expect(throws: DrillError.self) {
      try TestSubjects.drill(DrillPlan.execSubject) { $0.command = ["curl", "{url}"] }
    }
    expectEqual(
      error?.description,
      #"Scenario "calm" cannot run in process by a program: it is another process. Run it with --stage wire."#
    )
  }

  @Test
  func `a TLS fault runs in process for URLSession, and on the wire for programs`()
    throws
  {
    let expired: Scenario = [.always(.always, .connection(.tls(.expired)))]
    var plan = DrillPlan(try Shipped.cassette(), in: [expired])
    try expectEqual(plan.stage(of: expired), .inProcess)
    guard Self.hasOpenSSL else { return }
    plan.command = ["curl", "{url}"]
    try expectEqual(plan.stage(of: expired), .onTheWire)
  }
}
