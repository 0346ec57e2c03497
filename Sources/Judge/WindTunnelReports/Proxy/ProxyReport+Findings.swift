extension ProxyReport {
  /// The rules that clients broke, the most severe first and then in the scenarios' order.
  public var findings: [JudgedFinding] {
    scenarios.flatMap { $0.allowed.judged($0.rules, $0.elsewhere, in: $0.name) }.gravestFirst
  }

  /// Returns whether there is a finding with at least this severity that is not allowed.
  public func hasFindings(_ least: Finding.Severity) -> Bool {
    findings.contains { $0.allowance == nil && $0.finding.severity >= least }
  }

  /// Returns the findings for a terminal, 80 columns wide if the names are short. Empty if no
  /// client met the condition of a rule.
  public func findingsText() -> String {
    let lines = FindingGroup.lines(groups, findings.words, ruleCounts, TextForm())
    return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
  }

  /// The findings as a section of the page.
  var htmlFindings: String { FindingGroup.section(groups, findings.words, ruleCounts) }

  /// Returns a finding with the client that shows it and the time.
  func json(_ judged: JudgedFinding) -> JSON {
    guard let call = call(of: judged) else { return judged.json() }
    return judged.json().adding(
      JSON.members([
        "client": .text(call.client), "startMilliseconds": .orNull(call.observation.start),
      ])
    )
  }

  private var ruleCounts: (broken: Int, kept: Int, notMet: Int) {
    scenarios.flatMap(\.rules).ruleCounts
  }

  private var groups: [FindingGroup] {
    findings.byRule.map { group in
      let call = call(of: group[0])
      return FindingGroup(group, call?.observation.attempts ?? [], proxied: call)
    }
  }

  /// Returns the numbers of the decisions that a finding is about, in their order.
  package func decisions(of judged: JudgedFinding) -> [Int] { call(of: judged)?.decisions ?? [] }

  private func call(of judged: JudgedFinding) -> ProxiedCall? {
    scenarios.first { $0.name == judged.scenario }?.shownCalls
      .first { $0.observation.call == judged.finding.call }
  }
}
