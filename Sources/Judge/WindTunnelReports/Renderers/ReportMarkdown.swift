// The summary of a CI job: the verdict, a table, and the problems.

extension Report {
  func markdown() -> String {
    var lines = ["## \(verdict.line.escapedForMarkdown)", ""]
    lines += barMarkdown + findingLines
    lines += [
      "| scenario | stage | subject | calls | success | retries | P95 | blank | |",
      "|---|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for flown in scenarios {
      for (index, row) in flown.subjects.enumerated() {
        let metrics = row.metrics
        let cells = [
          index == 0 ? flown.name.escapedForMarkdown : "", index == 0 ? flown.stage.rawValue : "",
          index == 0 ? "**\(row.name.escapedForMarkdown)**" : row.name.escapedForMarkdown,
          "\(metrics.calls)", Figures.percent(metrics.successRate),
          metrics.retryWords, Figures.time(metrics.p95),
          Figures.percent(metrics.blankScreenRate),
          metrics.remarks.map(\.words).joined(separator: ", "),
        ]
        lines.append("| \(cells.joined(separator: " | ")) |")
      }
    }
    if let ownWordNote { lines += ["", ownWordNote.escapedForMarkdown] }
    lines +=
      gateLines + coverageLines + self.lines("Faults that were not done", notDoneOfAll)
      + self.lines("Not on the cassette", notOnCassetteOfAll) + comparisonLines
      + subjectComparisonLines + failureLines
    let facts = environment.map { "\($0.name) \($0.value)" }.joined(separator: " · ")
    lines += [
      "",
      "seed \(seed) · decisions \(decisionHash.prefix(12).asMarkdownCode) · "
        + "errors \(platformErrors.escapedForMarkdown) · "
        + facts.escapedForMarkdown, "",
    ]
    return lines.joined(separator: "\n")
  }

  /// A paragraph for each rule that was broken, with the example call.
  private var findingLines: [String] {
    findingGroups.flatMap { group -> [String] in
      let finding = group.first.finding
      let title =
        "**\(finding.severity.rawValue)** \(finding.rule.asMarkdownCode): "
        + finding.seen.escapedForMarkdown
      let steps = finding.steps.map { step in
        "    \(step.at.map(Figures.time) ?? Figures.unseen)  \(step.words.visibleInLine)"
      }
      return ["\(title) \(group.whereWords.escapedForMarkdown)", ""] + steps + [""]
        + (group.excuses + [group.fix].compactMap { $0 }).flatMap {
          [$0.escapedForMarkdown, ""]
        }
    }
  }

  private var gateLines: [String] {
    let fallen = gateJudgements.filter { $0.result.verdict != .met }
    guard !fallen.isEmpty else { return [] }
    return ["", "### Gates not met", ""]
      + fallen.map { judgement in
        let place = judgement.result.gate.location.map { " (\($0.file):\($0.line))" } ?? ""
        return "- **\(judgement.scenario.escapedForMarkdown)**: "
          + "\(judgement.result.gate.description.asMarkdownCode) "
          + "\(judgement.result.words.escapedForMarkdown)\(place.escapedForMarkdown)"
      }
  }

  /// The number of faults that were met in each scenario, with the first gaps.
  private var coverageLines: [String] {
    let rows = scenarios.compactMap { flown in
      flown.subjects.first?.coverage.flatMap { $0.gaps.isEmpty ? nil : (flown.name, $0.words) }
    }
    return lines("Faults that were not all met", rows)
  }

  private func lines(_ title: String, _ all: [(place: String, words: String)]) -> [String] {
    guard !all.isEmpty else { return [] }
    return ["", "### \(title)", ""]
      + all.map { "- **\($0.place.escapedForMarkdown)**: \($0.words.escapedForMarkdown)" }
  }

  private var comparisonLines: [String] {
    let rows = scenarios.compactMap { flown in
      flown.subjects.first?.comparison.map { (flown.name, $0) }
    }
    return rows.isEmpty ? [] : pairLines("Against the baseline", PairColumn.ofBaseline, rows)
  }

  private var subjectComparisonLines: [String] {
    comparedSubjects.flatMap { subject in
      pairLines("\(subject.name) against \(subject.other)", PairColumn.ofSubjects, subject.rows)
    }
  }

