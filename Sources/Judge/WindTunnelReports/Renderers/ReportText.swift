extension Report {
  /// Returns the report as text for a terminal. Its last line is the verdict's.
  ///
  /// - Parameter inColour: Whether the text is coloured for a terminal.
  /// - Returns: The table of all scenarios with an introduction, the findings and the gates.
  public func text(inColour: Bool = false) -> String { text(TextForm(inColour: inColour)) }

  /// Returns the report as text in a given form.
  package func text(_ form: TextForm) -> String {
    var form = form
    form.reportFile = fact(Self.reportFile) ?? FindingGroup.unknownFile
    let title = "seed \(seed), decisions \(decisionHash.prefix(12)), errors \(platformErrors)"
    let judged = judgedReports
    let found = judged.flatMap { report -> [String] in
      var own = form
      if let name = report.judgedName, name != judgedName { own.subject = name }
      return FindingGroup.lines(
        report.findingGroups,
        report.findings.words,
        report.ruleCounts,
        own,
        of: judged.count > 1 ? report.judgedName : nil
      )
    }
    let lines =
      ([title] + warnings).map(\.visibleInLine) + [""] + barLines(form) + table(form)
      + (comparisons + subjectComparisons).map(\.visibleInLine) + found + failingLine(form)
      + judged.flatMap { $0.gateLines(form, of: judged.count > 1 ? $0.judgedName : nil) }
      + busyLines + (form.next.map { ["", "next: \($0)"] } ?? [])
    let verdict = verdict
    let colour: Colour =
      switch verdict.style {
      case "passed": .green
      case "known", "inconclusive", "interrupted": .yellow
      default: .red
      }
    let last = colour.paint(verdict.line.visibleInLine, form.inColour)
    return (lines + ["", last]).joined(separator: "\n") + "\n"
  }

  /// Returns the number of failed calls with the first one, if no finding has an example call.
  private func failingLine(_ form: TextForm) -> [String] {
    let flown = scenarios.filter { $0.scenario?.survival?.calls != Survival.Calls.none }
    let calls = flown.compactMap(\.subjects.first).flatMap(\.observations).filter(\.isJudged)
    let failed = calls.count { $0.ending != .succeeded }
    guard findings.isEmpty,
      let (name, first) = flown.lazy.compactMap({ flown in
        flown.subjects.first?.fallenCalls.first.map { (flown.name, $0) }
      }).first
    else { return [] }
    let place = "\(name)/\(Observation.word(of: first.endpoint))/\(first.call)"
    return [
      "", "\(failed) of \(calls.count) calls failed, first: \(form.again(place).visibleInLine)",
    ]
  }

  /// The rules that did not judge calls on a busy machine, in one line.
  private var busyLines: [String] {
    let rules = busyRules.map(\.words)
    return rules.isEmpty ? [] : ["", "not judged, machine busy: \(rules.joined(separator: ", "))"]
  }

  /// Returns the lines of the table. The short form begins with the scenarios that have findings.
  private func table(_ form: TextForm) -> [String] {
    let hasStages = Set(scenarios.map(\.stage)).count > 1
    let isExpected = scenarios.contains { $0.scenario?.survival != nil }
    let heads =
      ["scenario"] + (hasStages ? ["stage"] : []) + ["subject", "calls", "success"]
      + (isExpected ? ["expected"] : []) + ["retries", "P95", "blank", ""]
    var rows: [[String]] = []
    for flown in form.isShort ? scenarios.sorted(by: { $0.worth > $1.worth }) : scenarios {
      guard !form.isShort || rows.count + flown.subjects.count <= TextForm.rowsMax else { break }
      for (index, row) in flown.subjects.enumerated() {
        let (metrics, isFirst) = (row.metrics, index == 0)
        let isUnexpected = flown.isUnexpected(metrics)
        let remarks = metrics.remarks + (isUnexpected ? [("unexpected", true)] : [])
        var cells = [isFirst ? flown.name.visibleInLine : ""]
        if hasStages { cells.append(isFirst ? flown.stage.rawValue : "") }
        cells += [
          row.name.visibleInLine, String(metrics.calls), Figures.percent(metrics.successRate),
        ]
        if isExpected { cells.append(flown.scenario?.survival?.calls.rawValue ?? "") }
        cells += [
          metrics.retryWords, Figures.time(metrics.p95), Figures.percent(metrics.blankScreenRate),
          remarks.map { Colour.red.paint($0.words, form.inColour && $0.isBad) }
            .joined(separator: ", "),
        ]
        rows.append(cells)
      }
    }
    let lines = Figures.lines([heads] + rows, leftColumns: hasStages ? 3 : 2)
    let rest = scenarios.reduce(0) { $0 + $1.subjects.count } - rows.count
    return lines + (rest > 0 ? ["and \(rest) more rows: --all shows them"] : [])
  }

  /// The delay of a call's start from which its latency is affected.
  private static let lateness = Duration.milliseconds(50)

  /// Returns the number of gates that were met, and a line for each other gate.
  private func gateLines(_ form: TextForm, of subject: String?) -> [String] {
    let all = gateJudgements
    guard !all.isEmpty else { return [] }
    let fallen = all.filter { $0.result.verdict != .met }
    let failed = fallen.count { $0.result.verdict == .failed }
    let warned = fallen.count { !$0.result.verdict.isInconclusive } - failed
    let counts: [(Int, String, Colour)] = [
      (all.count - fallen.count, "met", .green), (failed, "failed", .red),
      (fallen.count { $0.result.verdict.isInconclusive }, "inconclusive", .yellow),
      (warned, warned == 1 ? "warning" : "warnings", .yellow),
    ]
    let words = counts.filter { $0.0 > 0 }.map { $2.paint("\($0) \($1)", form.inColour) }
    let name = subject.map { " of \($0.visibleInLine)" } ?? ""
    return ["", "gates\(name): \(words.joined(separator: ", "))"]
      + fallen.map { judgement in
        let colour: Colour = judgement.result.verdict == .failed ? .red : .yellow
        return "  \(colour.paint("\(judgement)".visibleInLine, form.inColour))"
      }
  }

  /// The comparison with an earlier report, one line per scenario.
  private var comparisons: [String] {
    let lines = scenarios.compactMap { flown -> String? in
      guard let row = flown.subjects.first, let pair = row.comparison else { return nil }
      var words =
        pair.hasOtherLatencies
        ? ["latencies not comparable"] : ["P95 × \(Figures.ratio(pair.p95Ratio))"]
      if pair.medianRatio != nil { words.append("median × \(Figures.ratio(pair.medianRatio))") }
      if let flips = pair.flips { words.append("\(flips.lost) lost, \(flips.won) won") }
      if pair.pairs == 0 { words.append("no call can be paired") }
      if pair.isSlower { words.append("slower") }
      if pair.isFaster { words.append("faster") }
      return "  \(flown.name): \(words.joined(separator: "; "))"
    }
    return lines.isEmpty ? [] : ["", "against the baseline:"] + lines
  }

  /// The comparison of the other clients with the judged one, one line per scenario.
  private var subjectComparisons: [String] {
    comparedSubjects.flatMap { subject in
      ["", "\(subject.name) against \(subject.other), call by call:"]
        + subject.rows.map { scenario, comparison in
          let pair = SubjectComparison(with: subject.other, comparison)
          return "  \(scenario): \(pair.words.joined(separator: "; "))"
        }
    }
  }

  /// The meaning of the star after a figure; `nil` if no figure has one.
  var ownWordNote: String? {
    scenarios.flatMap(\.subjects).contains { $0.metrics.hasOwnWord }
      ? "* reported by the client: its attempts could not be observed" : nil
  }

  /// The warnings that a reader needs before reading a latency.
  var warnings: [String] {
    let isDebug = environment.contains(Fact("build", "debug"))
    let (rows, load) = (scenarios.flatMap(\.subjects), fact("load"))
    let delay = rows.compactMap(\.metrics.startDelayP99).max() ?? .zero
    let starts = rows.compactMap(\.starts).filter(\.isBeyond).min { $0.possible < $1.possible }
    let aboutRun = [
      interruptedWords.map { "interrupted \($0): the figures cover only these" },
      isDebug
        ? "debug build: the harness is part of each latency; use a release build for figures"
        : nil,
      environment.contains(.sharedProcess)
        ? "the clients ran in this process: a crash would have ended the run" : nil,
      nothingJudged, nothingShown, defaultScreens, withoutBars,
    ]
    let aboutScenarios =
      notOnCassetteOfAll.map { "\($0.place): \($0.words); not counted in any rate" }
      + notDoneOfAll.map { "\($0.place): \($0.words)" }
    let aboutFigures = [
      beyondAddress, fact("notRun").map { "not run: \($0)" },
      fact("notCalled").map { "not called: \($0)" }, fact("notJudged").map { "not judged: \($0)" },
      fact("shard").map { "only shard \($0); windtunnel report merges all shards" },
      load.flatMap { load in
        load.hasPrefix("closed loop")
          ? "\(load): a slow client receives fewer calls, which improves its percentiles" : nil
      },
      fact(Report.baselineLoad).flatMap { other in
        load.map {
          "the baseline ran with another load (\(other), not \($0)): latencies are not comparable"
        }
      },
      delay >= Self.lateness ? "this machine began calls up to \(Figures.time(delay)) late" : nil,
      starts.map { "latencies may be due to the machine: \($0.reason)" }, ownWordNote,
      rows.contains { !$0.metrics.latency.isExact }
        ? "percentiles of more than a million calls are within 0.1 %" : nil,
    ]
    return (aboutRun + aboutScenarios + aboutFigures).compactMap { $0 }
  }
}

