public import Foundation

/// A finding in one of a report's scenarios, with its judgement there.
public struct JudgedFinding: Sendable, Hashable, CustomStringConvertible {
  /// The name of the scenario.
  public let scenario: String
  /// The rule that was broken, with the evidence.
  public let finding: Finding
  /// The reason why the finding is allowed in the scenario; `nil` if it is not allowed.
  public let allowance: String?
  /// Whether the rule was also broken in the baseline, with at least the same severity.
  public let isKnown: Bool

  /// The rule, the scenario and the finding, in one line.
  public var description: String {
    let more = allowance.map { " (allowed: \($0))" } ?? (isKnown ? " (as in the baseline)" : "")
    return "\(scenario): \(finding.severity.rawValue) \(finding.rule): \(finding.seen) "
      + "\(finding.countDescription), first \(finding.call)\(more)"
  }

  /// Whether it is an error that is not allowed.
  var isError: Bool { finding.severity == .error && allowance == nil }

  /// Returns whether the finding fails a drill under a policy.
  func fails(_ policy: VerdictPolicy) -> Bool {
    guard let least = policy.failingFindings, allowance == nil, !isKnown else { return false }
    return finding.severity >= least
  }

  /// Returns the finding as a JSON object, with the name of its client if there are several.
  func json(of subject: String? = nil) -> JSON {
    let head = JSON.members(["scenario": .text(scenario), "subject": subject.map { .text($0) }])
    let rest = JSON.members(["allowed": allowance.map { .text($0) }, "known": isKnown ? true : nil])
    return .object(head + finding.json.members + rest)
  }
}

extension Report.ScenarioResult {
  /// The findings about the judged client in this scenario, in the rules' order.
  package var findings: [JudgedFinding] {
    allowed.judged(rules, elsewhere, in: name, since: brokenBefore)
  }
}

extension [AllowedRule] {
  /// Returns the reason why a rule may be broken; `nil` if it may not.
  func reason(for rule: String) -> String? {
    let own = filter { $0.rule == rule }
    if let everywhere = own.first(where: { $0.endpoint == nil }) { return everywhere.reason }
    let reasons = own.map(\.reason)
    return reasons.first.map { Set(reasons).count == 1 ? $0 : reasons.joined(separator: "; ") }
  }

  /// Returns the findings in a scenario, in the order of the rules.
  ///
  /// - Parameters:
  ///   - rules: The results of the rules.
  ///   - elsewhere: The findings of ``breaches(of:in:)``.
  ///   - scenario: The name of the scenario.
  ///   - before: The rules that were broken in the baseline, each with its severity there.
  /// - Returns: A finding for each rule that was broken.
  func judged(
    _ rules: [RuleStanding],
    _ elsewhere: [String: Finding],
    in scenario: String,
    since before: [String: Finding.Severity]? = nil
  ) -> [JudgedFinding] {
    rules.compactMap(\.finding).map { whole in
      let rest = elsewhere[whole.rule]
      let finding = rest ?? whole
      return JudgedFinding(
        scenario: scenario,
        finding: finding,
        allowance: rest == nil ? reason(for: whole.rule) : nil,
        isKnown: before?[whole.rule].map { $0 >= finding.severity } ?? false
      )
    }
  }

  /// Returns the findings of partly allowed rules at the endpoints that are not allowed.
  ///
  /// A finding names only one call, even for a rule about many calls. Each rule therefore judges
  /// the calls to the other endpoints again. A rule that these calls keep was broken only at the
  /// allowed endpoints.
  func breaches(of rules: [RuleStanding], in flight: ClientRun) -> [String: Finding] {
    var found: [String: Finding] = [:]
    for standing in rules where standing.finding != nil {
      let own = filter { $0.rule == standing.rule }
      let places = own.compactMap(\.endpoint)
      guard !places.isEmpty, places.count == own.count,
        let rule = FindingRule.named(standing.rule)
      else { continue }
      var rest = flight
      rest.calls.removeAll { call in
        let request = Request(endpoint: call.endpoint)
        return places.contains { $0.matches(request) }
      }
      found[rule.id] = rest.held(against: [rule]).first?.finding
    }
    return found
  }
}

extension [JudgedFinding] {
  /// The findings by decreasing severity. Findings with the same severity keep their order.
  var gravestFirst: [JudgedFinding] {
    Finding.Severity.allCases.sorted(by: >).flatMap { severity in
      filter { $0.finding.severity == severity }
    }
  }
}

extension Report {
  /// The findings about the judged client, the most severe first and then in the scenarios' order.
  public var findings: [JudgedFinding] { scenarios.flatMap(\.findings).gravestFirst }

  /// The findings that fail the drill.
  var failingFindings: [JudgedFinding] { findings.filter { $0.fails(policy) } }

  /// Throws if a rule was broken with at least a given severity, and is not allowed.
  ///
  /// ```swift
  /// try report.requireNoFindings()
  /// ```
  ///
  /// - Parameter least: The minimum severity that counts.
  /// - Throws: `RulesBroken` with a line for each finding.
  public func requireNoFindings(_ least: Finding.Severity = .error) throws(RulesBroken) {
    var policy = policy
    policy.failingFindings = least
    let broken = findings.filter { $0.fails(policy) }
    if !broken.isEmpty { throw RulesBroken(findings: broken) }
  }
}

/// The error of a client that broke rules.
public struct RulesBroken: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The findings, the most severe first.
  public let findings: [JudgedFinding]

  /// A line about all findings, and a line for each.
  public var description: String {
    let title = findings.count == 1 ? "1 rule was broken:" : "\(findings.count) rules were broken:"
    return ([title] + findings.map { "  \($0)" }).joined(separator: "\n")
  }

  /// The description, for code that prints errors by `LocalizedError`.
  public var errorDescription: String? { description }
}
