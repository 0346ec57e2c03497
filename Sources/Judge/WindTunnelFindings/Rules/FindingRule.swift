/// A rule by which clients are judged: a mistake that clients make on a bad network.
///
/// A rule judges by observations. The client's own reports count only against it, if they
/// contradict the responses that were sent.
public struct FindingRule: Sendable {
  /// The name, such as `ignores-retry-after`.
  public let id: String
  /// The maximum severity of its findings.
  public private(set) var severity = Finding.Severity.error
  /// The client's mistake, in a line.
  public let title: String
  /// The condition under which the rule can judge, as a clause.
  public let condition: String
  /// The cost for the user or the server.
  public let cost: String
  /// The fix for a client.
  public let fix: String
  /// The paragraph, paper or incident that is the rule's source.
  public let source: String
  /// The kinds of clients that the rule can judge.
  public private(set) var clients = ClientRun.Client.inDrills
  /// The minimum number of calls that must meet its condition.
  public private(set) var leastCalls = 1

  /// Whether a busy machine can cause the same observations as a client that breaks the rule.
  ///
  /// Such a rule compares times: a wait, a silence, the end of a call, or concurrent events.
  /// Without a processor, a client waits longer than intended, and several of its waits end at
  /// once. Its timeouts end attempts before it reads a response. Rules that count requests, or that
  /// compare requests and results, need no clock. They judge every call.
  private(set) var restsOnTime = false
  /// Returns whether the times of a call may be caused by a busy machine, so that a rule of time
  /// cannot judge it.
  private(set) var isStarved: @Sendable (ClientRun, Observation) -> Bool = { $0.isStarved($1) }
  /// The rows of evidence that the rule needs.
  private(set) var evidence: [any EvidenceRow] = []
  /// The key of the evidence that its condition needs.
  private(set) var neededKey: String?
  /// The part of a run that the rule judges.
  private(set) var scope = Scope.call([]) { _ in .notMet }

  enum Scope: Sendable {
    /// Each call that has all of some traits, judged by itself. Without the traits, the condition
    /// is not met.
    case call(JudgedCall.Traits, @Sendable (JudgedCall) -> RuleResult)
    /// All calls of a run together, if the run has all of some traits. Without the traits, the
    /// condition is not met.
    case flight(
      FlightTraits,
      @Sendable (FindingRule, [JudgedCall], ClientRun) -> RuleStanding.Standing
    )
  }

  /// A verdict on a call.
  enum RuleResult: Sendable {
    /// The condition was not met.
    case notMet
    /// The condition was met, and the client kept the rule.
    case kept
    /// The client broke the rule.
    case broken(Violation)

    /// Returns the verdict for a violation, with a sentence and a severity below the rule's own.
    static func broken(_ seen: String, severity: Finding.Severity? = nil) -> RuleResult {
      .broken(Violation(seen, severity: severity))
    }
  }

  /// The violation of a rule in a call.
  struct Violation: Sendable, ExpressibleByStringInterpolation {
    /// The sentence that describes the observed behaviour.
    var seen: String
    /// A severity below the rule's own, or `nil` for the rule's own.
    var severity: Finding.Severity?

    init(_ seen: String, severity: Finding.Severity? = nil) {
      (self.seen, self.severity) = (seen, severity)
    }

    init(stringLiteral seen: String) { self.init(seen) }
  }

  /// All rules, the most severe first.
  public static let all: [FindingRule] = [
    .crashes, .hangs, .failsWithoutFault, .acceptsBadCertificate, .sendsCredentialElsewhere,
    .sendsSecretInClear,
    .followsToPlainHTTP, .showsAnotherAnswer, .repeatsPost, .successOnErrorStatus,
    .successOnPartAnswer,
    .successOnCutBody, .successOnErrorEvent, .takesCutEventForWhole, .decodesScalarsPiecewise,
    .splicesVersions, .takesPortalForAnswer, .keepsPortalPage, .trustsRogueServer,
    .acceptsUnsignedConfiguration, .acceptsRolledBackConfiguration, .successWithoutAnswer,
    .doesNotComeBack, .losesWhatCameWhileAway, .doublesMessages,
    .neverNoticesDeadConnection, .doesNotSubscribeAgain, .readsWithoutLimit, .leaksConnections,
    .comesBackInAHerd, .ignoresRetryAfter, .noBackOff, .reconnectsWithoutPause,
    .comesBackAfterRefusal, .retriesWithoutBound,
    .redirectsWithoutBound, .retryStorm, .retriesPermanentError, .reconnectsInStep,
    .repeatsRefusedCredential, .renewsTooOften, .waitsOnSilence, .goesOnAfterCancel,
    .putsSecretInURL, .blankWhereStale, .showsStaleAsFresh, .leavesAnswersUnread,
    .failsOnLegalAnswer, .hammersWhileLimited, .retriesInStep, .retriesInLayers, .givesUpAtOnce,
    .asksAgain,
  ]

