/// The findings of one rule in all scenarios, as a reader looks at them: one with its evidence, and
/// where else it was seen.
struct FindingGroup {
  /// The finding that shows it: the gravest, and of several the first.
  let first: JudgedFinding
  /// The other scenarios in which the rule was broken.
  let others: [JudgedFinding]

  /// The attempts of the call that shows it.
  let attempts: [Observation.Attempt]

  /// The scenario of the evidence with its count, and the others with theirs.
  var whereWords: String {
    let finding = first.finding
    var words =
      "In \(first.scenario), \(finding.count), as call \(finding.call) (\(finding.endpoint))"
    if !others.isEmpty {
      let names = others.map { "\($0.scenario) (\($0.finding.count))" }
      words += "; also in \(names.joined(separator: ", "))"
    }
    return words + "."
  }

  /// The reasons why it fails nothing, where it does not.
  var excuses: [String] {
    ([first] + others).compactMap { one in
      one.allowance.map { "Allowed in \(one.scenario): \($0)" }
        ?? (one.isKnown ? "Known in \(one.scenario): the baseline has it." : nil)
    }
  }

  /// The way to mend a client.
  var remedy: String? { FindingRule.named(first.finding.rule)?.remedy }

  /// The cost of it.
  var cost: String? { FindingRule.named(first.finding.rule)?.cost }

  /// The place of the call behind a report's `#`, as `--again` takes it.
  var again: String {
    "\(first.scenario)/\(Observation.word(of: first.finding.endpoint))/\(first.finding.call)"
  }
}

extension Report {
  /// The findings by rule, the gravest first.
  var findingGroups: [FindingGroup] {
    var groups: [(rule: String, findings: [JudgedFinding])] = []
    for finding in findings {
      if let place = groups.firstIndex(where: { $0.rule == finding.finding.rule }) {
        groups[place].findings.append(finding)
      } else {
        groups.append((finding.finding.rule, [finding]))
      }
    }
    return groups.map { group in
      let first = group.findings[0]
      return FindingGroup(
        first: first,
        others: Array(group.findings.dropFirst()),
        attempts: attempts(of: first)
      )
    }
  }

  private func attempts(of judged: JudgedFinding) -> [Observation.Attempt] {
    let flown = scenarios.first { $0.name == judged.scenario }
    return flown?.subjects.first?.observations.first { $0.call == judged.finding.call }?.attempts
      ?? []
  }

  /// The number of rules by their standing: a rule that was broken in one scenario is, one that was
  /// kept in one is kept, and what nobody met is said to be that.
  var ruleCounts: (broken: Int, kept: Int, notMet: Int) {
    var broken: Set<String> = []
    var kept: Set<String> = []
    var all: Set<String> = []
    for standing in scenarios.flatMap(\.rules) {
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
