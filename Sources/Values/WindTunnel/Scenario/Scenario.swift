@_spi(WindTunnel) internal import WindTunnelCore

/// A link, rules and gates under a name: the network's faults, and the bars that a client must
/// clear in them.
///
/// ```swift
/// let tunnel = Scenario(
///   "tunnel",
///   link: Link(
///     up: .init(delay: .milliseconds(50), lossProbability: 0.02),
///     down: .init(delay: .milliseconds(50), lossProbability: 0.02)
///   ),
///   rules: [.on("GET /users/*", .first(2), .status(503, retryAfter: .seconds(1)))],
///   gates: [try Gate("successRate >= 0.99")]
/// )
/// ```
public struct Scenario: Sendable, Hashable {
  /// The name, which is part of every draw.
  public var name: String
  /// The name of the group that the scenario belongs to; `nil` if it belongs to none.
  public var `class`: String?
  /// A description of the scenario in one sentence.
  public var summary: String?
  /// The result that can be expected of a client in the scenario; `nil` where it is not stated.
  public var survival: Survival?
  /// The number of calls that a drill makes in the scenario; `nil`: the drill's own number.
  public var calls: Int?
  /// The time that a call may take in the scenario; `nil`: the drill's own deadline.
  public var deadline: Duration?
  /// The greatest number of calls that begin in a second, for a scenario that shows its effect over
  /// time and not over many calls; `nil`: the drill's own rate.
  public var callsPerSecond: Double?
  /// Tells whether connections are kept alive for the next call though no rule is about that.
  public var wantsKeptConnections = false
  /// The state in which the start of an app finds what it has kept; `nil` where the scenario is not
  /// about starts.
  public var startup: StartupState?
  /// The link to the server; `nil`: as fast as possible.
  public var link: Link?
  /// The rules, in the order in which they compose.
  public var rules: [FaultRule] { didSet { names = RuleNames() } }
  private var names = RuleNames()
  /// The share of calls that are cancelled by their callers; `nil`: none.
  public var cancellation: Cancellation?
  /// Keys of the cancellation that begin with `_`.
  var cancellationNotes: [JSON.Member] = []
  /// The requests of critical endpoints, whose calls must show something to the user.
  public var critical: [RequestPattern]
  /// The credential that clients bear; `nil`: nothing is known of any.
  public var credential: Credential?
  /// The things that are asked of a client in the scenario, where a client may also do without.
  public var expects: [ClientExpectation] = []
  /// The bars that a client has to clear in the scenario.
  public var gates: [Gate]
  /// The bars of the scenario's own: with a set of bars (`--bars`), each takes the place of the
  /// set's bar on the same figure.
  public var bars: [Gate] = []
  /// The rules of findings that a client may break in the scenario.
  public var allowed: [AllowedRule] = []
  /// The members of the file whose names begin with `_`, kept as they are.
  public var notes: [JSON.Member] = []
  /// The members of the link whose names begin with `_`, kept as they are.
  public var linkNotes: [JSON.Member] = []

  /// Makes a scenario of its parts.
  public init(
    _ name: String,
    summary: String? = nil,
    link: Link? = nil,
    rules: [FaultRule] = [],
    critical: [RequestPattern] = [],
    gates: [Gate] = []
  ) {
    (self.name, self.summary, self.link, self.rules) = (name, summary, link, rules)
    (self.critical, self.gates) = (critical, gates)
  }

  /// A scenario in which nothing goes wrong.
  public static let calm = Scenario("calm")

  /// Tells whether a request belongs to a critical endpoint.
  public func isCritical(_ request: Request) -> Bool { critical.contains { $0.matches(request) } }

  /// Tells whether the scenario is about connections that are kept alive after an answer, so that a
  /// server has to keep them and a client has to live for more than one call.
  public var keepsConnections: Bool {
    wantsKeptConnections || hasFault { if case .idle = $0 { true } else { false } }
  }

  /// Tells whether a client may keep in it what was shown to one call for the next and should not,
  /// such as a captive portal's page: most know an answer again by its address.
  package var showsWhatMayBeKept: Bool {
    keepsConnections
      && rules.contains { rule in
        rule.faults.contains { fault in
          fault == .answer(.captivePortalPage) || fault == .answer(.captivePortalRedirect)
            || fault.isStale
        }
          || rule.failsForGood
      }
  }

  /// Tells whether its answers are larger than what two systems hold between a server and a client
  /// that reads no further.
  package var sendsLargeBodies: Bool { hasFault { $0 == .alter(.body(.large)) } }

  /// Tells whether it redirects from `https` to `http`, so that calls have to begin under TLS.
  package var leavesTLS: Bool { hasFault { $0 == .answer(.redirectToHTTP) } }

  /// Tells whether all that a call can do in it is wait: nothing comes, or hardly anything,
  /// whatever it is that is tried.
  package var standsStill: Bool {
    !rules.isEmpty
      && rules.allSatisfy { rule in
        rule.trigger.meetsEveryAttempt && rule.faults.contains(where: \.standsStill)
      }
  }