/// The form of a report on a terminal.
package struct TextForm: Sendable {
  /// Whether the text is coloured.
  package var inColour = false
  /// Whether only the most important rows and findings are shown in full.
  package var isShort = false
  /// The program that repeats a call, with its command.
  package var program = "windtunnel drill"
  /// The report's file, which is set when the text is created.
  fileprivate var reportFile = FindingGroup.unknownFile
  /// The client of the calls, if it is not the report's first. It is set when the text is created.
  fileprivate var subject: String?
  /// The command to run next; `nil` if there is none.
  package var next: String?

  /// The maximum number of rows of the table, unless `--all` asks for all of them.
  static let rowsMax = 20
  /// The maximum number of findings that the short form shows with their evidence.
  static let findingsMax = 3

  /// Returns a text in red if it is bad and the form has colours.
  func red(_ text: String, _ isBad: Bool) -> String { Colour.red.paint(text, inColour && isBad) }

  /// Returns the command that repeats a call, given the call's identifier in the report.
  func again(_ place: String) -> String {
    let words = ["--again", "\(reportFile)#\(place)"] + (subject.map { ["--subject", $0] } ?? [])
    return ([program] + words.map(\.asShellWord)).joined(separator: " ")
  }

  /// Creates the full form.
  package init(inColour: Bool = false) { self.inColour = inColour }
}

