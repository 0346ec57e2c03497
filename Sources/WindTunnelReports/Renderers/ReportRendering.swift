public import Foundation

/// A format in which a report can be written.
public enum ReportRendering: String, Sendable, Hashable, CaseIterable {
  /// Text for a terminal.
  case text
  /// JSON for programs and for `windtunnel report`: the only format that can be read back.
  case json
  /// Markdown for the summary of a CI job.
  case markdown
  /// JUnit's XML, for the list of tests of a CI.
  case junit
  /// A self-contained HTML page.
  case html
  /// CSV with one line for each call.
  case csv

  /// Makes the format of a file name's extension; `nil` where there is none.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "json": self = .json
    case "md", "markdown": self = .markdown
    case "xml": self = .junit
    case "html", "htm": self = .html
    case "csv": self = .csv
    case "txt": self = .text
    default: return nil
    }
  }

  /// The extensions of file names, as an error lists them.
  public static let fileExtensions = ["json", "html", "md", "xml", "csv", "txt"]
}

extension Report {
  /// Returns the report in a format.
  ///
  /// - Parameter rendering: The format.
  /// - Returns: The bytes of a file.
  public func rendered(as rendering: ReportRendering) -> Data {
    switch rendering {
    case .text: Data(text().utf8)
    case .json: data()
    case .markdown: Data(markdown().utf8)
    case .junit: Data(junit().utf8)
    case .html: Data(html().utf8)
    case .csv: Data(csv().utf8)
    }
  }

  /// Writes the report to a file atomically, in the format of its extension: `drill.html` is a
  /// page, `drill.json` can be read by `windtunnel report`.
  ///
  /// - Parameter path: The file. A relative path starts at the process's working directory, which
  ///   is the package's for `swift test`.
  /// - Throws: `FileError` where the file cannot be written, or where its name has the extension of
  ///   no format.
  public func write(to path: String) throws(FileError) {
    let file = URL(filePath: path)
    guard let rendering = ReportRendering(fileExtension: file.pathExtension) else {
      let endings = ReportRendering.fileExtensions.map { ".\($0)" }.joined(separator: ", ")
      throw .unwritable(path, reason: "the name of a report ends in one of \(endings)")
    }
    try FileError.writing(rendered(as: rendering), to: file)
  }

  /// The verdict on a whole report.
  public enum Verdict: String, Sendable, Hashable {
    /// Every gate is met, no finding is too severe, and the judged subject neither crashed nor
    /// hung.
    case passed
    /// A gate was not met, or the judged subject broke a rule.
    case failed
    /// No gate failed, and one cannot be decided, the judged subject made a request that is not on
    /// the cassette, or the drill was interrupted.
    case inconclusive
    /// The judged subject crashed or hung.
    case fell
    /// The report has neither gates nor rules, so that there is nothing to pass.
    case unjudged
  }

  /// The worst result in the report, by its ``policy``.
  public var verdict: Verdict {
    if judgedSubjectFell { return .fell }
    let verdicts = judgements.map(\.result.verdict)
    if verdicts.contains(.failed) || !failingFindings.isEmpty { return .failed }
    let isTold =
      judgedNotOnCassette == 0 && !verdicts.contains { $0 != .met }
    // Nobody knows of what was not flown.
    if interruptedWords != nil { return .inconclusive }
    if !isTold, !policy.allowsInconclusive { return .inconclusive }
    let isHeld = policy.failingFindings != nil && ruleCounts.kept + ruleCounts.broken > 0
    return verdicts.isEmpty && !isHeld ? .unjudged : .passed
  }

  /// The verdict in a sentence: what fails it first, then the rest.
  var verdictWords: String {
    guard let interruptedWords else { return wholeVerdictWords }
    let isTold = verdict == .failed || verdict == .fell
    return "Interrupted: \(isTold ? wholeVerdictWords : "flown \(interruptedWords)")"
  }

