import TestSupport
import WindTunnelReports

/// What goes to standard output is the answer and nothing else.
@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
  @Test(.referenceClient)
  func `a short calm drill ends with 0, and its report has the promised keys`() async throws {
    let scratch = try Scratch()
    let drill = ["drill", "--subject", "network-layer", "--calls", "5", "--scenario", "calm"]
    let run = try await scratch.run(drill + ["--report", "drill.json", "--json"]).exits(0)
    let text = try scratch.text("drill.json")
    expectEqual(run.out, text)
    let keys = [
      "windtunnelReport", "seed", "decisionHash", "platformErrors", "environment", "verdict",
      "findings", "coverage", "scenarios",
    ]
    let report = try JSON(parsing: text.utf8, source: "drill.json")
    expectEqual(report.keys, keys)
    let scenario = try #require(report["scenarios"]?[0])
    expectEqual(scenario["name"], "calm")
    expectEqual(scenario["stage"], "wire")
    let subject = try #require(scenario["subjects"]?[0])
    let figures = [
      "name", "client", "calls", "successRate", "successRateLower", "firstTrySuccessRate",
      "averageRetries", "p50Milliseconds", "p95Milliseconds", "p99Milliseconds", "blankScreenRate",
    ]
    expectEqual(Array(subject.keys.prefix(figures.count)), figures)
    expectEqual(subject["calls"]?.intValue, 5)
    expectEqual(subject["successRate"]?.doubleValue, 1)
    expectEqual(scenario["subjects"]?[1]?["name"], "urlsession")
    // The report is read back to the same text, and to the table that the drill prints.
    try await scratch.expect("report drill.json --format json", out: text)
    let table = try await scratch.run("report drill.json").exits(0)
    expectEqual(table.out, (try Report(contentsOf: scratch.file("drill.json")).text()))
    #expect(table.out.hasPrefix("seed 1, decisions "))
  }

  @Test(.referenceClient) func `a drill prints its table and nothing else on standard output`()
    async throws
  {
    let run = try await Scratch().run(
      "drill --subject network-layer --calls 5 --scenario calm --stage in-process"
    ).exits(0)
    let lines = run.out.split(separator: "\n", omittingEmptySubsequences: false)
    expectEqual(lines.first?.hasPrefix("seed 1, decisions "), true)
    let table = lines.drop { !$0.hasPrefix("scenario  subject") }
    expectEqual(
      table.dropFirst(3),
      [
        "", "findings: none; 3 rules kept, \(FindingRule.all.count - 3) not applicable", "",
        "gates: 3 met", "", "passed", "",
      ],
      "\(run.out)"
    )
    expectEqual(
      table.dropFirst().first?.hasPrefix("calm      network-layer      5  100.0 %       all  "),
      true
    )
    // A log is as short as what a terminal keeps.
    expectEqual(run.err, "")
  }

  @Test func `a report with a figure that is not its log's is refused`() async throws {
    let scratch = try Scratch()
    let drill = ["drill", "--calls", "1", "--scenario", "calm", "--stage", "in-process"]
    _ = try await scratch.run(drill + ["--report", "drill.json"])
    let text = try scratch.text("drill.json")
    try scratch.write(
      text.replacing("\"successRate\": 1,", with: "\"successRate\": 0.5,"),
      to: "drill.json"
    )
    let run = try await scratch.run("report drill.json").exits(65)
    #expect(run.out.isEmpty)
    #expect(run.err.contains("successRate: the figure does not match the log, which has 1."))
  }

  @Test func `cassette show lists one interaction a line`() async throws {
    try await Scratch().expect(
      "cassette show \(Repository.shop)",
      out: """
        #1 GET https://shop.example.test/home → 200, 116 bytes of application/json
        #2 POST https://shop.example.test/login → 200, 44 bytes of application/json
        #3 POST https://shop.example.test/payments → 201, 48 bytes of application/json
        #4 POST https://shop.example.test/telemetry → 202, 17 bytes of application/json
        #5 GET https://shop.example.test/recommendations?user=7 → 200, 57 bytes of application/json
        #6 GET https://shop.example.test/recommendations?user=9 → 200, 57 bytes of application/json

        """
    )
  }

  @Test func `cassette show opens one interaction`() async throws {
    let out = """
      POST https://shop.example.test/telemetry
      Content-Type: application/json

      {"event":"home-shown","milliseconds":412}

      → 202, 17 bytes of application/json
      Content-Type: application/json
      Content-Length: 17

      {"accepted":true}

      """
    try await Scratch().expect("cassette show \(Repository.shop) --number 4", out: out)
    let beyond = try await Scratch().run("cassette show \(Repository.shop) --number 9").exits(64)
    #expect(beyond.err.hasPrefix("windtunnel: Interaction #9 does not exist; the last is #6.\n"))
  }

  @Test func `cassette show tells the events of a stream, and when they were there`() async throws {
    let scratch = try Scratch()
    try scratch.write(
      """
      {"windtunnel":1,"interactions":[{"request":{"method":"GET","url":"https://a.example/e"},
      "response":{"status":200,"headers":[["Content-Type","text/event-stream"]],
      "text":"id: 1\\ndata: a\\n\\nevent: end\\nretry: 50\\ndata: b\\ndata: c\\n\\n"},
      "timing":{"firstByteMilliseconds":5,"lastByteMilliseconds":40.5,
      "chunks":[[15,10],[38,40.5]]}}]}
      """,
      to: "e.json"
    )
    let out = """
      GET https://a.example/e

      → 200, 53 bytes of text/event-stream
      Content-Type: text/event-stream

      {"offsetMilliseconds":10,"id":"1","data":"a"}
      {"offsetMilliseconds":40.5,"event":"end","retryMilliseconds":50,"data":"b\\nc"}

      """
    try await scratch.expect("cassette show e.json --number 1", out: out)
    let json = try await scratch.run("cassette show e.json --number 1 --json")
    let shown = try JSON(parsing: Data(json.out.utf8), source: "shown")
    expectEqual(
      shown["response"]?["events"],
      [
        ["offsetMilliseconds": 10, "id": "1", "data": "a"],
        [
          "offsetMilliseconds": .number("40.5"), "event": "end", "retryMilliseconds": 50,
          "data": "b\nc",
        ],
      ]
    )
  }

  @Test func `cassette convert makes a cassette of a HAR without its secrets`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.har, to: "a.har")
    let run = try await scratch.run("cassette convert a.har a.json").exits(0)
    #expect(run.out.isEmpty)
    #expect(run.err.hasSuffix("a.json: 1 interaction\n"))
    let text = try scratch.text("a.json")
    #expect(!text.contains("a-secret-of-a-test"))
    let shown = try await scratch.run("cassette show a.json")
    expectEqual(
      shown.out,
      "#1 GET https://api.example.test/users/7 → 200, 8 bytes of application/json\n"
    )
  }
}

extension JSON {
  /// The names of an object's members, in order.
  var keys: [String] { members.map(\.name.value) }

  /// An element of a list.
  subscript(index: Int) -> JSON? { index < elements.count ? elements[index] : JSON?.none }
}
