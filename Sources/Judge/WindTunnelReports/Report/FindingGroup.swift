/// The findings of one rule in all scenarios: one finding with its evidence, and the other
/// scenarios.
struct FindingGroup {
  /// The example finding: the most severe, and of several the first.
  let first: JudgedFinding
  /// The other scenarios in which the rule was broken.
  let others: [JudgedFinding]

  /// The attempts of the example call, including attempts of the app's start.
  let attempts: [Observation.Attempt]
  /// The file of the report, for the command that repeats the call.
  let reportFile: String
  /// The example call, if a proxy observed it. Such calls have no numbers for readers, and cannot
  /// be repeated.
  let proxied: ProxiedCall?

  /// Creates a group of findings of one rule. The first one is the example.
  init(
    _ findings: [JudgedFinding],
    _ attempts: [Observation.Attempt],
    of reportFile: String = unknownFile,
    proxied: ProxiedCall? = nil
  ) {
    (first, others, self.attempts) = (findings[0], Array(findings.dropFirst()), attempts)
    (self.reportFile, self.proxied) = (reportFile, proxied)
  }

  /// The scenario of the evidence with its count, and the other scenarios with theirs.
  var whereWords: String {
    let finding = first.finding
    let shown =
      proxied.map { call in
        let moment = call.observation.start.map { ", \(Figures.time($0)) after the start" } ?? ""
        return "first by \(call.client)\(moment)"
      } ?? "as call \(finding.call)"
    var words = "In \(first.scenario), \(finding.countDescription), \(shown) (\(finding.endpoint))"
    if !others.isEmpty {
      let names = others.map { other in
        let weight = other.finding.severity
        let note = weight == finding.severity ? "" : ", a \(weight.rawValue) there"
        return "\(other.scenario) (\(other.finding.countDescription)\(note))"
      }
      words += "; also in \(names.joined(separator: ", "))"
    }
    return words + "."
  }

  /// The reasons why the finding does not fail the drill; empty if it does.
  var excuses: [String] {
    ([first] + others).compactMap { one in
      one.allowance.map { "Allowed in \(one.scenario): \($0)" }
        ?? (one.isKnown ? "Known in \(one.scenario): it is in the baseline." : nil)
    }
  }

  /// The fix for the client.
  var fix: String? { FindingRule.named(first.finding.rule)?.fix }

  /// The cost for the user or the server.
  var cost: String? { FindingRule.named(first.finding.rule)?.cost }

  static let unknownFile = "REPORT.json"

  /// The identifier of the call after a report's `#`, as `--again` accepts it; `nil` if the call
  /// cannot be repeated.
  var again: String? {
    guard proxied == nil else { return nil }
    return "\(first.scenario)/\(Observation.word(of: first.finding.endpoint))/\(first.finding.call)"
  }
}

extension [JudgedFinding] {
  /// The findings grouped by rule, in the order of each rule's first finding.
  var byRule: [[JudgedFinding]] { grouped { $0.finding.rule }.map(\.all) }

  /// The number of rules by their maximum severity, such as `2 errors, 1 note`, or that there are
  /// none.
  var words: String {
    var weights: [String: Finding.Severity] = [:]
    for judged in self {
      let weight = judged.finding.severity
      weights[judged.finding.rule] = Swift.max(weights[judged.finding.rule] ?? weight, weight)
    }
    let words = Finding.Severity.allCases.sorted(by: >).compactMap { severity -> String? in
      let count = weights.values.count { $0 == severity }
      return count == 0 ? nil : count.counted(severity.rawValue)
    }
    return words.isEmpty ? "no findings" : words.joined(separator: ", ")
  }
}

extension [RuleStanding] {
  /// The number of rules by their results. A rule that was broken in any scenario counts as broken.
  /// Otherwise, a rule that was kept in any scenario counts as kept.
  var ruleCounts: (broken: Int, kept: Int, notMet: Int) {
    var broken: Set<String> = []
    var kept: Set<String> = []
    var all: Set<String> = []
    for standing in self {
      all.insert(standing.rule)
      switch standing.standing {
      case .broken: broken.insert(standing.rule)
      case .passed: kept.insert(standing.rule)
      case .notMet: break
      }
    }
    kept.subtract(broken)
    return (broken.count, kept.count, all.count - broken.count - kept.count)
  }
}

extension Report {
  /// The findings grouped by rule, the most severe first.
  var findingGroups: [FindingGroup] {
    findings.byRule.map { group in
      FindingGroup(group, attempts(of: group[0]), of: file ?? FindingGroup.unknownFile)
    }
  }

  private func attempts(of judged: JudgedFinding) -> [Observation.Attempt] {
    let flown = scenarios.first { $0.name == judged.scenario }
    let call = flown?.subjects.first?.observations.first { $0.call == judged.finding.call }
    return call?.allAttempts ?? []
  }

  /// The name of the fact about the file that `--again` reads.
  package static let reportFile = "reportFile"

  /// The file that `--again` reads; `nil` if none is known.
  package var file: String? {
    get { fact(Self.reportFile) }
    set { setFact(Self.reportFile, newValue) }
  }

  /// The number of rules by their results in all scenarios.
  var ruleCounts: (broken: Int, kept: Int, notMet: Int) { scenarios.flatMap(\.rules).ruleCounts }
}
