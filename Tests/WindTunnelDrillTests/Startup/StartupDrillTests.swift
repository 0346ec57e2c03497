import TestSupport

@testable import WindTunnelDrill

/// Starts of the reference client on the wire, at three servers.
@Suite(.timeLimit(.minutes(5))) struct StartupDrillTests {
  /// The requests of a start, by the host that they came to.
  private typealias Requests = [String: [String: Int]]

  private static func starts(
    in scenario: String,
    _ words: [String] = []
  ) async throws -> [Observation] {
    let folder = try Folder()
    let page = try folder.file("report.json")
    let cassette = try folder.file("startup.json")
    try Shipped.startup().data().write(to: URL(filePath: cassette))
    let end = try await Tool.run(
      [
        "drill", "--scenario", scenario, "--cassette", cassette, "--subject", "network-layer",
        "--calls", "3", "--concurrency", "1", "--report", page,
      ] + words,
      with: ["TMPDIR": folder.url.path]
    )
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    expectEqual(left.filter { $0.hasPrefix("windtunnel-start-") }, [], "what was kept goes")
    let report = try Report(contentsOf: URL(filePath: page))
    expectEqual(end.code, 0, "\(end.complaints)")
    expectEqual(report.findings.map(\.finding.rule), [])
    let row = try #require(report.scenarios.first?.subjects.first)
    return row.observations
  }

  /// Counts the requests of a call by host and path. What was withheld was recorded at the host
  /// that was asked, too.
  private static func requests(_ call: Observation) throws -> Requests {
    let cassette = try Shipped.startup()
    var counts: Requests = [:]
    for attempt in call.allAttempts {
      let number = attempt.source.number
      let recorded = number.map { cassette.interactions[$0 - 1].request.url }
      let path = attempt.decision.key.split(separator: " ")[1]
      counts[recorded?.host ?? attempt.source.words, default: [:]][String(path), default: 0] += 1
    }
    return counts
  }

  private static let near = "near.example.test"
  private static let second = "second.example.test"
  private static let third = "third.example.test"

  /// The requests of a start whose nearest server is well but for what is fetched there: the others
  /// are not waited for.
  private static let atTheNearest: Requests = [
    near: ["/configuration": 1, "/probe": 3, "/home": 1],
    second: ["/probe": 1],
    third: ["/probe": 1],
  ]
  /// Those of one whose nearest server is no good, which one probe shows. One that is silent is
  /// waited for as long as it may yet be chosen, and the third meanwhile; without that the third
  /// is settled as slower by its second probe.
  private static func atTheSecond(isSilent: Bool) -> Requests {
    [
      near: ["/configuration": 1, "/probe": 1],
      second: ["/probe": 3, "/home": 1],
      third: ["/probe": isSilent ? 3 : 2],
    ]
  }

  /// Holds what calls have sent against what they should have. A busy machine makes a server slow
  /// in some of them, and no request of any too many.
  private static func expect(_ calls: [Observation], sent all: Requests) throws {
    let sent = try calls.map { try requests($0) }
    #expect(sent.contains(all), "\(sent)")
    for one in sent {
      expectEqual(one.values.reduce(0) { $0 + ($1["/configuration"] ?? 0) }, 1)
      expectEqual(one.values.reduce(0) { $0 + ($1["/home"] ?? 0) }, 1)
      for server in one.values { #expect(server["/probe"] ?? 0 <= 3) }
    }
  }

  private static func expectPages(of calls: [Observation]) {
    expectEqual(calls.count, 3)
    for call in calls {
      #expect(call.ending == .succeeded && call.showed && call.bodyMatches == true)
      // The start is no retry of what its user asks for.
      #expect(call.attemptCount == 1 && call.clientAttempts == 1)
    }
  }

  @Test(.referenceClient) func `where the nearest is no good the second is asked`() async throws {
    let calls = try await Self.starts(in: "nearest-lies")
    Self.expectPages(of: calls)
    try Self.expect(calls, sent: Self.atTheSecond(isSilent: false))
  }

  @Test(.world, arguments: ["nearest-dead", "nearest-slow"])
  func `where the nearest does not answer the second is asked`(scenario: String) async throws {
    let calls = try await Self.starts(in: scenario)
    Self.expectPages(of: calls)
    try Self.expect(calls, sent: Self.atTheSecond(isSilent: true))
  }

  @Test(
    .referenceClient,
    .bothTiers,
    arguments: Tier.cases(["config-garbage", "config-replayed", "config-late"], few: 2)
  )
  func `where the configuration is no good the nearest is asked all the same`(
    scenario: String
  ) async throws {
    let calls = try await Self.starts(in: scenario)
    Self.expectPages(of: calls)
    try Self.expect(calls, sent: Self.atTheNearest)
  }

  /// Good weather, in which the other two are further away.
  private static let good = """
    { "windtunnelScenario": 1, "name": "good", "startup": "cold", "rules": [
      { "when": { "request": "* https://second.example.test/**" },
        "faults": [ { "delayMilliseconds": 80 } ] },
      { "when": { "request": "* https://third.example.test/**" },
        "faults": [ { "delayMilliseconds": 160 } ] }
    ] }
    """

  @Test(
    .referenceClient,
    arguments: [["--stage", "wire"], ["--stage", "in-process"], ["--clock", "virtual"]]
  )
  func `in good conditions the nearest serves it all`(way: [String]) async throws {
    let folder = try Folder()
    let calls = try await Self.starts(in: folder.file("good.json", Self.good), way)
    Self.expectPages(of: calls)
    try Self.expect(calls, sent: Self.atTheNearest)
  }

  @Test(.referenceClient)
  func `behind a portal every server is asked once, and the screen of before is shown`()
    async throws
  {
    let calls = try await Self.starts(in: "captive-portal")
    expectEqual(calls.count, 3)
    for call in calls {
      #expect(call.ending != .succeeded && call.showed && call.isStale == true)
      // The page and the log-in page that it was led to; the probes were led there, too.
      #expect(call.attemptCount == 2 && call.attempts.count == 2)
      try expectEqual(
        Self.requests(call),
        [
          Self.near: ["/configuration": 1, "/probe": 1, "/home": 1],
          Self.second: ["/probe": 1],
          Self.third: ["/probe": 1],
          "computed": ["/captive-portal/login": 5],
        ]
      )
    }
  }

  @Test(.referenceClient)
  func `without a network nobody is asked, and the screen of before is shown`()
    async throws
  {
    let calls = try await Self.starts(in: "offline-start")
    expectEqual(calls.count, 3)
    for call in calls {
      #expect(call.ending != .succeeded && call.showed && call.isStale == true)
      #expect(call.allAttempts.isEmpty && call.clientAttempts == 1)
    }
  }

  // MARK: Programs

  /// A start in Python: the first server whose probe is right within a second is asked for the page.
  private static let program = TestData.text("first-server.py")

  /// The two calls of a program whose nearest server is dead.
  private static func observations(of program: String, _ words: String...) async throws
    -> [Observation]
  {
    let folder = try Folder()
    let script = try folder.file("start.py", program)
    let page = try folder.file("report.json")
    let drill = ["drill", "--scenario", "nearest-dead", "--calls", "2", "--report", page, "--"]
    let end = try await Tool.run(drill + ["python3", script] + words)
    expectEqual(end.code, 0, "\(end.complaints)")
    let report = try Report(contentsOf: URL(filePath: page))
    return try #require(report.scenarios.first?.subjects.first).observations
  }

  @Test(.python) func `a program chooses among the servers`() async throws {
    for call in try await Self.observations(of: Self.program, "{origins}") {
      #expect(call.ending == .succeeded && call.bodyMatches == true && call.attemptCount == 1)
      try expectEqual(
        Self.requests(call),
        [Self.near: ["/probe": 1], Self.second: ["/probe": 1, "/home": 1]]
      )
    }
  }

  @Test(.python) func `a program that lives is told of the servers in each line`() async throws {
    let program = """
      import json, sys, urllib.request
      for text in sys.stdin:
          line = json.loads(text)
          urllib.request.urlopen(line["origins"][2] + "/probe").read()
          shown = urllib.request.urlopen(line["origins"][1] + "/home").read().decode()
          print(json.dumps({"call": line["call"], "ok": True, "shown": shown}), flush=True)
      """
    for call in try await Self.observations(of: program) {
      #expect(call.ending == .succeeded && call.bodyMatches == true)
      try expectEqual(Self.requests(call), [Self.third: ["/probe": 1], Self.second: ["/home": 1]])
    }
  }

  /// One that asks each server twice, whatever it says, and then for the page.
  private static let insistent = TestData.text("insistent-start.py")

  @Test(.python) func `probes that are refused are no retries of the page`() async throws {
    let folder = try Folder()
    let script = try folder.file("start.py", Self.insistent)
    let scenario = try folder.file(
      "limited.json",
      """
      { "windtunnelScenario": 1, "name": "limited", "startup": "cold", "rules": [
        { "when": { "request": "GET /probe" },
          "faults": [ { "status": 429, "retryAfterSeconds": 2 } ] }
      ] }
      """
    )
    let cassette = try folder.file("startup.json")
    try Shipped.startup().data().write(to: URL(filePath: cassette))
    let page = try folder.file("report.json")
    let end = try await Tool.run([
      "drill", "--scenario", scenario, "--cassette", cassette, "--calls", "2", "--report", page,
      "--", "python3", script, "{origins}",
    ])
    expectEqual(end.code, 0, "\(end.complaints)")
    let report = try Report(contentsOf: URL(filePath: page))
    expectEqual(report.findings.map(\.finding.rule), [])
    let row = try #require(report.scenarios.first?.subjects.first)
    #expect(row.metrics.averageRetries == 0 && row.metrics.amplification == 1)
    for call in row.observations {
      expectEqual(call.attempts.count, 1)
      expectEqual(call.startAttempts.map(\.status), Array(repeating: 429, count: 6))
    }
  }

  // MARK: What ships

  @Test(.referenceClient) func `one of them is flown again on the cassette that ships`()
    async throws
  {
    let folder = try Folder()
    let page = try folder.file("report.json")
    let first = try await Tool.run([
      "drill", "--scenario", "nearest-lies", "--subject", "network-layer", "--calls", "1",
      "--report", page,
    ])
    expectEqual(first.code, 0, "\(first.complaints)")
    let again = try await Tool.run(["drill", "--again", "\(page)#nearest-lies/home/0"])
    #expect(again.answer.contains("succeeded; before: succeeded"), "\(again)")
  }

  // MARK: Groups

  @Test func `a cassette without a start leaves them out, and one that is asked for is refused`()
    async throws
  {
    var plan = DrillPlan(try Shipped.cassette(), in: Scenario.preRelease)
    plan.subjects = ["urlsession"]
    try plan.leaveOut(among: Set(Shipped.preRelease))
    #expect(!plan.scenarios.contains { $0.startup != nil })
    expectEqual(
      plan.leftOut.filter { $0.reason.contains("requires an app start") }.map(\.name),
      Shipped.startups
    )
    var asked = DrillPlan(try Shipped.cassette(), in: try Shipped.scenarios(named: ["config-late"]))
    asked.subjects = ["urlsession"]
    #expect(throws: DrillError.self) { try asked.leaveOut(among: []) }
    var own = DrillPlan(try Shipped.startup(), in: Scenario.preRelease)
    own.subjects = ["urlsession"]
    try own.leaveOut(among: Set(Shipped.preRelease))
    expectEqual(own.scenarios.filter { $0.startup != nil }.map(\.name), Shipped.startups)
  }
}
