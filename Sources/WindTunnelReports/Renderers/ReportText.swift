extension Report {
  /// Returns the report as a table for a terminal, 80 columns wide where the names are short.
  ///
  /// - Parameter inColour: True for a terminal: verdicts are then coloured.
  /// - Returns: The table, with an introduction before and the verdicts after it.
  public func text(inColour: Bool = false) -> String {
    let heads = ["scenario", "stage", "subject", "calls", "success", "retries", "P95", "blank", ""]
    var rows: [[String]] = []
    for flown in scenarios {
      for (index, row) in flown.subjects.enumerated() {
        let metrics = row.metrics
        rows.append([
          index == 0 ? flown.name.visibleInLine : "", index == 0 ? flown.stage.rawValue : "",
          row.name.visibleInLine,
          String(metrics.calls), Figures.percent(metrics.successRate),
          metrics.retryWords, Figures.time(metrics.p95),
          Figures.percent(metrics.blankPageRate),
          metrics.remarks.map { Colour.red.paint($0.words, inColour && $0.isBad) }
            .joined(separator: ", "),
        ])
      }
    }
    let widths = heads.indices.map { column in
      ([heads] + rows).map { $0[column].count }.max() ?? 0
    }
    let lines = ([heads] + rows).map { row in
      row.indices.map { column in
        // Words stand left, figures right.
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return column < 3 || column == 8 ? row[column] + padding : padding + row[column]
      }.joined(separator: "  ").trimmingEnd
    }
    let title = "seed \(seed), decisions \(decisionHash.prefix(12)), errors \(platformErrors)"
    let known = ([title] + warnings).map(\.visibleInLine)
    let rest =
      (comparisons + subjectComparisons).map(\.visibleInLine) + found(inColour)
      + verdicts(inColour)
    return (known + [""] + lines + rest).joined(separator: "\n") + "\n"
  }

  /// Calls that begin so late make a difference to their latencies.
  private static let lateness = Duration.milliseconds(50)

  /// Returns the number of gates that were met, and a line for each that was not.
  private func verdicts(_ inColour: Bool) -> [String] {
    let all = judgements
    guard !all.isEmpty else { return [] }
    let yet = verdict == .passed ? failedAllTheSame.map { ["  yet \($0)"] } ?? [] : []
    let fallen = all.filter { $0.result.verdict != .met }
    let failed = fallen.count { $0.result.verdict == .failed }
    let counts: [(Int, String, Colour)] = [
      (all.count - fallen.count, "met", .green), (failed, "failed", .red),
      (fallen.count - failed, "inconclusive", .yellow),
    ]
    let words = counts.filter { $0.0 > 0 }.map { $2.paint("\($0) \($1)", inColour) }
    return ["", "gates: \(words.joined(separator: ", "))"] + yet
      + fallen.map { judgement in
        let colour: Colour = judgement.result.verdict == .failed ? .red : .yellow
        return "  \(colour.paint("\(judgement)".visibleInLine, inColour))"
      }
  }

  /// Returns the rules that were broken, the gravest first, each with the call that shows it.
  private func found(_ inColour: Bool) -> [String] {
    FindingGroup.lines(findingGroups, findings.words, ruleCounts, inColour)
  }

  /// The fate of the calls since an earlier report, a line a scenario.
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

  /// The subjects that are compared with the judged one, a line a scenario.
  private var subjectComparisons: [String] {
    comparedSubjects.flatMap { subject in
      ["", "\(subject.name) against \(subject.other), call by call:"]
        + subject.rows.map { scenario, comparison in
          let pair = SubjectComparison(with: subject.other, comparison)
          return "  \(scenario): \(pair.words.joined(separator: "; "))"
        }
    }
  }

  /// The meaning of the star behind some figure; `nil` where none has one.
  var ownWordNote: String? {
    scenarios.flatMap(\.subjects).contains { $0.metrics.hasOwnWord }
      ? "* reported by the client: nobody was there to see its attempts" : nil
  }

  /// The sentences that a reader has to know before reading a latency.
  var warnings: [String] {
    var warnings: [String] = []
    if let interruptedWords {
      warnings.append("interrupted \(interruptedWords): the figures are of these alone")
    }
    if environment.contains(Fact("build", "debug")) {
      warnings.append(
        "debug build: part of each latency is the harness's own; for figures use a release build"
      )
    }
    if environment.contains(.sharedProcess) {
      warnings.append("flown in the test's own process: a crash would have ended the test")
    }
    warnings += [nothingJudged, nothingShown].compactMap { $0 }
    warnings += notOnCassetteOfAll.map { "\($0.place): \($0.words); they are in no rate" }
    warnings += notDoneOfAll.map { "\($0.place): \($0.words)" }
    if let beyondAddress { warnings.append(beyondAddress) }
    if let reason = fact("notFlown") { warnings.append("not flown: \(reason)") }
    if let what = fact("notJudged") { warnings.append("not judged: \(what)") }
    if let shard = fact("shard") {
      warnings.append("shard \(shard) alone; windtunnel report merges all of them")
    }
    let load = fact("load")
    if let load, load.hasPrefix("closed loop") {
      warnings.append(
        "\(load): who is slow is asked less often, so percentiles flatter a slow client"
      )
    }
    if let other = fact(Report.baselineLoad), let load {
      warnings.append(
        "the baseline flew another load (\(other), not \(load)): latencies of the two do not compare"
      )
    }
    let rows = scenarios.flatMap(\.subjects)
    if let late = rows.compactMap(\.metrics.startDelayP99).max(), late >= Self.lateness {
      warnings.append("this machine began calls up to \(Figures.time(late)) late")
    }
    if let starts = rows.compactMap(\.starts).filter(\.isBeyond).min(by: {
      $0.possible < $1.possible
    }) {
      warnings.append("latencies may be the machine's: \(starts.reason)")
    }
    if let ownWordNote { warnings.append(ownWordNote) }
    if rows.contains(where: { !$0.metrics.latency.isExact }) {
      warnings.append("percentiles of more than a million calls are within 0.1 %")
    }
    return warnings
  }
}

