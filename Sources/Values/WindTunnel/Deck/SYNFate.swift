/// The outcome of a client's attempts to connect (SYN, RFC 9293 §3.5), before any byte can be sent
/// on the connection.
public enum SYNFate: Sendable, Hashable {
  /// The first attempt receives a reply.
  case answered
  /// A number of attempts are lost, and the next one receives a reply.
  case lost(Int)
  /// No attempt receives a reply.
  case unanswered
}

extension FaultDecision {
  /// The outcome of the attempts to open this connection.
  public var synFate: SYNFate {
    for case .connection(let fault) in faults {
      switch fault {
      case .connectTimeout: return .unanswered
      case .lostSYNs(let count): return .lost(count)
      case .offline, .refused, .hostNotFound, .tls: continue
      }
    }
    return .answered
  }

  /// Whether the connection fails; false if it is only late, or has no faults.
  public var failsConnection: Bool {
    faults.contains { if case .connection(let fault) = $0 { fault.symptom != nil } else { false } }
  }
}

extension Scenario {
  /// Whether a rule of the scenario loses attempts to connect, which a listener must know in
  /// advance.
  public var losesSYNs: Bool {
    rules.lazy.filter(\.isForConnections).flatMap(\.faults).contains { fault in
      switch fault {
      case .connection(.connectTimeout), .connection(.lostSYNs): true
      default: false
      }
    }
  }
}

extension Deck {
  /// Returns the outcome of the attempts to open a lane's connection with this ordinal, from 1.
  ///
  /// The call does not count the connection, which happens when it opens.
  public func synFate(lane: Lane, ordinal: Int) -> SYNFate {
    let active = activeScenario
    return active.scenario.decideConnection(seed: active.seed, lane: lane, ordinal: ordinal).synFate
  }
}
