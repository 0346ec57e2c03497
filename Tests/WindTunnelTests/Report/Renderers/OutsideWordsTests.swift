import TestSupport

@testable import WindTunnelReports

/// Words from outside, in every place of a report that bears some, in every form.
@Suite struct OutsideWordsTests {
  /// Steers a terminal, ends a line, turns the direction of writing, calls a workflow command.
  private static let steering =
    "\u{1B}[2J\u{1B}]0;t\u{7}\r\n::error::x\t\u{9B}31m\u{202E}cba\u{2066}\u{200F}\u{61C}\u{2028}\u{7F}"

  /// Everything that is somebody else's word, as that.
  private static func report(of word: String) throws -> Report {
    var met = Flights.attempt(Flights.unavailable, 5, to: 9, take: word)
    (met.status, met.error) = (nil, word)
    var gates = try ["successRate >= 0.99", "p95 <= 3s"].map { try Gate($0) }
    gates[0].location = Gate.FileLocation(file: word, line: 12)
    var report = Flights.report(
      [Flights.call(0, .failed(word), endpoint: "GET /\(word)", start: 9, [met])],
      gates: gates,
      facts: [.init("program", word), .init("notRun", word), .init(word, word)]
    )
    report.scenarios[0].name = word
    report.scenarios[0].subjects[0].name = word
    report.platformErrors = word
    return report
  }

  @Test func `a mark behind a sign does not hide that sign from what escapes it`() throws {
    let word = "x`\u{301} |\u{301} @\u{FE0F}team \"\u{301},=1+1"
    let spelled = "x`\\u{301} |\\u{301} @\\u{FE0F}team \"\\u{301},=1+1"
    #expect(word.visibleInLine == spelled && word.visible == spelled)
    expectEqual("e\u{301}te\u{301} 1\u{FE0F}".visibleInLine, "e\u{301}te\u{301} 1\u{FE0F}")
    let report = try Self.report(of: word)
    #expect(report.csv().contains("\"\"\\u{301},=1+1"))
    let markdown = report.markdown()
    #expect(!markdown.contains("@\\u") && !markdown.unicodeScalars.contains("\u{301}"))
  }

  private static func invisible(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter {
      $0.properties.isBidiControl || $0.value == 0x2028
        || $0 != "\n"
          && $0.properties.generalCategory == .control
    }
  }

  @Test(arguments: [ReportRendering.text, .markdown, .csv, .html, .junit])
  func `what would steer a terminal is spelled in every form that people read`(
    form: ReportRendering
  ) throws {
    let text = String(
      decoding: try Self.report(of: Self.steering).rendered(as: form),
      as: UTF8.self
    )
    let own = form == .csv ? text.replacing("\r\n", with: "\n") : text
    expectEqual(Self.invisible(own), [], "\(form)")
    #expect(text.contains(#"\u{1B}"#) || text.contains(#"\\u{1B}"#), "\(form)")
    #expect(text.contains(#"\u{202E}"#) || text.contains(#"\\u{202E}"#), "\(form)")
    let lines = text.split(whereSeparator: \.isNewline)
    #expect(!lines.contains { $0.hasPrefix("::") }, "\(form): a workflow command of their own")
  }

  @Test func `a finding of SARIF spells them in its message, place and reason`() throws {
    var report = Flights.report([Flights.call(0, .crashed, endpoint: "GET /a", start: 9, [])])
    report.scenarios[0].name = Self.steering
    report.scenarios[0].allowed = [AllowedRule("crashes", because: Self.steering)]
    let text = report.sarif()
    expectEqual(Self.invisible(text), [])
    expectEqual(text.matches(of: /\\u\{1B\}/).count, 8)
  }

  @Test func `colours are ours alone`() throws {
    let painted = try Self.report(of: Self.steering).text(inColour: true)
    let plain = painted.replacing(/\u{1B}\[[0-9]*m/, with: "")
    #expect(plain != painted)
    expectEqual(Self.invisible(plain), [])
  }

  @Test func `an annotation is one command, and shows what it was given`() throws {
    for line in try Self.report(of: Self.steering).annotations {
      #expect(Self.invisible(line) == [] && !line.contains("\n"), "\(line)")
    }
  }

  @Test(arguments: [
    ("a@example.com @everyone", "a&#64;example.com &#64;everyone"),
    ("https://evil.test www.evil.test", "https&#58;//evil.test www&#46;evil.test"),
    (
      "~~gone~~ $x$ **b** _i_ [l](u) ![i](u)",
      #"\~\~gone\~\~ \$x\$ \*\*b\*\* \_i\_ \[l\](u) !\[i\](u)"#
    ),
  ])
  func `no word is Markdown's own`(word: String, written: String) throws {
    let text = try Self.report(of: word).markdown()
    #expect(text.contains("| \(written) | wire | **\(written)** |"), "\(text)")
    // In a list a scenario and a number are code, where nothing is markup.
    #expect(text.contains("- **\(written)**: `successRate >= 0.99`"), "\(text)")
    #expect(text.contains(": failed: \(written), "), "\(text)")
  }

  /// The line of CSV about the call.
  private static func line(of word: String) throws -> String {
    let lines = try report(of: word).csv().components(separatedBy: "\r\n")
    return try #require(lines.dropFirst().first)
  }

  @Test(arguments: [
    "=1+1", "+1", "+1+cmd|' /C calc'!A0", "-2+3", "-cmd", "@a", "@SUM(A1)", "＝1", "＋1", "－1", "＠a",
  ])
  func `what a spreadsheet would calculate is a text in every field`(word: String) throws {
    let line = try Self.line(of: word)
    #expect(line.hasPrefix("'\(word),wire,'\(word),0,"), "\(line)")
    #expect(line.contains(",failed,'\(word),"), "\(line)")
  }

  @Test func `a number is a number, below zero too`() throws {
    let line = try Self.line(of: "-12.5")
    #expect(line.hasPrefix("-12.5,wire,-12.5,0,"), "\(line)")
  }

  @Test func `a JSON text means what it meant`() throws {
    let json: JSON = .object([JSON.Member("a", .text(Self.steering + "é€😀"))])
    let text = String(decoding: json.fileBytes(), as: UTF8.self)
    let shown = text.visibleAsJSON
    #expect(Self.invisible(shown) == [] && shown.contains("é€😀"))
    try expectEqual(JSON(parsing: shown.utf8, source: "")["a"]?.stringValue, Self.steering + "é€😀")
  }

  @Test(arguments: ["plain", "é, 漢字, 😀‍👩", "a\tb\nc\r\nd"])
  func `what is seen stays as it is`(text: String) {
    expectEqual(text.visible, text)
    expectEqual(text.visibleAsJSON, text)
  }
}