extension FindingGroup {
  /// The lines of a terminal about every finding; none where no rule was judged.
  static func lines(
    _ groups: [FindingGroup],
    _ words: String,
    _ counts: (broken: Int, kept: Int, notMet: Int),
    _ inColour: Bool
  ) -> [String] {
    guard counts.broken + counts.kept > 0 else { return [] }
    let found = groups.isEmpty ? "none" : words
    let head =
      "findings: \(found); \(counts.kept) rules kept, \(counts.notMet) without an occasion"
    let hint = groups.contains { $0.again != nil } ? ["", Self.againHint] : []
    return ["", head] + groups.flatMap { $0.lines(inColour) } + hint
  }

  private static let againHint = "  REPORT.json is the file that --report FILE.json writes."

  /// The lines of a terminal, 80 columns wide where no word is longer.
  fileprivate func lines(_ inColour: Bool) -> [String] {
    let finding = first.finding
    let colour: Colour = finding.severity == .error ? .red : .yellow
    let head = "\(colour.paint(finding.severity.rawValue, inColour && finding.severity != .note)) "
    let steps = finding.steps.map { step -> String in
      let time = step.at.map(Figures.time) ?? ""
      let pad = String(repeating: " ", count: max(0, 12 - time.count))
      return "\(pad)\(time)  \(step.words.visibleInLine)"
    }
    let words = ["\(finding.seen) \(whereWords)"] + excuses
    return ["", "  \(head)\(finding.rule)"]
      + words.flatMap { $0.visibleInLine.wrapped(at: 76).map { "    \($0)" } }
      + steps + (again.map { ["    again: --again REPORT.json#\($0.visibleInLine)"] } ?? [])
      + (remedy.map { $0.wrapped(at: 76).map { "    \($0)" } } ?? [])
  }
}

extension String {
  /// Returns the text in lines of at most so many characters, where no word is longer.
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

extension String {
  fileprivate var trimmingEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