  /// Whether the scenario has no fault: no rule, no link, no caller that gives up and no start.
  package var hasNoFaults: Bool {
    rules.isEmpty && link == nil && cancellation == nil && startup == nil
  }

  /// Tells whether it leaves a machine to others, as it stands still or its calls begin one by one.
  package var isIdle: Bool { standsStill || callsPerSecond != nil }

  /// Tells whether a client can fill its memory in it: bodies come to which only the client sets a
  /// limit.
  package var hasUnboundedBodies: Bool { hasFault(\.isUnbounded) }

  /// Whether a rule sends a `Retry-After` with a date.
  package var sendsRetryDates: Bool {
    hasFault { if case .status(_, retryAfter: .date) = $0 { true } else { false } }
  }

  /// Tells whether any rule fails connections, for which the wire needs an address of their own.
  public var hasConnectionFaults: Bool {
    hasFault { if case .connection = $0 { true } else { false } }
  }

  private func hasFault(_ isMeant: (Fault) -> Bool) -> Bool {
    rules.contains { $0.faults.contains(where: isMeant) }
  }
}

extension Scenario: ExpressibleByArrayLiteral {
  /// The name of every plan.
  static let planName = "plan"

  /// Makes a plan, which is a scenario without a name, of its rules.
  public init(arrayLiteral elements: FaultRule...) { self.init(Self.planName, rules: elements) }
}

extension Scenario {
  /// Decides the faults of a connection before there is a request on it.
  ///
  /// Rules that follow the clock are taken to be within their window; ``Deck`` knows the time.
  public func decideConnection(seed: UInt64, lane: Lane, ordinal: Int) -> FaultDecision {
    decideConnection(seed: seed, lane: lane, ordinal: ordinal, in: nil)
  }

  func decideConnection(
    seed: UInt64,
    lane: Lane,
    ordinal: Int,
    in context: TriggerContext?
  ) -> FaultDecision {
    if rules.isEmpty {
      return FaultDecision(
        lane: lane,
        key: FaultDecision.connectionKey,
        ordinal: ordinal,
        faults: []
      )
    }
    let moment = Moment(seed, lane, FaultDecision.connectionKey, ordinal, context)
    return FaultDecision(moment, fired(at: moment) { $0.isForConnections })
  }

  /// Decides the faults of a request: a pure function of its arguments, whoever asks and when.
  ///
  /// Conditions on the clock or on header fields are taken to hold; ``Deck`` knows both.
  public func decide(
    _ request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> FaultDecision {
    decide(request, at: Moment(seed, lane, key.text, ordinal, nil))
  }

  func decide(_ request: Request, at moment: Moment) -> FaultDecision {
    if rules.isEmpty { return FaultDecision(moment, []) }
    return FaultDecision(moment, fired(request, at: moment))
  }

  /// Decides what a request meets that comes through a proxy. The proxy connects for each request,
  /// so the rules of connections are the request's, too; there is no handshake in one that is not
  /// in a tunnel. One by `https` comes out of an open tunnel, which has met the rules of
  /// connections.
  func decideProxied(_ request: Request, at moment: Moment) -> FaultDecision {
    if let own = portal(request) { return FaultDecision(moment, [own]) }
    let isInTunnel = request.url.scheme == "https"
    let fired = fired(at: moment) { rule in
      if isInTunnel, rule.isForConnections { return false }
      return applies(rule, to: request)
    } resolving: { _, fault in
      if case .connection(.tls) = fault { return nil }
      return fault
    }
    return FaultDecision(moment, fired).behindProxy
  }

  /// Returns the rules that fire for a request.
  func fired(_ request: Request, at moment: Moment) -> [Fired] {
    if let own = portal(request) { return [own] }
    return fired(at: moment) { rule in !rule.isForConnections && applies(rule, to: request) }
  }

  /// Tells whether a rule means a request, whatever its ordinal.
  func applies(_ rule: FaultRule, to request: Request) -> Bool {
    if rule.trigger.request?.matches(request) == false { return false }
    if rule.trigger.credential != nil, credential?.issuer.matches(request) == true { return false }
    return rule.trigger.isCritical.map { $0 == isCritical(request) } != false
  }

  /// A portal that redirects to its own page shows that to everybody.
  private func portal(_ request: Request) -> Fired? {
    guard request.url.path == ReplacementResponse.portalPath,
      rules.contains(where: { $0.faults.contains(.answer(.captivePortalRedirect)) })
    else { return nil }
    return Fired(faults: [.answer(.captivePortalPage)], isCertain: true)
  }

  /// One arrival: what draws are for, and what a rule may ask beside them.
  struct Moment {
    fileprivate let seed: UInt64
    fileprivate let lane: Lane
    fileprivate let key: String
    fileprivate let ordinal: Int
    /// `nil`: whatever a rule asks holds.
    fileprivate let context: TriggerContext?

    init(_ seed: UInt64, _ lane: Lane, _ key: String, _ ordinal: Int, _ context: TriggerContext?) {
      (self.seed, self.lane, self.key) = (seed, lane, key)
      (self.ordinal, self.context) = (ordinal, context)
    }
  }

  /// A rule that fires.
  struct Fired {
    var faults: [Fault]
    /// Tells whether it does in all circumstances.
    var isCertain: Bool
  }

  func fired(
    at moment: Moment,
    where applies: (FaultRule) -> Bool,
    resolving: (FaultRule, Fault) -> Fault? = { $1 }
  ) -> [Fired] {
    var fired: [Fired] = []
    let names = names.all(of: rules)
    for (index, rule) in rules.enumerated() where applies(rule) {
      let draws = { [name] (ordinal: Int, of: String) in
        Draws(
          seed: moment.seed,
          scenario: name,
          lane: moment.lane,
          key: moment.key,
          ordinal: ordinal,
          rule: names[index] + of
        )
      }
      let isAllowed = moment.context?.allows(rule.trigger, at: index) != false
      guard isAllowed, rule.trigger.calls?.contains(moment.lane) != false,
        rule.trigger.fires(
          ordinal: moment.ordinal,
          draws: draws(moment.ordinal, ""),
          // No request has this ordinal: the chain is one for all of them.
          chain: draws(0, "/burst")
        )
      else { continue }
      var next = Trigger.probabilityDraw
      let faults = rule.faults.compactMap { fault in
        let resolved = fault.resolved {
          next += 1
          return draws(moment.ordinal, "").unit(next)
        }
        return resolving(rule, resolved)
      }
      fired.append(Fired(faults: faults, isCertain: !rule.trigger.isCircumstantial))
    }
    return fired
  }

  /// Returns a rule's name in draws.
  func identity(of index: Int) -> String { names.all(of: rules)[index] }
}

/// The names of a scenario's rules in draws: the trigger's text, and which of several equal ones it
/// is. The place on the list is not in it, so another rule can be added without shifting this one.
///
/// They are made when somebody first asks, since every request does. All are equal: they follow
/// from the rules.
private struct RuleNames: Sendable, Hashable {
  private let made = Locked<[String]?>(nil)

