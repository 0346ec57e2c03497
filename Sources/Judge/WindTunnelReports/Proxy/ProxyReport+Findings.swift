extension ProxyReport {
  /// The rules that clients broke, the gravest first and then in the scenarios' order.
  public var findings: [JudgedFinding] {
    scenarios.flatMap { $0.allowed.judged($0.rules, $0.elsewhere, in: $0.name) }.gravestFirst
  }

  /// Tells whether a finding of a weight, or a graver one, is among them that is not allowed.
  public func hasFindings(_ least: Finding.Severity) -> Bool {
    findings.contains { $0.allowance == nil && $0.finding.severity >= least }
  }

  /// Returns the findings as a terminal shows them, 80 columns wide where the names are short;
  /// empty where no client met what a rule asks for.
  public func findingsText() -> String {
    let lines = FindingGroup.lines(groups, findings.words, ruleCounts, TextForm())
    return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
  }

  /// The findings as a section of the page.
  var htmlFindings: String { FindingGroup.section(groups, findings.words, ruleCounts) }

  /// A finding with the client that showed it and the time at which it did.
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

  /// The numbers of the decisions that a finding is shown by, in their order.
  package func decisions(of judged: JudgedFinding) -> [Int] { call(of: judged)?.decisions ?? [] }

  private func call(of judged: JudgedFinding) -> ProxiedCall? {
    scenarios.first { $0.name == judged.scenario }?.shownCalls
      .first { $0.observation.call == judged.finding.call }
  }
}
