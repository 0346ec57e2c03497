import TestSupport

@testable import WindTunnelDrill

/// Programs that live from call to call.
@Suite(.timeLimit(.minutes(5))) struct ServiceTests {
  /// Flies a script in Python, which has `lines`, the calls one by one, and `say`.
  private func run(
    _ script: String,
    in scenario: Scenario = .calm,
    calls: Int = 6,
    atOnce: Int = 1,
    deadline: Duration = .seconds(60)
  ) async throws -> Report.Row {
    try await ServiceFlight(script, calls: calls, atOnce: atOnce, deadline: deadline)
      .run(in: scenario)
  }

  @Test(arguments: [
    (["./client", "--fast"], true), (["./client", "{url}"], false), (["./client", "{ca}"], true),
    (["sh", "-c", #"curl "$WINDTUNNEL_URL""#], false), (["x", "a{call}b"], false), ([], false),
    (["x", "{base}"], false), (["x", "{method}"], false), (["x", "{body}"], false),
  ])
  func `a command without a placeholder of a call lives`(command: [String], lives: Bool) {
    expectEqual(command.isService, lives)
  }

  @Test(.python) func `one service process receives every call, and each of its results is kept`()
    async throws
  {
    let row = try await run(
      """
      ways = [{}, {"status": 503}, {"ok": False, "error": "timedOut", "attempts": 2},
              {"shown": "stale"}, {"shown": False}, {"ok": False, "status": 404, "more": [1]}]
      for count, line in enumerate(lines):
          assert line["call"] == count and line["url"].startswith("http://127.0.0.1:") and line["method"]
          say(line["call"], **ways[count])
      """
    )
    expectEqual(
      row.observations.map(\.ending),
      [
        .succeeded, .failed("status 503"), .failed("timedOut"), .succeeded, .succeeded,
        .failed("status 404"),
      ]
    )
    expectEqual(row.observations.map(\.showed), [true, false, false, true, false, false])
    expectEqual(row.observations.map(\.isStale), [nil, nil, nil, true, nil, nil])
    expectEqual(row.observations.map(\.clientAttempts), [nil, nil, 2, nil, nil, nil])
  }

  @Test(.python) func `answers come in any order`() async throws {
    let row = try await run(
      """
      held = []
      for line in lines:
          held.append(line["call"])
          if len(held) == 4:
              for call in reversed(held): say(call, attempts=call)
              held = []
      """,
      calls: 8,
      atOnce: 4
    )
    expectEqual(row.observations.map(\.clientAttempts), Array(0..<8))
  }

  /// Programs with their calls, those at once, the deadline in seconds, and the ends of the calls.
  static let ends: [(String, Int, Int, Double, [Observation.CallResult])] = [
    (
      """
      for line in lines:
          if line["call"] == 2: os.abort()
          if line["call"] == 4: sys.exit(0)
          say(line["call"], attempts=1)
      """, 6, 1, 60, [.succeeded, .succeeded, .crashed, .succeeded, .crashed, .succeeded]
    ),
    (
      """
      for line in lines:
          if line["call"] != 1: say(line["call"])
      """, 3, 1, 10, [.succeeded, .hung, .succeeded]
    ),
    (
      """
      signal.signal(signal.SIGTERM, signal.SIG_IGN)
      for line in lines: say(line["call"])
      while True: time.sleep(3600)
      """, 1, 1, 60, [.succeeded]
    ),
    // A call of a second is waited for two and a half; what a program takes to load is no hang.
    (
      """
      time.sleep(4)
      for line in lines: say(line["call"])
      """, 4, 2, 1, [.succeeded, .succeeded, .succeeded, .succeeded]
    ),
    ("for line in lines: pass", 1, 1, 0.1, [.hung]),
  ]

  @Test(.python, arguments: ends)
  func `a call in which a service dies or stays silent is reported, and the others run`(
    script: String,
    calls: Int,
    atOnce: Int,
    seconds: Double,
    ends: [Observation.CallResult]
  ) async throws {
    let row = try await run(script, calls: calls, atOnce: atOnce, deadline: .seconds(seconds))
    expectEqual(row.observations.map(\.ending), ends)
  }

  @Test(.python) func `of several in the air the one to blame is found`() async throws {
    let mark = TestSubjects.mark()
    defer { try? FileManager.default.removeItem(at: mark) }
    let row = try await run(
      """
      count = 0
      for line in lines:
          count += 1
          if not os.path.exists('\(mark.path)'):
              if count == 3:
                  open('\(mark.path)', 'w').close()
                  os.abort()
          elif line["call"] == 1: os.abort()
          else: say(line["call"])
      """,
      calls: 3,
      atOnce: 3
    )
    expectEqual(row.observations.map(\.ending), [.succeeded, .crashed, .succeeded])
  }

  @Test(.python) func `it is told of a call that is given up`() async throws {
    var scenario = Scenario("given-up")
    scenario.cancellation = Cancellation(share: 1, after: .milliseconds(20))
    let row = try await run(
      """
      for line in lines:
          if "cancel" in line: say(line["cancel"], ok=False, error="cancelled")
      """,
      in: scenario,
      calls: 3
    )
    expectEqual(
      row.observations.map(\.ending),
      [.failed("cancelled"), .failed("cancelled"), .failed("cancelled")]
    )
    expectEqual(row.metrics.cancelledCalls, 3)
  }

  @Test(.python) func `lines that are no answers are dropped`() async throws {
    let row = try await run(
      """
      for line in lines:
          print("hello", flush=True)
          print('{"call": 77, "ok": true}', flush=True)
          say(line["call"], attempts=1)
          say(line["call"], attempts=2)
      """
    )
    expectEqual(row.observations.map(\.ending), row.observations.map { _ in .succeeded })
    expectEqual(row.observations.map(\.clientAttempts), [1, 1, 1, 1, 1, 1])
  }

  @Test(.python) func `what it takes to load is no call's time`() async throws {
    let row = try await run(
      """
      import urllib.request
      time.sleep(2)
      for line in lines:
          urllib.request.urlopen(urllib.request.Request(line["url"], method=line["method"])).read()
          say(line["call"])
      """
    )
    expectEqual(row.observations.map(\.ending), row.observations.map { _ in .succeeded })
    let first = try #require(row.observations.first)
    expectEqual(first.startUp.map { $0 >= .seconds(2) }, true)
    #expect(row.observations.dropFirst().allSatisfy { $0.startUp == nil })
    let end = try #require(first.end)
    let next = try #require(row.observations[1].start)
    #expect(end <= next)
  }

  @Test(.python) func `the answer of another request is known, in any layout`() async throws {
    let home = try #require(
      Shipped.cassette().interactions.first { $0.request.url.path == "/home" }?.response?.body.text
    )
    let row = try await run(
      """
      home = json.loads('''\(home)''')
      words = [home, home, json.dumps(home, indent=2), {"accepted": True}, "something of its own", True]
      for line in lines: say(line["call"], shown=words[line["call"]])
      """
    )
    // Call 0 is for /home itself.
    expectEqual(
      row.observations.map(\.showsResponseOf),
      [nil, "GET /home", "GET /home", nil, nil, nil]
    )
    expectEqual(row.observations[0].bodyMatches, true)
  }

  @Test(.python) func `its connections are counted where they are kept`() async throws {
    var scenario = Scenario("kept")
    scenario.wantsKeptConnections = true
    let script = TestData.text("held-connections.py")
    let kept = try await run(script, in: scenario).traffic
    #expect(kept.connections.map(\.calls) == [6] && kept.connections.map(\.opened) == [6])
    expectEqual(kept.lateRequests, [])
    try await expectEqual(run(script).traffic.connections, [])
  }

  @Test(.python) func `a request behind the end of its call is late`() async throws {
    let row = try await run(
      """
      import urllib.request
      last = None
      for line in lines:
          if last: urllib.request.urlopen(last).read()
          last = line["url"] if line["method"] == "GET" else None
          say(line["call"])
      """
    )
    // Of the first five requests two are GETs, and another call follows each.
    expectEqual(row.traffic.lateRequests.count, 2)
    #expect(row.observations.allSatisfy { $0.attempts.isEmpty })
  }

  @Test(arguments: [
    "hello", "[]", #"{"ok":true}"#, #"{"call":1}"#, #"{"call":"1","ok":true}"#,
    #"{"call":1,"ok":1}"#, #"{"call":1.5,"ok":true}"#, "",
  ])
  func `a line without a call and a truth value is no answer`(line: String) {
    expectNil(ServiceAnswer(line: line))
  }

  @Test func `an answer is read whole`() throws {
    func shown(_ text: String) throws -> ServiceAnswer.Shown? {
      try #require(ServiceAnswer(line: #"{"call":1,"ok":true,"shown":\#(text)}"#)).shown
    }
    try expectEqual(shown("true"), .something(true))
    try expectEqual(shown(#""fresh""#), .something(true))
    for word in ["nothing", "none", "blank"] {
      try expectEqual(shown("\"\(word)\""), .something(false))
    }
    try expectEqual(shown(#""stale""#), .copy)
    try expectEqual(shown(#""a \"b\"""#), .text(#"a "b""#))
    try expectEqual(shown(#"{"a":[1]}"#), .text(#"{"a":[1]}"#))
    try expectNil(shown("null"))
    let failed = ServiceAnswer(line: #"{"call":1,"ok":false,"status":503,"error":"a\nb"}"#)
    expectEqual(failed?.ending, .failed("a b"))
    expectEqual(ServiceAnswer(line: #"{"call":1,"ok":false}"#)?.ending, .failed("failed"))
  }
}
