extension Scenario {
  /// Decides what a connection meets before there is a request on it.
  ///
  /// Rules that follow the clock are taken as in their time; ``Deck`` knows better.
  public func decideConnection(seed: UInt64, lane: Lane, ordinal: Int) -> Decision {
    decideConnection(seed: seed, lane: lane, ordinal: ordinal, in: nil)
  }

  func decideConnection(
    seed: UInt64,
    lane: Lane,
    ordinal: Int,
    in context: TriggerContext?
  ) -> Decision {
    if rules.isEmpty {
      return Decision(lane: lane, key: Decision.connectionKey, ordinal: ordinal, faults: [])
    }
    let moment = Moment(seed, lane, Decision.connectionKey, ordinal, context)
    return Decision(moment, fired(at: moment) { $0.isForConnections })
  }

  /// Decides what a request meets: a pure function of its arguments, whoever asks and when.
  ///
  /// Rules that ask for the clock or for fields are taken to be met; ``Deck`` knows better.
  public func decide(
    _ request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> Decision {
    decide(request, at: Moment(seed, lane, key.text, ordinal, nil))
  }

  func decide(_ request: Request, at moment: Moment) -> Decision {
    if rules.isEmpty { return Decision(moment, []) }
    return Decision(moment, fired(request, at: moment))
  }

  /// Decides what a request meets that comes through a proxy. The proxy connects for each request, so
  /// the rules of connections are the request's, too; there is no handshake in one that is not in a
  /// tunnel. One by `https` comes out of an open tunnel, which has met the rules of connections.
  func decideProxied(_ request: Request, at moment: Moment) -> Decision {
    if let own = portal(request) { return Decision(moment, [own]) }
    let isInTunnel = request.url.scheme == "https"
    let fired = fired(at: moment) { rule in
      if isInTunnel, rule.isForConnections { return false }
      return applies(rule, to: request)
    } resolving: { _, fault in
      if case .connection(.tls) = fault { return nil }
      return fault
    }
    var decision = Decision(moment, fired)
    decision.faults = decision.faults.map(\.behindProxy)
    return decision
  }

  /// Returns the rules that fire for a request.
  func fired(_ request: Request, at moment: Moment) -> [Fired] {
    if let own = portal(request) { return [own] }
    return fired(at: moment) { rule in !rule.isForConnections && applies(rule, to: request) }
  }

  /// Tells whether a rule means a request, whatever its ordinal.
  func applies(_ rule: Rule, to request: Request) -> Bool {
    if rule.trigger.request?.matches(request) == false { return false }
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
    var seed: UInt64
    var lane: Lane
    var key: String
    var ordinal: Int
    /// `nil`: whatever a rule asks holds.
    var context: TriggerContext?

    init(
      _ seed: UInt64,
      _ lane: Lane,
      _ key: String,
      _ ordinal: Int,
      _ context: TriggerContext?
    ) {
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
    where applies: (Rule) -> Bool,
    resolving: (Rule, Fault) -> Fault? = { $1 }
  ) -> [Fired] {
    var fired: [Fired] = []
    for (index, rule) in rules.enumerated() where applies(rule) {
      let draws = { [name] (ordinal: Int, of: String) in
        Draws(
          seed: moment.seed,
          scenario: name,
          lane: moment.lane,
          key: moment.key,
          ordinal: ordinal,
          rule: identity(of: index) + of
        )
      }
      let isAllowed = moment.context?.allows(rule.trigger, at: index) != false
      guard isAllowed,
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

  /// Returns a rule's name in draws: its trigger's text, and which of several equal ones it is. The
  /// place on the list is not in it, so another rule can be added without shifting this one.
  func identity(of index: Int) -> String {
    let text = rules[index].trigger.json.description
    let before = rules[..<index].count { $0.trigger == rules[index].trigger }
    return "\(text)#\(before)"
  }
}

// MARK: Of tunnels

extension Scenario {
  /// Decides what a tunnel meets: by the rules of connections, by those of `CONNECT host:port`, and by
  /// those of every request as far as they can be carried by bytes that cannot be read. A status is
  /// only for the rules that name the tunnel: it answers the `CONNECT`.
  func decideTunnel(_ request: Request, at moment: Moment, isOpened: Bool) -> Decision {
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
    var decision = Decision(moment, fired)
    decision.faults = decision.faults.map(\.behindProxy)
    return decision
  }

  /// Tells whether it has faults that need to look into a tunnel, so that they do not happen in one.
  public var hasFaultsBeyondTunnels: Bool {
    rules.contains { rule in
      if let request = rule.trigger.request { return !request.isForTunnels }
      return rule.faults.contains { fault in
        if case .refusal? = fault.tunnelPart { true } else { fault.tunnelPart == nil }
      }
    }
  }

  /// Tells whether it breaks tunnels off at a byte, which only a proxy that passes their bytes on can do.
  public var cutsTunnelsAtBytes: Bool {
    rules.contains { rule in
      guard rule.trigger.request?.isForTunnels == true else { return false }
      return rule.faults.contains { fault in
        if case .end(after: _?, _)? = fault.tunnelPart { true } else { false }
      }
    }
  }

  /// Tells whether it fails handshakes by certificates, which takes a proxy that opens them.
  public var needsCertificates: Bool {
    rules.lazy.flatMap(\.faults).contains {
      guard case .connection(.tls(let fault)) = $0 else { return false }
      return fault.needsCertificate
    }
  }
}

extension Decision {
  init(_ moment: Scenario.Moment, _ fired: [Scenario.Fired]) {
    self.init(
      lane: moment.lane,
      key: moment.key,
      ordinal: moment.ordinal,
      faults: fired.flatMap(\.faults)
    )
  }
}

/// The facts that a rule may ask for and no seed knows: how late it is, and what a request's fields say.
struct TriggerContext: Sendable {
  /// Since the scenario began.
  var elapsed = Duration.zero
  /// The header fields of the request.
  var headers: HeaderFields = [:]
  /// The places of the rules whose field is another by now than it was at first.
  var changed: Set<Int> = []

  func allows(_ trigger: Trigger, at place: Int) -> Bool {
    if let window = trigger.window, !window.contains(elapsed) { return false }
    if let header = trigger.header, !header.holds(headers) { return false }
    return trigger.untilHeaderChanges == nil || !changed.contains(place)
  }
}
