/// A check before a commit. It reports the location of a secret, and never the secret itself.
enum CassetteLintCommand: Command {
  static let name = "cassette lint"
  static let summary = "Find secrets in cassettes, and recordings that are too old; exit 1 if any."
  static let synopsis =
    "FILE … | --git REF [PATH…] | --rules [--explain] [--json | --sarif] …"
  static let example = "windtunnel cassette lint --git main Cassettes"
  static let operandsMax = 10_000
  static let flags = [
    Flag("--git", "REF", "Check only additions and changes since a commit or a branch."),
    Flag("--explain", nil, "Give the reason for each finding and for each replacement."),
    Flag("--rules", nil, "Print the rules for secrets as a Markdown table; no file is read."),
    Flag("--max-age", "DAYS", "Find recordings older than this, if record --dates stored the day."),
    Flag("--undated", nil, "Find recordings without a date, too."),
    Flag("--json", nil, "Print the findings as JSON."),
    Flag("--sarif")
      .help("Print the secrets as SARIF 2.1.0, which code hosts show at the line."),
    Flag("--redact", "NAME", "One more name of a secret, or a place in JSON such as $.user.code."),
    Flag(RedactionFlags.keep, "NAME", "A name, or a place in JSON, whose values are not secrets."),
    Flag("--personal-data", nil, "Find e-mail addresses, telephone numbers and names, too."),
  ]

  /// The findings on one cassette.
  private struct Findings {
    let path: String
    let lint: CassetteLint
    /// The secrets that are not reported because they are kept.
    let kept: [CassetteLeak]
    let review: CassetteReview
    /// Remarks about surprises for a client, other than secrets.
    let remarks: [String]
    let old: [(number: Int, date: String)]
    let undated: [Int]

    init(
      _ path: String,
      _ cassette: Cassette,
      since earlier: Cassette,
      _ rules: RedactionRules,
      days: Int?
    ) {
      self.path = path
      let lint = CassetteLint(cassette, since: earlier, rules: rules)
      var strict = rules
      strict.keep = []
      let all =
        rules.keep.isEmpty ? [] : CassetteLint(cassette, since: earlier, rules: strict).leaks
      let found = Set(lint.leaks)
      kept = all.filter { !found.contains($0) }
      self.lint = lint
      (review, remarks) = (CassetteReview(cassette), cassette.remarks)
      let added = Set(cassette.added(since: earlier))
      let numbers = days.map { cassette.older(thanDays: $0, at: Date()).0 } ?? []
      old = numbers.filter(added.contains).map { number in
        (number, cassette.interactions[number - 1].recordedAt ?? "")
      }
      let undated = Set(cassette.numbersWithoutDate)
      self.undated = cassette.added(since: earlier).filter { undated.contains($0) }
    }
  }

  static func run(_ arguments: Arguments) async throws -> ExitCode {
    if arguments.has("--rules") {
      return Terminal.answer(DetectionRow.table)
    }
    let rules = try RedactionRules(arguments)
    let ageMax = try arguments.days("--max-age")
    let (wantsJSON, wantsSARIF) = (arguments.has("--json"), arguments.has("--sarif"))
    if wantsJSON, wantsSARIF {
      throw CommandError.usage("--json and --sarif are two output formats; pass one of them.")
    }
    let all = try cassettes(arguments).map { path, cassette, earlier in
      Findings(path, cassette, since: earlier, rules, days: ageMax)
    }
    let wantsDates = arguments.has("--undated")
    for findings in all {
      complain(of: findings)
      if ageMax != nil, !wantsDates { complain(ofUndated: findings.undated.count, findings.path) }
      if !wantsJSON, !wantsSARIF {
        answer(findings, wantsDates, explains: arguments.has("--explain"))
      }
    }
    let leakCount = all.reduce(0) { $0 + $1.lint.leaks.count }
    let oldCount = all.reduce(0) { $0 + $1.old.count }
    let undatedCount = wantsDates ? all.reduce(0) { $0 + $1.undated.count } : 0
    if wantsJSON {
      let report: JSON = [
        "windtunnelLint": 1, "leaks": .number(leakCount), "old": .number(oldCount),
        "undated": .number(undatedCount), "files": .array(all.map { json($0, wantsDates) }),
      ]
      Terminal.answer(indented: report)
    }
    if wantsSARIF {
      Terminal.answer(indented: SARIFLog(all.map { ($0.path, $0.lint.leaks) }).json)
    }
    conclude(leakCount, oldCount, ageMax)
    if undatedCount > 0 {
      Terminal.complain(
        "\(bear(undatedCount)) no date. To record again: windtunnel record --mode rewrite --dates\n"
      )
    }
    return leakCount + oldCount + undatedCount == 0 ? .done : .found
  }

