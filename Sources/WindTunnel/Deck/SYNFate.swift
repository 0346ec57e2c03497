/// The outcome of a client's attempts to connect (SYN, RFC 9293 §3.5), before anything can be said
/// on the connection.
public enum SYNFate: Sendable, Hashable {
  /// The first is answered.
  case answered
  /// So many are lost, and the next is answered.
  case lost(Int)
  /// None of the attempts is answered.
  case unanswered
}

extension Decision {
  /// The outcome of the attempts to make this connection.
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
}

extension Decision {
  /// Tells whether the connection fails; one that is only late, or of which nothing was decided,
  /// goes on.
  public var failsConnection: Bool {
    faults.contains { if case .connection(let fault) = $0 { fault.symptom != nil } else { false } }
  }
}

extension Scenario {
  /// Tells whether a rule of it loses attempts to connect, which a listener has to know beforehand.
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
  /// Returns the outcome of the attempts to make a lane's connection of this ordinal, counted from
  /// one. Asking decides nothing: the connection is counted when it opens.
  public func synFate(lane: Lane, ordinal: Int) -> SYNFate {
    let active = activeScenario
    return active.scenario.decideConnection(seed: active.seed, lane: lane, ordinal: ordinal)
      .synFate
  }
}
