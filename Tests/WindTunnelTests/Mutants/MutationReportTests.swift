import Schemas
import TestSupport
import WindTunnelMutants

@Suite struct MutationReportTests {
  private static let body = #"{"name":"Ada","items":["one","two","three","four"]}"#

  /// A test of a suite, with its recordings and its result under a mutant.
  struct PlayedTest {
    var name = "ShopTests.orders"
    var id: String?
    var recordings = [1]
    var plain = "green"
    var after = "green"
    var result: (Mutant) -> MutantResult?
  }

  private static func recording(
    _ method: String = "GET",
    path: String = "/orders",
    body: String = body,
    status: Int = 200
  ) -> Interaction {
    let type: HeaderFields = ["content-type": "application/json"]
    let response = Response(status: status, headers: type, body: Body(body))
    return Interaction(Request(method, RequestURL("https://api.example.test\(path)")), response)
  }

  private static func report(
    _ interactions: [Interaction],
    _ tests: [PlayedTest],
    accepted: AcceptedSurvivors = AcceptedSurvivors(),
    plan: MutationPlan = MutationPlan()
  ) throws -> MutationReport {
    let mutants = Mutants(of: interactions)
    var events = [MutationEvent.plan(plan)]
    for (index, test) in tests.enumerated() {
      let id = test.id ?? test.name
      let line = """
        {"event":"test","test":"\(id)","name":"\(test.name)","file":"/Tests/ShopTests.swift",\
        "line":\(10 * index + 10),"cassette":"/shop.json","plain":"\(test.plain)","milliseconds":1,\
        "recordings":\(test.recordings)}
        """
      events.append(try MutationEvent(line: line.utf8))
      for number in test.recordings where test.plain == "green" {
        for mutant in mutants[number] {
          let name = mutant.operator.name
          let run = MutantRun(test: id, recording: number, mutant: name, path: mutant.path)
          events += [.begin(run)] + (test.result(mutant).map { [.end(run, $0)] } ?? [])
        }
      }
      events.append(.after(test: id, isGreen: test.after == "green"))
    }
    return MutationReport(
      events: events,
      cassettes: ["/shop.json": Cassette(interactions)],
      accepted: accepted,
      command: ["--cassette", "shop.json", "--", "swift", "test", "--filter", "Shop Tests"],
      duration: .milliseconds(2100)
    )
  }

  /// A test that notices some operators, and all operators of levels in capitals.
  private static func test(
    _ name: String = "ShopTests.orders",
    noticing words: String,
    of recordings: [Int] = [1],
    id: String? = nil
  ) -> PlayedTest {
    let words = words.split(separator: " ").map(String.init)
    return PlayedTest(name: name, id: id, recordings: recordings) { mutant in
      let names = [mutant.operator.name, "\(mutant.operator.level)".uppercased()]
      return names.contains(where: words.contains)
        ? .killed(by: .assertion, message: "not equal") : .survived(asked: 1, plainAsked: 1)
    }
  }

  /// A request and what its test notices; the signs of the columns, the blind spots, the excuse.
  @Test func `a rule excuses what is right, and nothing else`() throws {
    for row in try DataFiles.rows("mutate-rules.json", count: 16) {
      let cells = row.compactMap(\.stringValue)
      let recordings = [Self.recording(cells[1], body: cells[2]), Self.recording(body: "[1,2,3]")]
      let report = try Self.report(recordings, [Self.test(noticing: cells[3])])
      let endpoint = try #require(report.endpoints.first)
      let blind = endpoint.blindSpots.map(\.name).sorted().joined(separator: " ")
      let excuses = endpoint.excuses.map { "\($0)" }.joined()
      expectEqual([endpoint.signs, blind, excuses], Array(cells[4...]), "\(cells)")
      expectEqual(report.verdict, blind.isEmpty ? .none : .newBlindSpot)
    }
  }

