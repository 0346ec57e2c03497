import TestSupport

@testable import WindTunnelReports

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct RenderersTests {
  /// A report with everything that markup could trip over.
  static func nasty() throws -> Report {
    let evil = "<script>alert(\"1\")</script> & 'x' ]]> | `a` \u{1}"
    var refused = Flights.attempt(Flights.unavailable, 5, to: 9, take: evil)
    (refused.status, refused.bytes) = (503, 0)
    var gates = try ["successRate >= 0.99", "calls >= 2", "p95 <= 3s"].map { try Gate($0) }
    gates[0].location = Gate.FileLocation(file: "scenarios/a,b:c.json", line: 12)
    return Flights.report(
      [
        Flights.call(0, start: 5),
        Flights.call(1, .failed(evil), endpoint: "GET /\(evil)", start: 9, [refused]),
        Flights.call(2, .crashed, start: 12, milliseconds: 2500, []),
      ],
      gates: gates,
      facts: [.init(evil, evil), .init("build", "release")]
    )
  }

  /// Proves a text to be well-formed XML and counts its elements.
  private final class Elements: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]
    var attributes: [[String: String]] = []

    func parser(
      _: XMLParser,
      didStartElement name: String,
      namespaceURI: String?,
      qualifiedName: String?,
      attributes: [String: String]
    ) {
      counts[name, default: 0] += 1
      self.attributes.append(attributes)
    }

    static func of(_ text: String) throws -> Elements {
      let (parser, elements) = (XMLParser(data: Data(text.utf8)), Elements())
      parser.delegate = elements
      try #require(parser.parse(), "\(String(describing: parser.parserError))")
      return elements
    }
  }

  @Test func `no name is markup in Markdown`() throws {
    var report = try Self.nasty()
    report.scenarios[0].name = "a|b <script>`c`\nd"
    let lines = report.markdown()
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(!lines.contains { $0.contains("<script") })
    // Columns are between bars that are not escaped.
    let table = lines.filter { $0.hasPrefix("|") }
    expectEqual(table.count, 3)
    for row in table {
      let bars = zip(" " + row, row).count { $1 == "|" && $0 != "\\" }
      expectEqual(bars, 10, "\(row)")
    }
    #expect(
      table[2].hasPrefix(#"| a\|b &lt;script&gt;\`c\` d | wire | **client** |"#),
      "\(table[2])"
    )
    #expect(lines.contains { $0.hasPrefix("- a\\|b &lt;script&gt;") && $0.contains("/1 GET") })
  }

  @Test func `JUnit is well-formed, and counts what it has`() throws {
    let report = try Self.nasty()
    let elements = try Elements.of(report.junit())
    // The first suite has the verdict. Four rules had an occasion, and the others have no case.
    expectEqual(
      elements.counts,
      [
        "testsuites": 1, "testsuite": 2, "properties": 1, "property": 7, "testcase": 10,
        "failure": 4, "skipped": 1,
      ]
    )
    let counts = elements.attributes.filter { $0["tests"] != nil }.map { suite in
      ["tests", "failures", "errors", "skipped"].map { suite[$0] ?? "" }.joined(separator: " ")
    }
    expectEqual(counts, ["10 4 0 1", "1 1 0 0", "9 3 0 1"])
  }

  @Test func `each call is a line of CSV, quoted where it must be`() throws {
    let lines = try Self.nasty().csv().components(separatedBy: "\r\n")
    #expect(lines.count == 5 && lines.last == "")
    expectEqual(lines[1], "rainy,wire,client,0,GET /home,true,succeeded,,true,5,,10,1,,,,,,,")
    #expect(lines[2].contains(#""<script>alert(""1"")</script> & 'x' ]]> | `a` "#))
    #expect(lines[2].contains(",status 503,503,0,"))
    let columns = lines[0].split(separator: ",", omittingEmptySubsequences: false).count
    expectEqual(lines[1].split(separator: ",", omittingEmptySubsequences: false).count, columns)
  }

  @Test func `a summary says the verdict, the gates with their places and the failing calls`()
    throws
  {
    let text = try Self.nasty().markdown()
    #expect(
      text.hasPrefix(
        "## CRASHED (97): 1 call, 1 of 3 gates not met\n\n**error** `crashes`: Its process crashed "
          + "2500 ms after the call began. In rainy, 1 of 3 calls, as call 2 (GET /home).\n\n"
      )
    )
    #expect(
      text.contains(
        "- **rainy**: `successRate >= 0.99` failed, got 0.333333 (1 of 3 calls) "
          + "(scenarios/a,b:c.json:12)"
      )
    )
    #expect(text.contains("- `rainy/2` GET /home: crashed, 2500 ms, 0 attempts\n"))
    #expect(!text.contains("<script>"))
    #expect(!text.contains("| `a`"), "a bar would end a cell, and a tick begin code")
  }

  @Test func `annotations point at the gate's own line`() throws {
    let report = try Self.nasty()
    let lines = [
      "::error::rainy: error crashes: Its process crashed 2500 ms after the call began. 1 of 3 "
        + "calls, first 2",
      "::error file=scenarios/a%2Cb%3Ac.json,line=12::rainy: successRate >= 0.99: failed, "
        + "got 0.333333 (1 of 3 calls)",
      "::error::rainy: p95 <= 3s: inconclusive, p95 needs 20 calls and has 3 (got 2500 ms)",
    ]
    expectEqual(report.annotations, lines)
    #expect(report.allowingInconclusive.annotations[2].hasPrefix("::warning::rainy: p95"))
  }

  @Test func `the verdict is the worst of what was found`() throws {
    func verdict(_ gates: [String], _ calls: [Observation], allows: Bool = false) throws -> String {
      var report = Flights.report(calls, gates: try gates.map { try Gate($0) })
      report.policy.allowsInconclusive = allows
      return report.verdict.line
    }
    let good = [Flights.call()]
    try expectEqual(verdict([], good), "passed")
    try expectEqual(verdict(["calls == 1"], good), "passed")
    let mixed = ["calls == 1", "p95 < 1s", "calls > 1"]
    try expectEqual(verdict(mixed, good), "FAILED (99): 1 of 3 gates not met")
    let two = ["calls == 1", "p95 < 1s"]
    try expectEqual(
      verdict(two, good),
      "INCONCLUSIVE (98): rainy: p95 < 1s: inconclusive, p95 needs 20 calls and has 1 (got 10 ms)"
    )
    try expectEqual(verdict(two, good, allows: true), "passed")
    try expectEqual(
      verdict(mixed, [Flights.call(0, .hung), Flights.call(1, .hung)]),
      "HUNG (97): 2 calls, 1 of 3 gates not met"
    )
  }

  @Test func `a terminal is shown colours, and a file never`() throws {
    let report = try Self.nasty()
    #expect(!report.text().contains("\u{1B}"))
    let painted = report.text(inColour: true)
    #expect(painted.contains("\u{1B}[31m1 crashed\u{1B}[0m"))
    #expect(painted.contains("gates: \u{1B}[32m1 met\u{1B}[0m, \u{1B}[31m1 failed\u{1B}[0m"))
    let plain = painted.replacing(/\u{1B}\[[0-9]*m/, with: "")
    expectEqual(plain, report.text())
  }

  @Test(arguments: [
    ("json", ReportRendering.json), ("HTML", .html), ("htm", .html), ("md", .markdown),
    ("xml", .junit), ("csv", .csv), ("sarif", .sarif), ("txt", .text),
  ]) func `a file's name asks for a form`(ending: String, rendering: ReportRendering) {
    expectEqual(ReportRendering(fileExtension: ending), rendering)
    expectNil(ReportRendering(fileExtension: "yaml"))
  }
}
