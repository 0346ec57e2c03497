internal import Foundation

/// The verdict on a drill. The exit code and every format of a report are derived from it.
public struct DrillVerdict: Sendable, Hashable {
  /// The outcomes of a drill.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// No gate failed, and no finding is severe enough to fail the drill.
    case passed
    /// A gate failed, or the client broke a rule.
    case failed
    /// A process of the client crashed.
    case crashed
    /// A call of the client did not end.
    case hung
    /// Nothing failed, but something that was required could not be judged.
    case inconclusive
    /// A signal stopped the drill before its end.
    case interrupted
  }

  /// The outcome of the drill.
  public let outcome: Outcome
  /// The exit code of a program that ends with this verdict.
  public let exitCode: Int
  /// The number of errors that the baseline also has.
  public let knownErrors: Int
  /// The rules of the warnings that do not fail the drill.
  let warnings: [String]
  /// The details of the outcome; empty if there are none.
  let details: String

  /// The last line of the terminal, such as `FAILED (99): 1 error, 2 warnings`.
  public var line: String {
    let rest = details.isEmpty ? "" : (outcome == .passed ? ", " : ": ") + details
    return outcome == .passed
      ? "passed\(rest)" : "\(outcome.rawValue.uppercased()) (\(exitCode))\(rest)"
  }

  /// The rank of the outcome among the clients of a run.
  fileprivate var rank: Int {
    let ranks: [Outcome] = [.passed, .inconclusive, .failed, .hung, .crashed, .interrupted]
    return ranks.firstIndex(of: outcome) ?? 0
  }

  /// The style of the verdict on a page: the outcome, or `known` if only known errors remain.
  var style: String { outcome == .passed && knownErrors > 0 ? "known" : outcome.rawValue }

  /// The advice for a release, in one sentence.
  package var advice: String {
    switch outcome {
    case .passed where knownErrors > 0: "Ship only if the known errors are accepted."
    case .passed where !warnings.isEmpty:
      "Ship only if the warnings are accepted: \(warnings.joined(separator: ", "))."
    case .passed: "Ship: no required condition failed."
    case .failed, .crashed, .hung: "Do not ship."
    case .inconclusive, .interrupted: "Do not ship yet: this run does not prove enough."
    }
  }

  /// The verdict as a JSON object: `outcome`, `exitCode`, `line`.
  var json: JSON {
    ["outcome": .text(outcome.rawValue), "exitCode": .number(exitCode), "line": .text(line)]
  }
}

extension Report {
  /// The verdict by the gates, the findings and the ``policy``. If several clients are judged, it
  /// is the worst one.
  public var verdict: DrillVerdict { decisive.ownVerdict }

  /// The report of the client with the worst verdict. If there are several, it is the first of
  /// them.
  package var decisive: Report {
    let others = judgedReports.dropFirst().map { ($0, $0.ownVerdict.rank) }
    return others.reduce((self, ownVerdict.rank)) { $0.1 >= $1.1 ? $0 : $1 }.0
  }

  /// The name of the fact that marks the report of a further judged client.
  private static let judgedBeside = "judgedBeside"

  /// The name of the fact about the clients that are judged beside the first one.
  package static let alsoJudged = "alsoJudged"

  /// This report, followed by one report for each further judged client, with that client first.
  var judgedReports: [Report] {
    let names = fact(Self.alsoJudged)?.components(separatedBy: ", ") ?? []
    return [self] + names.map { judging($0) }.filter { !$0.scenarios.isEmpty }
  }

  /// The name of the judged client.
  var judgedName: String? { scenarios.lazy.compactMap(\.subjects.first?.name).first }

  /// Returns this report with another client judged.
  private func judging(_ name: String) -> Report {
    var report = self
    report.setFact(Self.alsoJudged, nil)
    report.setFact(Self.judgedBeside, name)
    report.scenarios = scenarios.compactMap { flown in
      // An interrupted run may lack the client in its last scenario.
      let rows = flown.subjects.filter { $0.name == name }
      guard !rows.isEmpty else { return nil }
      return flown.with(rows + flown.subjects.filter { $0.name != name })
    }
    report.gates = report.results(of: gates.map(\.gate))
    return report
  }