  static func == (left: Self, right: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}

  func all(of rules: [FaultRule]) -> [String] {
    made.withLock { made in
      if let made { return made }
      var counts: [Trigger: Int] = [:]
      let all = rules.map { rule in
        let before = counts[rule.trigger, default: 0]
        counts[rule.trigger] = before + 1
        return "\(rule.trigger.json.description)#\(before)"
      }
      made = all
      return all
    }
  }
}

// MARK: Of tunnels

extension Scenario {
  /// Decides what a tunnel meets: by the rules of connections, by those of `CONNECT host:port`, and
  /// by those of every request as far as they can be carried by bytes that cannot be read. A status
  /// is only for the rules that name the tunnel: it answers the `CONNECT`.
  func decideTunnel(_ request: Request, at moment: Moment, isOpened: Bool) -> FaultDecision {
    let fired = fired(at: moment) { rule in
      // What speaks of every request is met by those within an open tunnel, and not by itself, too.
      if isOpened, !rule.isForConnections, rule.trigger.request?.isForTunnels != true {
        return false
      }
      return applies(rule, to: request)
    } resolving: { rule, fault in
      if case .status = fault, rule.trigger.request?.isForTunnels != true { return nil }
      return fault
    }
    return FaultDecision(moment, fired).behindProxy
  }

  /// Tells whether the scenario has faults that happen only in a decrypted tunnel.
  public var hasFaultsBeyondTunnels: Bool {
    rules.contains { rule in
      if let request = rule.trigger.request { return !request.isForTunnels }
      return rule.faults.contains { fault in
        if case .refusal? = fault.tunnelPart { true } else { fault.tunnelPart == nil }
      }
    }
  }

  /// Tells whether the scenario cuts tunnels off at a byte, which only a proxy that relays their
  /// bytes can do.
  public var cutsTunnelsAtBytes: Bool {
    rules.contains { rule in
      guard rule.trigger.request?.isForTunnels == true else { return false }
      return rule.faults.contains { fault in
        if case .end(after: _?, _)? = fault.tunnelPart { true } else { false }
      }
    }
  }

  /// Tells whether the scenario fails handshakes by certificates, which needs a proxy that decrypts
  /// tunnels.
  public var needsCertificates: Bool {
    hasFault { if case .connection(.tls(let fault)) = $0 { fault.needsCertificate } else { false } }
  }
}

extension FaultDecision {
  fileprivate init(_ moment: Scenario.Moment, _ fired: [Scenario.Fired]) {
    let faults = fired.flatMap(\.faults)
    self.init(lane: moment.lane, key: moment.key, ordinal: moment.ordinal, faults: faults)
  }

  fileprivate var behindProxy: FaultDecision {
    var decision = self
    decision.faults = faults.map(\.behindProxy)
    return decision
  }
}