  private func pairLines(
    _ title: String,
    _ columns: [PairColumn],
    _ rows: [(scenario: String, comparison: BaselineComparison)]
  ) -> [String] {
    let heads = columns.map { " \($0.rawValue) |" }.joined()
    let places = String(repeating: "---:|", count: columns.count)
    return ["", "### \(title.escapedForMarkdown)", "", "| scenario |\(heads)", "|---|\(places)"]
      + rows.map { scenario, pair in
        "| \(scenario.escapedForMarkdown) |" + columns.map { " \($0.text(pair)) |" }.joined()
      }
  }

  private static let failuresMax = 20

  /// A line for each failing call of the judged client, up to a maximum.
  private var failureLines: [String] {
    let fallen = scenarios.flatMap { flown in
      (flown.subjects.first?.fallenCalls ?? []).map { (flown.name, $0) }
    }
    guard !fallen.isEmpty else { return [] }
    var lines = ["", "### Failing calls", ""]
    lines += fallen.prefix(Self.failuresMax).map { name, call in
      "- \("\(name)/\(call.call)".asMarkdownCode) \(call.endpoint.escapedForMarkdown): "
        + "\(call.endingWords.escapedForMarkdown), \(Figures.time(call.latency)), "
        + "\(Figures.count(call.attemptCount)) \(call.attemptCount == 1 ? "attempt" : "attempts")"
    }
    if fallen.count > Self.failuresMax {
      lines.append("- … \(fallen.count - Self.failuresMax) more")
    }
    return lines
  }

  /// The lines that GitHub Actions shows as annotations. The annotation of a gate is at the gate's
  /// line in its scenario's file.
  public var annotations: [String] {
    let allowsInconclusive = policy.allowsInconclusive
    let file = planFile.map { " file=\($0.escapedAsProperty)" } ?? ""
    let found = failingFindings.map { "::error\(file)::\("\($0)".escapedAsMessage)" }
    let strange = notOnCassette.map { words in
      "::\(allowsInconclusive ? "warning" : "error")::\(words.escapedAsMessage)"
    }
    return found + strange
      + judgements.compactMap { judgement in
        let level: String
        switch judgement.result.verdict {
        case .met: return nil
        case .failed: level = "error"
        case .warning: level = "warning"
        case .inconclusive: level = allowsInconclusive ? "warning" : "error"
        }
        let place = judgement.result.gate.location.map {
          " file=\($0.file.escapedAsProperty),line=\($0.line)"
        }
        return "::\(level)\(place ?? "")::\("\(judgement)".escapedAsMessage)"
      }
  }
}

extension Metrics {
  /// The numbers of crashes, hangs, requests that are not on the cassette, failed actions and
  /// earlier copies as text, and whether they are bad. Empty if there are none.
  var remarks: [(words: String, isBad: Bool)] {
    let counts = [
      (crashes, "crashed", true), (hangs, "hung", true),
      (notOnCassette, "not on the cassette", true),
      (failedActions ?? 0, failedActions == 1 ? "failed action" : "failed actions", false),
      (staleServed ?? 0, "stale", false),
    ]
    return counts.filter { $0.0 > 0 }.map { ("\($0) \($1)", $2) }
  }

  /// The retries per call, with a star if only the client reports them.
  var retryWords: String {
    let words = Figures.decimal(averageRetries)
    return hasOwnWord ? words + "*" : words
  }
}

extension StringProtocol {
  /// The text as a code span, unless a character in it would end the span. Markdown has no escapes
  /// in code spans.
  fileprivate var asMarkdownCode: String {
    let shown = String(self).visibleInLine
    let isPlain = !contains(where: \.isNewline) && !shown.contains { $0 == "`" || $0 == "<" }
    return isPlain ? "`\(shown)`" : String(self).escapedForMarkdown
  }
}

extension String {
  /// The text in one line, escaped for Markdown and HTML. It then contains no markup, no URLs that
  /// become links, and no mentions (GitHub Flavored Markdown §6.9).
  var escapedForMarkdown: String {
    var text = ""
    for character in String(map { $0.isNewline ? " " : $0 }).visibleInLine.escapedForHTML {
      if "\\`*_[]|#~$".contains(character) {
        // A hash sign of a character reference is not a heading.
        text += character == "#" && text.hasSuffix("&") ? "#" : "\\\(character)"
      } else {
        text.append(character)
      }
    }
    return text.replacing("@", with: "&#64;").replacing("://", with: "&#58;//")
      .replacing("www.", with: "www&#46;")
  }

  /// The text escaped for the message of a workflow command, in which a line end would begin
  /// another command.
  fileprivate var escapedAsMessage: String { visibleInLine.replacing("%", with: "%25") }

  fileprivate var escapedAsProperty: String {
    escapedAsMessage.replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