extension Report.ScenarioResult {
  /// Returns whether a client's success rate contradicts the rate that the scenario allows a good
  /// client.
  fileprivate func isUnexpected(_ metrics: Metrics) -> Bool {
    guard let calls = scenario?.survival?.calls, let rate = metrics.successRate else {
      return false
    }
    switch calls {
    case .all: return rate < 1
    // Which calls succeed is random.
    case .some: return false
    case .none: return rate > 0
    }
  }

  /// The rank of the scenario for a reader: findings first, then unexpected rates.
  fileprivate var worth: Int {
    let severities = findings.filter { $0.allowance == nil }.map(\.finding.severity)
    if severities.contains(.error) { return 3 }
    if severities.contains(.warning) { return 2 }
    return subjects.contains { isUnexpected($0.metrics) } ? 1 : 0
  }
}

extension FindingGroup {
  /// Returns the lines for a terminal about every finding; empty if no rule judged a call.
  static func lines(
    _ groups: [FindingGroup],
    _ words: String,
    _ counts: (broken: Int, kept: Int, notMet: Int),
    _ form: TextForm,
    of subject: String? = nil
  ) -> [String] {
    guard counts.broken + counts.kept > 0 else { return [] }
    let found = groups.isEmpty ? "none" : words
    let name = subject.map { " of \($0.visibleInLine)" } ?? ""
    let rules = "\(counts.kept) rules kept, \(counts.notMet) not applicable"
    let head = "findings\(name): \(found); \(rules)"
    let full = form.isShort ? groups.prefix(TextForm.findingsMax) : groups[...]
    let rest = groups.dropFirst(full.count)
    return ["", head] + full.flatMap { $0.lines(form) } + (rest.isEmpty ? [] : [""])
      + rest.flatMap { $0.shortLines }
      + (rest.isEmpty ? [] : ["  --all prints the evidence."])
  }

  private var shortLines: [String] {
    let finding = first.finding
    let words = "\(finding.severity.rawValue) \(finding.rule) in \(first.scenario): \(finding.seen)"
    return words.visibleInLine.wrapped(at: 76).enumerated().map {
      $0 == 0 ? "  \($1)" : "    \($1)"
    }
  }

  /// Returns the lines for a terminal, 80 columns wide if no word is longer.
  fileprivate func lines(_ form: TextForm) -> [String] {
    let finding = first.finding
    let colour: Colour = finding.severity == .error ? .red : .yellow
    let isColoured = form.inColour && finding.severity != .note
    let steps = finding.steps.map { step -> String in
      let time = step.at.map(Figures.time) ?? ""
      let pad = String(repeating: " ", count: max(0, 12 - time.count))
      return "\(pad)\(time)  \(step.words.visibleInLine)"
    }
    let words = ["\(finding.seen) \(whereWords)"] + excuses
    return ["", "  \(colour.paint(finding.severity.rawValue, isColoured)) \(finding.rule)"]
      + words.flatMap { $0.visibleInLine.wrapped(at: 76).map { "    \($0)" } }
      + steps + (again.map { ["    again: \(form.again($0).visibleInLine)"] } ?? [])
      + (fix.map { $0.wrapped(at: 76).map { "    \($0)" } } ?? [])
  }
}

extension String {
  /// Returns the text in lines with a maximum number of characters, unless a word is longer.
  fileprivate func wrapped(at width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? "\(word)" : " \(word)"
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

/// The colours of a terminal (ECMA-48 §8.3.117).
private enum Colour: Int {
  case red = 31
  case green = 32
  case yellow = 33

  func paint(_ text: String, _ isOn: Bool) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
