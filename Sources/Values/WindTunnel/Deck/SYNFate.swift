/// The outcome of a client's attempts to connect (SYN, RFC 9293 §3.5), before any byte can be sent
/// on the connection.
public enum SYNFate: Sendable, Hashable {
  /// The first attempt is answered.
  case answered
  /// A number of attempts are lost, and the next one is answered.
  case lost(Int)
  /// None of the attempts is answered.
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

  /// Tells whether the connection fails; one that is merely late, or that has no faults, does not.
  public var failsConnection: Bool {
    faults.contains { if case .connection(let fault) = $0 { fault.symptom != nil } else { false } }
  }
}

extension Scenario {
  /// Tells whether a rule of the scenario loses attempts to connect, which a listener has to know
  /// beforehand.
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
  /// Returns the outcome of the attempts to open a lane's connection of this ordinal, from 1. The
  /// call decides nothing: a connection is counted when it opens.
  public func synFate(lane: Lane, ordinal: Int) -> SYNFate {
    let active = activeScenario
    return active.scenario.decideConnection(seed: active.seed, lane: lane, ordinal: ordinal).synFate
  }
}