  private var wholeVerdictWords: String {
    let all = judgements
    let failed = all.count { $0.result.verdict == .failed }
    let met = all.count { $0.result.verdict == .met }
    let rest = all.count - failed - met
    let gates = "\(all.count) \(all.count == 1 ? "gate" : "gates")"
    switch verdict {
    case .passed:
      let told = rest == 0 ? "\(gates) met" : "\(met) of \(gates) met, \(rest) not told"
      let words = (all.isEmpty ? [] : [told]) + [findingWords]
      return "Passed: \(words.joined(separator: "; "))"
    case .failed:
      let missed = failed > 0 ? ["\(failed) of \(gates) not met"] : []
      let words = (failingFindings.isEmpty ? [] : [findingWords]) + missed
      return "Failed: \(words.joined(separator: "; "))"
    case .inconclusive:
      let untold = rest > 0 ? ["\(rest) of \(gates) cannot be told"] : []
      let missed = judgedNotOnCassette
      let strange = missed > 0 ? [Report.Row.notOnCassette(missed)] : []
      return "Inconclusive: \((untold + strange).joined(separator: ", "))"
    case .fell:
      let rows = scenarios.compactMap(\.subjects.first)
      let crashes = rows.reduce(0) { $0 + $1.metrics.crashes }
      let hangs = rows.reduce(0) { $0 + $1.metrics.hangs }
      return "Fell: \(crashes) \(crashes == 1 ? "crash" : "crashes"), \(hangs) "
        + "\(hangs == 1 ? "hang" : "hangs")"
    case .unjudged: return "Flown, without gates"
    }
  }
}

extension Report {
  /// The answer to whoever has to decide about a release, in a few words.
  var shipWords: String {
    switch verdict {
    case .passed:
      "Ship: nothing that it was held against failed."
        + (failedAllTheSame.map { " Yet \($0)." } ?? "")
    case .failed, .fell: "Do not ship."
    case .inconclusive: "Do not ship yet: this drill cannot tell."
    case .unjudged: "Nothing was judged: set a gate, or let findings count."
    }
  }

  /// The number of calls that failed in a flight of one scenario where no rule forbids it; `nil`
  /// where none did.
  var failedAllTheSame: String? {
    guard scenarios.count == 1, let flown = scenarios.first, let row = flown.subjects.first,
      flown.weather?.survival?.calls != Survival.Calls.none
    else { return nil }
    let judged = row.observations.lazy.filter(\.isJudged)
    let failed = judged.count { if case .failed = $0.ending { true } else { false } }
    guard failed > 0 else { return nil }
    return "\(failed) of \(judged.count) calls failed, and one scenario cannot show every bug"
  }

  /// The reasons for a verdict that is not good: findings that fail it, gates that failed, and what
  /// cannot be told.
  var verdictReasons: [String] {
    guard verdict != .passed, verdict != .unjudged else { return [] }
    var rules: [String] = []
    for finding in failingFindings where !rules.contains(finding.finding.rule) {
      rules.append(finding.finding.rule)
    }
    let found = rules.compactMap { rule -> String? in
      guard let first = failingFindings.first(where: { $0.finding.rule == rule }) else {
        return nil
      }
      return "\(rule): \(first.finding.seen)"
    }
    let judged = judgements.filter { $0.result.verdict == .failed }
    let untold =
      policy.allowsInconclusive
      ? [] : judgements.filter { $0.result.verdict != .failed && $0.result.verdict != .met }
    return found + (judged + untold).map(\.description)
      + (policy.allowsInconclusive ? [] : notOnCassette)
  }
}

extension Report {
  /// The rules that were broken, counted by weight: `2 errors, 1 note`, or that there are none.
  var findingWords: String { findings.words }
}

extension Report.Row {
  /// The calls that failed, crashed or hung, in their order.
  package var fallenCalls: [Observation] {
    observations.filter { $0.ending != .succeeded && $0.isJudged }
  }
}

extension Observation {
  /// The way it ended, in a report's words.
  var endingWords: String {
    switch ending {
    case _ where notOnCassette != nil: "not on the cassette"
    case .succeeded where wasGivenUp, .failed where wasGivenUp: "given up"
    case .succeeded: "succeeded"
    case .failed(let reason): "failed: \(reason)"
    case .crashed: "crashed"
    case .hung: "hung"
    }
  }
}
