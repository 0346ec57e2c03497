/// A rule that clients are held against: something that a client does on a bad network and should
/// not.
///
/// A rule judges by what was observed. What a client says of itself counts only against it, where
/// it is held against what was sent.
public struct FindingRule: Sendable {
  /// The name, such as `ignores-retry-after`.
  public let id: String
  /// The maximum weight of its findings.
  public private(set) var severity = Finding.Severity.error
  /// The thing that a client does, in a line.
  public let title: String
  /// The condition under which it can be seen, as half a sentence.
  public let condition: String
  /// The cost for the user or the server.
  public let cost: String
  /// The way to mend a client.
  public let fix: String
  /// The paragraph, paper or incident that it rests on.
  public let source: String
  /// The kinds of client in which it can be seen.
  public private(set) var clients = ClientRun.Client.inDrills
  /// The number of calls that have to meet its condition before anything is said.
  public private(set) var leastCalls = 1

  /// Whether a busy machine can make a client that keeps the rule seem to break it.
  ///
  /// Such a rule compares moments: a wait, a silence, the end of a call, or events that come
  /// together. Without a processor a client waits longer than it wants, its time-outs end attempts
  /// before it reads a response, and several of its waits end at once. Rules that count requests,
  /// or compare what was sent and shown, need no clock. They judge every call.
  private(set) var restsOnTime = false
  /// Returns whether a busy machine hides from a rule of time what the client does in a call.
  private(set) var isStarved: @Sendable (ClientRun, Observation) -> Bool = { $0.isStarved($1) }
  /// The rows of evidence that it needs.
  private(set) var evidence: [any EvidenceRow] = []
  /// The key of the evidence without which its condition is not met.
  private(set) var neededKey: String?
  /// The part of a flight that it looks at.
  private(set) var scope = Scope.call([]) { _ in .notMet }

  enum Scope: Sendable {
    /// Each call by itself that has all of some traits; without them the condition is not met.
    case call(JudgedCall.Traits, @Sendable (JudgedCall) -> Verdict)
    /// All calls that met something, together, in the flight they were made in, where that has all
    /// of some traits; without them the condition is not met.
    case flight(
      FlightTraits,
      @Sendable (FindingRule, [JudgedCall], ClientRun) -> RuleStanding.Standing
    )
  }

  /// A verdict on a call.
  enum Verdict: Sendable {
    /// The condition was not met.
    case notMet
    /// The condition was met, and the client did well.
    case kept
    /// The client broke the rule.
    case broken(Violation)

    /// Returns the verdict on a breach, of a sentence and a lesser weight than the rule's own.
    static func broken(_ seen: String, severity: Finding.Severity? = nil) -> Verdict {
      .broken(Violation(seen, severity: severity))
    }
  }

  /// The breach of a rule in a call.
  struct Violation: Sendable, ExpressibleByStringInterpolation {
    /// The sentence that says what was seen.
    var seen: String
    /// A lesser weight than the rule's own.
    var severity: Finding.Severity?

    init(_ seen: String, severity: Finding.Severity? = nil) {
      (self.seen, self.severity) = (seen, severity)
    }

    init(stringLiteral seen: String) { self.init(seen) }
  }

  /// Every rule, the gravest first.
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

  /// The rule as an object: `rule`, `severity`, `title`, `condition`, `calls`, `clients` and the
  /// rest.
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

  /// Returns the rule of a name.
  public static func named(_ id: String) -> FindingRule? { all.first { $0.id == id } }
}

extension FindingRule {
  /// Returns the rule as one that judges each call with some traits by itself.
  func eachCall(
    _ needs: JudgedCall.Traits = [],
    _ judge: @escaping @Sendable (JudgedCall) -> Verdict
  ) -> FindingRule {
    var rule = self
    rule.scope = .call(needs, judge)
    return rule
  }

  /// Returns the rule as one that judges each call with some traits and a fact by itself.
  func eachCall<Value>(
    _ needs: JudgedCall.Traits = [],
    with row: KeyPath<EvidenceRows, Evidence<Value>>,
    _ judge: @escaping @Sendable (JudgedCall, Value) -> Verdict
  ) -> FindingRule {
    let evidence = EvidenceRows()[keyPath: row]
    var rule = needing(row).eachCall(needs.union(.evidence)) { call in
      call.observation[evidence].map { judge(call, $0) } ?? .notMet
    }
    rule.neededKey = evidence.key
    return rule
  }

  /// Returns the rule as one that needs a row of evidence, too.
  func needing<Value>(_ row: KeyPath<EvidenceRows, Evidence<Value>>) -> FindingRule {
    var rule = self
    rule.evidence.append(EvidenceRows()[keyPath: row])
    return rule
  }

  /// Returns the rule as one that judges all calls of a flight with some traits together.
  func together(
    _ needs: FlightTraits = [],
    _ judge: @escaping @Sendable (FindingRule, [JudgedCall], ClientRun) -> RuleStanding.Standing
  ) -> FindingRule {
    var rule = self
    rule.scope = .flight(needs, judge)
    return rule
  }

  /// The sentence of a condition that too few calls met.
  func unmet(by calls: Int) -> String {
    calls == 0
      ? "No call met it: \(condition)."
      : "Only \(calls) of at least \(leastCalls) calls met it: \(condition)."
  }

  /// Returns the standing of a rule whose condition too few calls met.
  func notMet(by calls: Int) -> RuleStanding.Standing { .notMet(unmet(by: calls)) }

  /// The weight of the rule for a client. A proxy sees requests and not calls: what rests on which
  /// of them belong to one may be two clients that ask for the same, and is no error there.
  private func weight(in call: JudgedCall) -> Finding.Severity {
    let isOfOneRequest = [
      FindingRule.sendsSecretInClear.id, FindingRule.sendsCredentialElsewhere.id,
      FindingRule.redirectsWithoutBound.id,
    ].contains(id)
    return call.client == .proxied && !isOfOneRequest ? min(severity, .warning) : severity
  }

  /// Returns the standing of this rule by the calls that broke it; the first of them shows it.
  ///
  /// - Parameters:
  ///   - broken: The places of the calls.
  ///   - judged: The number of calls that met the condition.
  ///   - flight: The run of the calls.
  ///   - violation: Returns the violation in the call of a place.
  /// - Returns: The standing.
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

  /// Returns the standing of this rule by the calls that broke it; the smallest of those that broke
  /// it most gravely shows it.
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

  /// Returns the standing of this rule when it was broken, by the example of a call.
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