  /// A request, the operators that were not tried, and what of all others, which survive, counts.
  @Test(
    arguments: [
      ("GET", "values", 200, "~~~~–", ""), ("POST", "reset stall", 200, "–~~~~", ""),
      ("GET", "", 404, "–✗–––", "status-2xx"),
    ] as [(String, String, Int, String, String)]
  )
  func `what was not tried may excuse, and an error over a recorded error is none`(
    row: (String, String, Int, String, String)
  ) throws {
    let untried = row.1.split(separator: " ").map(String.init)
    let test = PlayedTest { mutant in
      untried.contains(mutant.operator.name) ? nil : .survived(asked: 1, plainAsked: 1)
    }
    let endpoint = try #require(
      try Self.report([Self.recording(row.0, status: row.2)], [test]).endpoints.first
    )
    expectEqual(endpoint.signs, row.3)
    expectEqual(endpoint.blindSpots.map(\.name).joined(separator: " "), row.4)
  }

  @Test func `a body is opened before its lists are weighed`() throws {
    let packed = try #require(
      Data(
        base64Encoded: """
          H4sIAAAAAAACA6tWykvMTVWyUnJMSVTSUcosSc0tVrKKVsrPSwVyS8rzQWRG\
          USqIl5ZfWqQUWwsAIjBISjMAAAA=
          """
      )
    )
    let headers: HeaderFields = ["content-type": "application/json", "content-encoding": "gzip"]
    let recording = Interaction(Request("GET", "/"), Response(headers: headers, body: Body(packed)))
    let test = Self.test(noticing: "ANSWER STATUS FORM hollow VALUES")
    let report = try Self.report([recording], [test])
    expectEqual(report.endpoints.first?.blindSpots.map(\.name), ["lists-empty"])
  }

  @Test func `an endpoint is blind only where no recording and no test notices`() throws {
    let recordings = [Self.recording(path: "/users/1"), Self.recording(path: "/users/2")]
    let deep = Self.test("a", noticing: "ANSWER STATUS FORM SHAPE VALUES", of: [2])
    let blind = Self.test("b", noticing: "ANSWER", of: [1, 2])
    for (tests, signs) in [([deep, blind], "✓✓✓✓✓"), ([blind], "✓✗✗✗✗")] {
      let report = try Self.report(recordings, tests)
      expectEqual(report.endpoints.map { "\($0.name) \($0.signs)" }, ["GET /users/{id} \(signs)"])
    }
  }

  /// A result under one fault; the signs, the lines below the table and the verdict.
  @Test func `each result is kept apart, and only a failed test is a tick`() throws {
    for row in try DataFiles.rows("mutate-results.json", count: 8) {
      let run: JSON = ["event": "end", "test": "a", "recording": 1, "mutant": "reset"]
      var result: MutantResult?
      let line = run.adding(row[0].members).bytes()
      if row[0] != .null, case .end(_, let ended) = try MutationEvent(line: line) { result = ended }
      let plan = MutationPlan(operators: ["reset"])
      let report = try Self.report([Self.recording()], [PlayedTest { _ in result }], plan: plan)
      let lines = report.text().split(separator: "\n").dropFirst(4).dropLast()
        .filter { !$0.hasPrefix("again: ") }.joined(separator: "|")
      let cells = [report.endpoints[0].signs, lines, "\(report.verdict)"]
      expectEqual(cells, row.compactMap(\.stringValue))
    }
  }

  private static let shop = [
    recording(), recording(path: "/users/7"), recording("POST", path: "/telemetry"),
    recording(path: "/config"), recording(path: "/feed"),
  ]

  private static var played: [PlayedTest] {
    var left = test("UserTests.name", noticing: "ANSWER STATUS FORM SHAPE extra", of: [2])
    left.after = "red"
    let feed = PlayedTest(name: "FeedTests.waits", recordings: [5]) { mutant in
      switch mutant.operator.name {
      case "reset": .survived(asked: 3, plainAsked: 1)
      case "stall": .hung
      case "cut": .crashed
      case "hollow": .noRoom(reason: "the body is already empty JSON")
      case "values": nil
      default: .notReached
      }
    }
    var (red, unsteady) = (test("a", noticing: ""), test("b", noticing: ""))
    (red.plain, unsteady.plain) = ("red", "unsteady")
    return [
      test("OrderTests.ordersAreThere", noticing: ""), left,
      test("TelemetryTests.sent", noticing: "", of: [3]),
      test("ConfigTests.dark", noticing: "VALUES slow", of: [4]), feed, red, unsteady,
    ]
  }

  @Test func `the text of a suite fits on a screen`() throws {
    let text = try Self.report(Self.shop, Self.played).text()
    expectEqual(text, TestData.text("mutated-suite.txt"))
    let many = (0..<60).map {
      Self.recording(path: "/a\($0)/" + String(repeating: "long", count: 30))
    }
    let all = Self.played + [Self.test(noticing: "", of: Array(6...65))]
    let lines = try Self.report(Self.shop + many, all).text()
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    expectEqual(lines.count, 25)
    for line in lines where !line.hasPrefix("again: ") { #expect(line.count <= 100, "\(line)") }
  }

  @Test func `an endpoint folds what names one thing among many, and has an origin if two do`()
    throws
  {
    for cells in try DataFiles.rows("mutate-endpoints.json", count: 11) {
      let recording = Self.recording(path: cells[0].stringValue ?? "")
      let report = try Self.report([recording], [Self.test(noticing: "")])
      let endpoint = report.endpoints.first?.name ?? ""
      expectEqual(endpoint, "GET \(cells[1].stringValue ?? "")")
      #expect(RequestPattern(endpoint).matches(recording.request))
    }
    let other = Interaction(Request("GET", "http://b.test/orders"), .json(["a": 1]))
    let report = try Self.report([Self.recording(), other], [Self.test(noticing: "", of: [1, 2])])
    let names = ["GET http://b.test/orders", "GET https://api.example.test/orders"]
    expectEqual(report.endpoints.map(\.name).sorted(), names)
  }

  @Test func `an accepted blind spot is asked again if it changed, and told if it is needless`()
    throws
  {
    let tests = [Self.test(noticing: "ANSWER STATUS FORM")]
    let written = try Self.report([Self.recording()], tests).accepting(reason: "smoke").data()
    var file = try AcceptedSurvivors(data: written, source: "mutate.json")
    expectEqual(file.data(), written)
    expectEqual(file.all.map(\.faults), [["hollow", "lists-empty", "values"]])
    func look(_ noticed: String, _ body: String = Self.body, more: [PlayedTest] = []) throws
      -> String
    {
      let tests = [Self.test(noticing: noticed)] + more
      let report = try Self.report([Self.recording(body: body)], tests, accepted: file)
      let reasons = report.accepting(reason: "new").all.map(\.reason).joined(separator: "+")
      return "\(report.verdict) \(report.endpoints[0].signs) \(report.outdatedEntries.count) "
        + "\(report.unneededEntries.count) \(reasons)"
    }
    expectEqual(try look("ANSWER STATUS FORM"), "none ✓✓✓~~ 0 0 smoke")
    let changed = Self.body.replacing("Ada", with: "Eve")
    expectEqual(try look("ANSWER STATUS FORM", changed), "newBlindSpot ✓✓✓✗✗ 1 0 new")
    let more = [Self.test("a new test", noticing: "ANSWER STATUS")]
    expectEqual(try look("ANSWER STATUS FORM", more: more), "newBlindSpot ✓✓✓✗✗ 1 0 new")
    expectEqual(try look("ANSWER STATUS FORM SHAPE VALUES"), "none ✓✓✓✓✓ 0 1 ")
    // A run of a part decides nothing about the others.
    let part = MutationPlan(operators: ["hollow"])
    let partial = try Self.report(
      [Self.recording()],
      [Self.test(noticing: "SHAPE")],
      accepted: file,
      plan: part
    )
    let short = PlayedTest { $0.operator.name == "values" ? nil : .killed(by: .error, message: "") }
    let early = try Self.report([Self.recording()], [short], accepted: file)
    expectEqual([partial, early].map { $0.accepting(reason: "new") }, [file, file])
    let elsewhere = try Self.report(Self.shop, Array(Self.played[2...2]), accepted: file)
    #expect(elsewhere.text().contains("kept in mutate.json, but not tested: GET /orders"))
    expectEqual(elsewhere.accepting(reason: "new"), file)
    // Another blind spot of the same endpoint is new, and a level stands for its operators.
    expectEqual(try look("ANSWER STATUS"), "newBlindSpot ✓✓✗~~ 0 0 smoke+new")
    file.all[0].faults = ["form", "shape", "values"]
    expectEqual(try look("ANSWER STATUS"), "none ✓✓~~~ 0 0 smoke")
    for (text, words) in try DataFiles.refusals("accepted", count: 3) {
      let told = refusal { try AcceptedSurvivors(data: Data(text.utf8), source: "mutate.json") }
      #expect(told.contains(words), "\(told)")
    }
  }

  @Test func `a test of the same name in another suite is not accepted with it`() throws {
    func report(_ ids: [String], _ accepted: AcceptedSurvivors = .init()) throws -> MutationReport {
      let tests = ids.map { Self.test(noticing: "ANSWER STATUS FORM", id: $0) }
      return try Self.report([Self.recording()], tests, accepted: accepted)
    }
    let one = "Shop.ShopTests/orders()/ShopTests.swift:10:4"
    let file = try report([one]).accepting(reason: "smoke")
    expectEqual(file.all.map(\.tests), [["Shop.ShopTests/orders()/ShopTests.swift"]])
    expectEqual(try report([one.replacing(":10:", with: ":12:")], file).verdict, .none)
    for other in ["Shop.CartTests/orders()/ShopTests.swift:10:4", "Tests/b.py::orders"] {
      expectEqual(try report([one, other], file).verdict, .newBlindSpot)
    }
  }

  @Test func `rows show where their names differ, however long the hosts are`() throws {
    let long = String(repeating: "long-", count: 8)
    let all = ["eu.\(long)1", "eu.\(long)2", "us"].map { name in
      Interaction(Request("GET", "https://\(long).\(name).test/v1/orders"), .json(["a": 1]))
    }
    let report = try Self.report(all, [Self.test(noticing: "", of: [1, 2, 3])])
    let rows = report.text().split(separator: "\n").dropFirst(2).prefix(3).map { row in
      row.prefix { $0 != "✗" }.trimmingCharacters(in: .whitespaces)
    }
    expectEqual(rows, ["1", "2", "us"].map { "GET …\($0).test/v1/orders" })
  }

  @Test func `JSON and HTML have every run, and neither secrets nor markup of a message`() throws {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    let test = PlayedTest(name: "<b>'orders'</b>") { mutant in
      switch mutant.operator.name {
      case "reset": .killed(by: .error, message: "<i> token \(secret)")
      case "stall": .hung
      default: nil
      }
    }
    let report = try Self.report([Self.recording()], [test])
    let json = try JSON(parsing: report.jsonData(), source: "")
    let mutants = json["endpoints"]?.elements.first?["mutants"]?.elements ?? []
    expectEqual(mutants.count, Mutants(of: [Self.recording()])[1].count)
    let first = mutants.first { $0["mutant"] == "reset" }
    expectEqual(first?["runs"]?.elements.first?["by"], "error")
    let html = String(decoding: report.htmlData(), as: UTF8.self)
    for mutant in mutants { #expect(html.contains(mutant["mutant"]?.stringValue ?? "")) }
    for text in [html, String(decoding: report.jsonData(), as: UTF8.self)] {
      #expect(!text.contains(secret) && text.contains("hung") && text.contains("not tried"))
    }
    #expect(html.contains("&lt;b&gt;&#39;orders&#39;&lt;/b&gt;: killed: error: &lt;i&gt;"))
  }

  @Test func `each report counts what the budget has left untried`() throws {
    let test = PlayedTest { mutant in
      mutant.operator.name == "values" ? .killed(by: .assertion, message: "") : nil
    }
    let report = try Self.report([Self.recording(), Self.shop[1]], [test])
    let json = try JSON(parsing: report.jsonData(), source: "")
    let runs = (json["endpoints"]?.elements ?? []).flatMap { $0["mutants"]?.elements ?? [] }
      .flatMap { $0["runs"]?.elements ?? [] }
    let untried = Mutants(of: [Self.recording()])[1].count - 1
    expectEqual(runs.count { $0["result"] == "not tried" }, untried)
    let html = String(decoding: report.htmlData(), as: UTF8.self)
    expectEqual(html.ranges(of: "\(test.name): not tried").count, untried)
    expectEqual([html, report.text()].map { $0.contains("not tried \(untried)") }, [true, true])
  }

  @Test func `the schemas describe both files`() throws {
    let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    func problems(_ file: String, _ data: Data) throws -> [String] {
      let schema = try JSONSchema(contentsOf: folder.appending(path: "Cassettes/format/\(file)"))
      return schema.problems(try JSON(parsing: data, source: ""), schema.root)
    }
    let report = try Self.report(Self.shop, Self.played)
    for report in [report, try Self.report([], [])] {
      expectEqual(try problems("mutate-1.schema.json", report.jsonData()), [])
      let accepted = report.accepting(reason: "r").data()
      expectEqual(try problems("accepted-1.schema.json", accepted), [])
    }
  }
}

extension MutatedEndpoint {
  fileprivate var signs: String { Self.levels.map { column($0).rawValue }.joined() }
}