  /// The rule as a JSON object with `rule`, `severity`, `title`, `condition`, `calls`, `clients`
  /// and the other properties.
  package var json: JSON {
    [
      "rule": .text(id), "severity": .text(severity.rawValue), "title": .text(title),
      "condition": .text(condition), "calls": .number(leastCalls),
      "clients": .array(
        ClientRun.Client.allCases.filter(clients.contains).map { .text($0.rawValue) }
      ),
      "cost": .text(cost), "fix": .text(fix), "source": .text(source),
    ]
  }

  /// Returns the rule with a name, or `nil` if there is none.
  public static func named(_ id: String) -> FindingRule? { all.first { $0.id == id } }

  /// Returns the rule with a judge for each call that has some traits.
  func eachCall(
    _ needs: JudgedCall.Traits = [],
    _ judge: @escaping @Sendable (JudgedCall) -> RuleResult
  ) -> FindingRule {
    var rule = self
    rule.scope = .call(needs, judge)
    return rule
  }

  /// Returns the rule with a judge for each call that has some traits and a fact.
  func eachCall<Value>(
    _ needs: JudgedCall.Traits = [],
    with row: KeyPath<EvidenceRows, Evidence<Value>>,
    _ judge: @escaping @Sendable (JudgedCall, Value) -> RuleResult
  ) -> FindingRule {
    let evidence = EvidenceRows()[keyPath: row]
    var rule = needing(row).eachCall(needs.union(.evidence)) { call in
      call.observation[evidence].map { judge(call, $0) } ?? .notMet
    }
    rule.neededKey = evidence.key
    return rule
  }

  /// Returns the rule with another row of evidence that it needs.
  func needing<Value>(_ row: KeyPath<EvidenceRows, Evidence<Value>>) -> FindingRule {
    var rule = self
    rule.evidence.append(EvidenceRows()[keyPath: row])
    return rule
  }

  /// Returns the rule with a judge for all calls of a run that has some traits.
  func together(
    _ needs: FlightTraits = [],
    _ judge: @escaping @Sendable (FindingRule, [JudgedCall], ClientRun) -> RuleStanding.Standing
  ) -> FindingRule {
    var rule = self
    rule.scope = .flight(needs, judge)
    return rule
  }

  /// Returns the sentence about a condition that too few calls met.
  func unmet(by calls: Int) -> String {
    calls == 0
      ? "No call met the condition: \(condition)."
      : "Only \(calls) of at least \(leastCalls) calls met the condition: \(condition)."
  }

  /// Returns the result of a rule whose condition too few calls met.
  func notMet(by calls: Int) -> RuleStanding.Standing { .notMet(unmet(by: calls)) }

  /// Returns the severity of the rule for a client. A proxy observes requests, and does not know
  /// which of them belong to one call: they may be from two clients with the same request. Rules
  /// that depend on this are therefore not errors for a proxy.
  private func weight(in call: JudgedCall) -> Finding.Severity {
    let isOfOneRequest = [
      FindingRule.sendsSecretInClear.id, FindingRule.sendsCredentialElsewhere.id,
      FindingRule.redirectsWithoutBound.id,
    ].contains(id)
    return call.client == .proxied && !isOfOneRequest ? min(severity, .warning) : severity
  }

  /// Returns the result of this rule, given the calls that broke it. The first of them is the
  /// example.
  ///
  /// - Parameters:
  ///   - broken: The indices of the calls.
  ///   - judged: The number of calls that met the condition.
  ///   - flight: The run of the calls.
  ///   - violation: Returns the violation of the call at an index.
  /// - Returns: The result of the rule.
  func standing(
    _ broken: [Int],
    of judged: Int,
    in flight: ClientRun,
    _ violation: (Int) -> Violation
  ) -> RuleStanding.Standing {
    guard judged >= leastCalls else { return notMet(by: judged) }
    guard let first = broken.min(by: { flight.calls[$0].call < flight.calls[$1].call })
    else { return .passed(judged) }
    let call = JudgedCall.one(at: first, in: flight)
    return self.broken(violation(first), in: call, calls: broken.count, of: judged)
  }

  /// Returns the result of this rule, given the calls that broke it. The example is the smallest of
  /// the most severe violations.
  func standing(
    _ broken: [JudgedCall],
    of judged: Int,
    _ violation: (JudgedCall) -> Violation
  ) -> RuleStanding.Standing {
    guard judged >= leastCalls else { return notMet(by: judged) }
    let grave = broken.filter { violation($0).severity == nil }
    guard let example = grave.smallest ?? broken.smallest else { return .passed(judged) }
    return self.broken(violation(example), in: example, calls: broken.count, of: judged)
  }

  /// Returns the result of this rule after a violation, with a call as the example.
  func broken(
    _ violation: Violation,
    in call: JudgedCall,
    calls: Int,
    of judged: Int
  ) -> RuleStanding.Standing {
    let finding = Finding(
      rule: id,
      severity: min(weight(in: call), violation.severity ?? severity),
      seen: violation.seen,
      call: call.observation.call,
      endpoint: call.observation.endpoint,
      steps: call.steps,
      calls: calls,
      judged: judged
    )
    return .broken(finding)
  }
}
