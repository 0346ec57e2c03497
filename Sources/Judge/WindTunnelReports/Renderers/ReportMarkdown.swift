// For the summary of a CI job: the verdict, a table, and what broke.

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

  /// A paragraph for each rule that was broken, with the call that shows it.
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
        let place = judgement.result.gate.place.map { " (\($0.file):\($0.line))" } ?? ""
        return "- **\(judgement.scenario.escapedForMarkdown)**: "
          + "\(judgement.result.gate.description.asMarkdownCode) "
          + "\(judgement.result.words.escapedForMarkdown)\(place.escapedForMarkdown)"
      }
  }

  /// The number of faults that were met in each scenario, with the first that were not.
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

  /// Each failing call of the judged subject is a line, as far as there is room.
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

  /// Lines that GitHub Actions shows at the place to which they point: a gate's own line in its
  /// scenario's file.
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
        let place = judgement.result.gate.place.map {
          " file=\($0.file.escapedAsProperty),line=\($0.line)"
        }
        return "::\(level)\(place ?? "")::\("\(judgement)".escapedAsMessage)"
      }
  }
}

extension Metrics {
  /// Crashes, hangs, requests that are not on the cassette, failed actions and earlier copies in
  /// words, and whether they are bad; empty if there are none.
  var remarks: [(words: String, isBad: Bool)] {
    let counts = [
      (crashes, "crashed", true), (hangs, "hung", true),
      (notOnCassette, "not on the cassette", true),
      (failedActions ?? 0, failedActions == 1 ? "failed action" : "failed actions", false),
      (staleServed ?? 0, "stale", false),
    ]
    return counts.filter { $0.0 > 0 }.map { ("\($0) \($1)", $2) }
  }

  /// The retries a call, with a star where the client alone knows of them.
  var retryWords: String {
    let words = Figures.decimal(averageRetries)
    return hasOwnWord ? words + "*" : words
  }
}

extension StringProtocol {
  /// As code, unless something in it would end that, since no escape is known there.
  fileprivate var asMarkdownCode: String {
    let shown = String(self).visibleInLine
    let isPlain = !contains(where: \.isNewline) && !shown.contains { $0 == "`" || $0 == "<" }
    return isPlain ? "`\(shown)`" : String(self).escapedForMarkdown
  }
}

extension String {
  /// Without anything that Markdown or HTML in it would take for its own, in one line: no markup,
  /// no addresses that become links by themselves, and nobody mentioned (GitHub Flavored Markdown
  /// §6.9).
  var escapedForMarkdown: String {
    var text = ""
    for character in String(map { $0.isNewline ? " " : $0 }).visibleInLine.escapedForHTML {
      if "\\`*_[]|#~$".contains(character) {
        // A reference to a character is no heading.
        text += character == "#" && text.hasSuffix("&") ? "#" : "\\\(character)"
      } else {
        text.append(character)
      }
    }
    return text.replacing("@", with: "&#64;").replacing("://", with: "&#58;//")
      .replacing("www.", with: "www&#46;")
  }

  /// As a workflow command's message must have it: a line end in it would begin another command.
  fileprivate var escapedAsMessage: String { visibleInLine.replacing("%", with: "%25") }

  fileprivate var escapedAsProperty: String {
    escapedAsMessage.replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