  private var ownVerdict: DrillVerdict {
    func ended(_ outcome: DrillVerdict.Outcome, _ code: Int, _ details: [String]) -> DrillVerdict {
      DrillVerdict(
        outcome: outcome,
        exitCode: code,
        knownErrors: knownErrors.count,
        warnings: findings.filter { !$0.isKnown && $0.finding.severity == .warning }.byRule
          .compactMap { $0.first?.finding.rule },
        details: (fact(Self.judgedBeside).map { "\($0): " } ?? "") + details.joined(separator: ", ")
      )
    }
    let (gates, bars) = (gateJudgements, barJudgements)
    let (ofGates, ofBars) = (gates.count(where: \.isFailed), bars.count(where: \.isFailed))
    let failed = ofGates + ofBars
    let missed =
      (ofGates == 0 ? [] : ["\(ofGates) of \(gates.count.counted("gate")) not met"])
      + (ofBars == 0 ? [] : ["\(ofBars) of \(bars.count.counted("bar")) not met"])
    let found = findings.isEmpty ? [] : [findings.words]
    // The figures of a part prove nothing about the rest.
    if let interruptedWords {
      let signal = fact(Self.signal).flatMap { Int($0) } ?? 2
      return ended(.interrupted, 128 + signal, [interruptedWords] + found + missed)
    }
    for (rule, outcome) in [(FindingRule.crashes, DrillVerdict.Outcome.crashed), (.hangs, .hung)] {
      let falls = findings.filter { $0.finding.rule == rule.id && $0.isError }
      let calls = falls.reduce(0) { $0 + $1.finding.calls }
      if calls > 0 { return ended(outcome, 97, [calls.counted("call")] + missed) }
    }
    if failed > 0 || !failingFindings.isEmpty { return ended(.failed, 99, found + missed) }
    if let reason = policy.allowsInconclusive ? nil : unjudged.first {
      let rest = unjudged.count - 1
      return ended(.inconclusive, 98, [reason] + (rest > 0 ? ["and \(rest) more"] : []))
    }
    return ended(.passed, 0, passedDetails(gates + bars))
  }

  private func passedDetails(_ gates: [Judgement]) -> [String] {
    let isHeld = policy.failingFindings != nil && ruleCounts.kept + ruleCounts.broken > 0
    if gates.isEmpty, !isHeld { return ["without gates or rules"] }
    let known = knownErrors.byRule.count
    let file = fact(Self.baselineFile).map { " (\($0))" } ?? ""
    let others = findings.filter { !$0.isKnown || $0.finding.severity != .error }
    return (known == 0 ? [] : ["\(known.counted("known error"))\(file)"])
      + (others.isEmpty ? [] : [others.words])
  }

  /// The errors that the baseline also has.
  private var knownErrors: [JudgedFinding] {
    findings.filter { $0.isKnown && $0.isError }
  }

  /// The name of the fact about the baseline's file.
  package static let baselineFile = "baselineFile"
  /// The name of the fact about the signal that stopped a drill, by its number.
  package static let signal = "signal"

  /// The reasons why a drill without failures proves too little, each as a clause.
  var unjudged: [String] {
    let gates = judgements.filter(\.result.verdict.isInconclusive)
    let missing = judgedNotOnCassette
    return gates.map(\.description)
      + (missing > 0 ? [Report.Row.notOnCassette(missing)] : [])
      + busyRules.filter { !$0.isJudgedElsewhere }.map { "machine busy, not judged: \($0.words)" }
      + [nothingSucceeded ?? sentNothing, noBarHeld].compactMap { $0 }
  }

  /// The rules that could not judge calls because the machine was busy.
  var busyRules: [(words: String, isJudgedElsewhere: Bool)] {
    let standings = scenarios.flatMap(\.rules)
    let judged = Set(
      standings.filter { if case .notMet = $0.standing { false } else { true } }.map(\.rule)
    )
    // A call that may hang or fail by itself is not excused by other calls.
    let ofEachCall = [FindingRule.hangs.id, "fails-without-fault"]
    return standings.filter { $0.starved > 0 }.grouped(by: \.rule).map { rule, all in
      let isJudged = judged.contains(rule) && !ofEachCall.contains(rule)
      return ("\(rule) (\(all.reduce(0) { $0 + $1.starved }.counted("call")))", isJudged)
    }
  }

  /// The sentence about a client without any successful call in scenarios where some can succeed;
  /// `nil` otherwise.
  private var nothingSucceeded: String? {
    // A scenario without a stated expectation may intentionally fail every call.
    let rows = scenarios.filter { [.all, .some].contains($0.scenario?.survival?.calls) }
      .compactMap(\.subjects.first)
    let calls = rows.lazy.flatMap(\.observations).filter(\.isJudged)
    guard let first = calls.first, !calls.contains(where: { $0.ending == .succeeded }) else {
      return nil
    }
    let hasCalm = scenarios.contains { $0.scenario?.hasNoFaults == true }
    let hint = hasCalm ? "" : " (try --scenario calm)"
    return "no call succeeded, first \(first.endpoint): \(first.endingWords)\(hint)"
  }

  /// The reasons for a verdict other than `passed`: findings, gates, and unjudged requirements.
  var verdictReasons: [String] {
    guard verdict.outcome != .passed else { return [] }
    let found = failingFindings.byRule.compactMap { group in
      group.first.map { "\($0.finding.rule): \($0.finding.seen)" }
    }
    let failed = judgements.filter { $0.result.verdict == .failed }.map(\.description)
    return found + failed + (policy.allowsInconclusive ? [] : unjudged)
  }
}

extension Observation {
  /// The ending as a report states it.
  var endingWords: String {
    if self.notOnCassette != nil { return "not on the cassette" }
    if wasGivenUp { return "given up" }
    return ending.reason.map { "failed: \($0)" } ?? ending.word
  }
}
