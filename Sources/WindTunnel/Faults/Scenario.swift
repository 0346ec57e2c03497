/// What the weather is, and where the bar lies in it: a link, rules and gates, under a name.
public struct Scenario: Sendable, Hashable {
  /// The name, which goes into every draw.
  public var name: String
  /// One sentence about it.
  public var summary: String?
  /// The path to the server; `nil`: as fast as it goes.
  public var link: Link?
  /// What goes wrong, in the order of composition.
  public var rules: [Rule]
  /// The requests whose calls must show something.
  public var critical: [RequestPattern]
  /// Where the bar lies for a client that flies in it.
  public var gates: [Gate]
  /// Keys that begin with `_`: kept as they are.
  public var notes: [JSON.Member] = []
  /// Keys of the link that begin with `_`.
  public var linkNotes: [JSON.Member] = []

  /// Makes a scenario.
  public init(
    _ name: String,
    summary: String? = nil,
    link: Link? = nil,
    rules: [Rule] = [],
    critical: [RequestPattern] = [],
    gates: [Gate] = []
  ) {
    self.name = name
    self.summary = summary
    self.link = link
    self.rules = rules
    self.critical = critical
    self.gates = gates
  }

  /// Nothing goes wrong.
  public static let calm = Scenario("calm")

  /// Whether a request belongs to a critical endpoint.
  public func isCritical(_ request: Request) -> Bool { critical.contains { $0.matches(request) } }

  /// Whether any rule fails connections, which takes an address of their own on the wire.
  public var hasConnectionFaults: Bool {
    rules.lazy.flatMap(\.faults).contains { fault in
      guard case .connection = fault else { return false }
      return true
    }
  }
}

extension Scenario: ExpressibleByArrayLiteral {
  /// A plan: one rule after the other.
  public init(arrayLiteral elements: Rule...) { self.init("plan", rules: elements) }
}

extension Scenario {
  /// Decides what a connection meets before there is a request on it.
  public func decideConnection(seed: UInt64, lane: Lane, ordinal: Int) -> Decision {
    decide(seed: seed, lane: lane, key: Decision.connectionKey, ordinal: ordinal) {
      $0.isForConnections
    }
  }

  /// Decides what a request meets: a pure function of its arguments, whoever asks and when.
  public func decide(
    _ request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> Decision {
    decide(seed: seed, lane: lane, key: key.text, ordinal: ordinal) { rule in
      !rule.isForConnections && rule.trigger.request?.matches(request) != false
    }
  }

  /// Decides what a request meets that comes through a proxy. The proxy connects for each request, so
  /// the rules of connections are the request's, too; there is no handshake in one that is not in a
  /// tunnel. One by `https` comes out of an open tunnel, which has met the rules of connections.
  func decideProxied(
    _ request: Request,
    key: RequestKey,
    seed: UInt64,
    lane: Lane,
    ordinal: Int
  ) -> Decision {
    let isInTunnel = request.url.scheme == "https"
    var decision = decide(seed: seed, lane: lane, key: key.text, ordinal: ordinal) { rule in
      if isInTunnel, rule.isForConnections { return false }
      return rule.trigger.request?.matches(request) != false
    } resolving: { _, fault in
      if case .connection(.tls) = fault { return nil }
      return fault
    }
    decision.faults = decision.faults.map(\.behindProxy)
    return decision
  }

  func decide(
    seed: UInt64,
    lane: Lane,
    key: String,
    ordinal: Int,
    where applies: (Rule) -> Bool,
    resolving: (Rule, Fault) -> Fault? = { $1 }
  ) -> Decision {
    var decision = Decision(lane: lane, key: key, ordinal: ordinal, faults: [])
    for (index, rule) in rules.enumerated() where applies(rule) {
      let draws = { [name] in
        Draws(
          seed: seed,
          scenario: name,
          lane: lane,
          key: key,
          ordinal: ordinal,
          rule: identity(of: index)
        )
      }
      guard rule.trigger.fires(ordinal: ordinal, draws: draws()) else { continue }
      var next = Trigger.probabilityDraw
      decision.faults += rule.faults.compactMap { fault in
        let resolved = fault.resolved {
          next += 1
          return draws().unit(next)
        }
        return resolving(rule, resolved)
      }
    }
    return decision
  }

  /// What names a rule in draws: its trigger's text, and which of several equal ones it is. The
  /// place on the list is not in it, so another rule can be added without shifting this one.
  private func identity(of index: Int) -> String {
    let text = rules[index].trigger.json.description
    let before = rules[..<index].count { $0.trigger == rules[index].trigger }
    return "\(text)#\(before)"
  }
}
