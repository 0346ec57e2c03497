@_spi(WindTunnel) internal import WindTunnelCore

/// A link, rules and gates under a name: network faults, and the conditions that a client must
/// meet.
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
public struct Scenario: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The name, which is part of every draw.
  public var name: String
  /// The name of the group that the scenario belongs to; `nil` if it belongs to none.
  public var `class`: String?
  /// A description of the scenario in one sentence; `nil` if there is none.
  public var summary: String?
  /// The result that can be expected of a client in the scenario; `nil` if it is not stated.
  public var survival: Survival?
  /// The number of calls that a drill makes in the scenario; `nil` for the drill's own number.
  public var calls: Int?
  /// The maximum duration of a call in the scenario; `nil` for the drill's own deadline.
  public var deadline: Duration?
  /// The maximum number of calls that begin per second; `nil` for the drill's own rate.
  ///
  /// Limits scenarios that show their effect over time instead of over many calls.
  public var callsPerSecond: Double?
  /// Whether connections are kept alive for the next call even if no rule needs it.
  public var wantsKeptConnections = false
  /// The state that an app's storage has at its start; `nil` if the scenario is not about starts.
  public var startup: StartupState?
  /// The link to the server; `nil` for a link without delay, rate limit or loss.
  public var link: Link?
  /// The rules, in the order in which they compose.
  public var rules: [FaultRule] { didSet { names = RuleNames() } }
  private var names = RuleNames()
  /// The share of calls that their callers cancel; `nil` if no call is cancelled.
  public var cancellation: Cancellation?
  /// The members of the cancellation whose names begin with `_`, kept as they are.
  var cancellationNotes: [JSON.Member] = []
  /// The requests to critical endpoints: their calls must show something to the user.
  public var critical: [RequestPattern]
  /// The credential that clients send; `nil` if the scenario does not describe one.
  public var credential: Credential?
  /// Requirements of the scenario on behaviour that is optional for clients elsewhere.
  public var expects: [ClientExpectation] = []
  /// The gates that a client must meet in the scenario.
  public var gates: [Gate]
  /// The scenario's own gates for a gate set (`--bars`): each replaces the set's gate on the same
  /// metric.
  public var bars: [Gate] = []
  /// The rules of findings that a client may break in the scenario.
  public var allowed: [AllowedRule] = []
  /// The members of the file whose names begin with `_`, kept as they are.
  public var notes: [JSON.Member] = []
  /// The members of the link whose names begin with `_`, kept as they are.
  public var linkNotes: [JSON.Member] = []

  /// Creates a scenario from its link, rules and gates.
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

  /// A scenario without faults.
  public static let calm = Scenario("calm")

  /// Returns whether a request is for a critical endpoint.
  public func isCritical(_ request: Request) -> Bool { critical.contains { $0.matches(request) } }

  /// Whether the scenario tests connections that are kept alive after a response.
  ///
  /// Such a scenario needs a server that keeps connections open, and one client instance for
  /// several calls.
  public var keepsConnections: Bool {
    wantsKeptConnections || hasFault { if case .idle = $0 { true } else { false } }
  }

  /// Whether a client may wrongly keep a response for a later call, such as a captive portal's
  /// page.
  ///
  /// Most clients look up stored responses by their URL.
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

  /// Whether response bodies are larger than the socket buffers of both hosts, so that the sender
  /// blocks if the client stops reading.
  package var sendsLargeBodies: Bool { hasFault { $0 == .alter(.body(.large)) } }

  /// Whether the scenario redirects from `https` to `http`, so that calls must begin with TLS.
  package var leavesTLS: Bool { hasFault { $0 == .answer(.redirectToHTTP) } }

  /// Whether a call can only wait in the scenario: hardly any byte arrives on any attempt.
  package var standsStill: Bool {
    !rules.isEmpty
      && rules.allSatisfy { rule in
        rule.trigger.meetsEveryAttempt && rule.faults.contains(where: \.standsStill)
      }
  }

  /// Whether the scenario has no fault: no rule, link, cancellation or start-up state.
  package var hasNoFaults: Bool {
    rules.isEmpty && link == nil && cancellation == nil && startup == nil
  }

  /// Whether the machine is mostly idle in the scenario: calls only wait, or begin at a limited
  /// rate.
  package var isIdle: Bool { standsStill || callsPerSecond != nil }

  /// Whether a response body has no limit, so that it fills the memory of a client without a limit
  /// of its own.
  package var hasUnboundedBodies: Bool { hasFault(\.isUnbounded) }

  /// Whether a rule sends a `Retry-After` field with a date.
  package var sendsRetryDates: Bool {
    hasFault { if case .status(_, retryAfter: .date) = $0 { true } else { false } }
  }

  /// Whether a rule fails connections. Each lane then needs an address of its own on a server.
  public var hasConnectionFaults: Bool {
    hasFault { if case .connection = $0 { true } else { false } }
  }

  private func hasFault(_ isMeant: (Fault) -> Bool) -> Bool {
    rules.contains { $0.faults.contains(where: isMeant) }
  }

  /// The name of every plan, which is a scenario written as an array of rules.
  static let planName = "plan"

  /// Creates a plan, which is a scenario without a name of its own, from its rules.
  public init(arrayLiteral elements: FaultRule...) { self.init(Self.planName, rules: elements) }

  /// Returns the faults of a tunnel.
  ///
  /// These are the faults of connection rules, of rules for `CONNECT host:port`, and of rules for
  /// every request that apply to encrypted bytes, too. Only a rule for the tunnel itself can set a
  /// status, because the status is in the response to `CONNECT`.
  func decideTunnel(_ request: Request, at moment: Moment, isOpened: Bool) -> FaultDecision {
    let fired = fired(at: moment) { rule in
      // Rules for every request apply to requests within an open tunnel and not to the tunnel as
      // well.
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

  /// Whether the scenario has faults that only occur in a decrypted tunnel.
  public var hasFaultsBeyondTunnels: Bool {
    rules.contains { rule in
      if let request = rule.trigger.request { return !request.isForTunnels }
      return rule.faults.contains { fault in
        if case .refusal? = fault.tunnelPart { true } else { fault.tunnelPart == nil }
      }
    }
  }

  /// Whether the scenario ends tunnels at a byte, which needs a proxy that relays their bytes.
  public var cutsTunnelsAtBytes: Bool {
    rules.contains { rule in
      guard rule.trigger.request?.isForTunnels == true else { return false }
      return rule.faults.contains { fault in
        if case .end(after: _?, _)? = fault.tunnelPart { true } else { false }
      }
    }
  }

  /// Whether the scenario fails handshakes by certificates, which needs a proxy that decrypts
  /// tunnels.
  public var needsCertificates: Bool {
    hasFault { if case .connection(.tls(let fault)) = $0 { fault.needsCertificate } else { false } }
  }
}

extension Scenario {
  /// Returns the faults of a connection, which are decided before it has a request.
  ///
  /// Assumes that the time is within each rule's window; ``Deck`` knows the time.
  public func decideConnection(seed: UInt64, lane: Lane, ordinal: Int) -> FaultDecision {
    decideConnection(at: Moment(seed, lane, FaultDecision.connectionKey, ordinal, nil))
  }

  func decideConnection(at moment: Moment) -> FaultDecision {
    if rules.isEmpty { return FaultDecision(moment, []) }
    return FaultDecision(moment, fired(at: moment) { $0.isForConnections })
  }

  /// Returns the faults of a request: a pure function of its arguments.
  ///
  /// Assumes that conditions on the time and on header fields are met; ``Deck`` checks both.
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

  /// Returns the faults of a request that is sent through a proxy.
  ///
  /// The proxy connects for each request, so connection rules apply to the request, too. A request
  /// outside a tunnel has no TLS handshake. A request by `https` was sent in an open tunnel, to
  /// which the connection rules have been applied.
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

  /// Returns whether a rule applies to a request, regardless of the request's ordinal.
  func applies(_ rule: FaultRule, to request: Request) -> Bool {
    if rule.trigger.request?.matches(request) == false { return false }
    if rule.trigger.credential != nil, credential?.issuer.matches(request) == true { return false }
    return rule.trigger.isCritical.map { $0 == isCritical(request) } != false
  }

  /// Returns the portal's page if the request is for the page to which a captive portal redirects.
  private func portal(_ request: Request) -> Fired? {
    guard request.url.path == ReplacementResponse.portalPath,
      rules.contains(where: { $0.faults.contains(.answer(.captivePortalRedirect)) })
    else { return nil }
    return Fired(faults: [.answer(.captivePortalPage)], isCertain: true)
  }

  /// One connection or request: the inputs of its draws, and the facts that triggers can test.
  struct Moment {
    fileprivate let seed: UInt64
    fileprivate let lane: Lane
    fileprivate let key: String
    fileprivate let ordinal: Int
    /// `nil` if every condition on the context counts as met.
    fileprivate let context: TriggerContext?

    init(_ seed: UInt64, _ lane: Lane, _ key: String, _ ordinal: Int, _ context: TriggerContext?) {
      (self.seed, self.lane, self.key) = (seed, lane, key)
      (self.ordinal, self.context) = (ordinal, context)
    }
  }

  /// The faults of one rule that fires.
  struct Fired {
    var faults: [Fault]
    /// Whether the rule fires regardless of the time and the header fields.
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
          // The chain has one state for all requests, so its draws use an ordinal that no request
          // has.
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

  /// Returns the name of a rule in draws.
  func identity(of index: Int) -> String { names.all(of: rules)[index] }
}

/// The names of a scenario's rules in draws: the trigger's text, and a number for equal triggers.
///
/// The index in the list is not part of a name, so adding another rule does not change the draws of
/// this one. The names are created at first use, because every request needs them. All values are
/// equal, because the names follow from the rules.
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