  /// Reports everything that does not affect the exit code.
  private static func complain(of findings: Findings) {
    let path = findings.path
    for line in findings.lint.unopened { Terminal.complain("\(path): not searched: \(line)\n") }
    for line in findings.remarks { Terminal.complain("\(path): \(line)\n") }
    for leak in findings.kept {
      Terminal.complain("\(path): \(leak): kept by \(RedactionFlags.keep)\n")
    }
    for number in findings.review.patterns {
      Terminal.complain(
        "\(path): #\(number) was recorded with braces, which match any path segment; "
          + "write %7B and %7D for literal braces\n"
      )
    }
    for line in findings.review.alikeLines { Terminal.complain("\(path): \(line)\n") }
  }

  private static func answer(_ findings: Findings, _ wantsDates: Bool, explains: Bool) {
    for leak in findings.lint.leaks {
      Terminal.answer(line: "\(findings.path): \(leak) [\(leak.rule)]")
      let row = DetectionRow.all.first { $0.id == leak.rule }
      if explains, let row { Terminal.answer(line: "  \(row.finds)") }
    }
    if explains {
      for line in ReviewCommand.lines(findings.review) {
        Terminal.answer(line: "\(findings.path): \(line)")
      }
    }
    for (number, date) in findings.old {
      Terminal.answer(line: "\(findings.path): #\(number) recorded \(date)")
    }
    for number in wantsDates ? findings.undated : [] {
      Terminal.answer(line: "\(findings.path): #\(number) has no date")
    }
  }

  private static func json(_ findings: Findings, _ wantsDates: Bool) -> JSON {
    [
      "file": .text(findings.path), "leaks": .array(findings.lint.leaks.map(\.json)),
      "kept": .array(findings.kept.map(\.json)),
      "replaced": .array(findings.review.placeholders.map { ReviewCommand.json($0) }),
      "alike": .array(findings.review.alike.map { .numbers($0) }),
      "old": .array(
        findings.old.map { ["interaction": .number($0.number), "recordedAt": .text($0.date)] }
      ),
      "undated": .numbers(wantsDates ? findings.undated : []),
      "unopened": .texts(findings.lint.unopened),
    ]
  }

  private static func conclude(_ leakCount: Int, _ oldCount: Int, _ ageMax: Int?) {
    let secrets = leakCount.counted("secret")
    if leakCount > 0 {
      Terminal.complain("\(secrets). Record again before you commit: Git keeps every commit.\n")
    }
    guard let ageMax, oldCount > 0 else { return }
    let found = oldCount == 1 ? "1 interaction is" : "\(oldCount) interactions are"
    Terminal.complain(
      "\(found) older than \(ageMax) days. To record again: windtunnel record --mode rewrite --dates\n"
    )
  }

  /// Returns the cassettes to check, by file name, each with its earlier state.
  private static func cassettes(
    _ arguments: Arguments
  ) throws -> [(path: String, cassette: Cassette, earlier: Cassette)] {
    guard let ref = try arguments.value("--git") else {
      _ = try arguments.operand(0, "FILE", "the cassette to check")
      return try arguments.operands.map { path in (path, try CassetteFile.read(path), Cassette()) }
    }
    let history = try GitHistory(ref)
    return try history.changed(arguments.operands).filter(\.isHere).map { file in
      // A file that was not a cassette then has no known secrets to skip.
      let earlier = try history.readable(file) ?? Cassette()
      return (file.name, try CassetteFile.read(file.url), earlier)
    }
  }

  private static func complain(ofUndated count: Int, _ path: String) {
    guard count > 0 else { return }
    Terminal.complain("\(path): \(bear(count)) no date; record --dates stores one\n")
  }

  private static func bear(_ count: Int) -> String {
    count == 1 ? "1 interaction has" : "\(count) interactions have"
  }
}

extension CassetteLeak {
  fileprivate var json: JSON {
    [
      "interaction": number == 0 ? nil : .number(number), "place": .text(place),
      "kind": .text(kind), "rule": .text(rule), "bytes": .number(bytes),
    ]
  }
}
