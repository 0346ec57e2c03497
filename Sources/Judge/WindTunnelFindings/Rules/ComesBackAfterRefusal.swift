extension FindingRule {
  /// The server has said that it is the client's fault.
  static let comesBackAfterRefusal = FindingRule(
    id: "comes-back-after-refusal",
    title: "Connects again after a server closed a conversation for what the client had done.",
    condition:
      "a server closed a conversation of a call by a code that no other connection mends: 1002, 1003 "
      + "or 1007 to 1010",
    cost: "A client that is locked out asks for ever, and its user is told nothing.",
    fix:
      "Come back after 1001, 1005, 1006 and 1011 to 1014 alone; show any other code as the end.",
    source: "RFC 6455 §7.4.1; IANA, WebSocket Close Code Number Registry"
  ).eachCall(.conversed) { call in
    let refused = call.attempts.indices.filter { call.attempts[$0].isRefusedConversation }
    guard !refused.isEmpty else { return .notMet }
    let again = refused.filter { place in
      let refused = call.attempts[place]
      guard let closed = refused.closed else { return false }
      return call.attempts[(place + 1)...].contains { next in
        next.key == refused.key && next.start.map { $0 >= closed } ?? false
      }
    }
    guard let first = again.first,
      case .server(let code)? = call.attempts[first].conversation?.ending
    else { return .kept }
    let times = again.count == 1 ? "once" : "\(again.count) times"
    return .broken(
      "It asked for a conversation \(times) more that its server had closed with \(code).",
      severity: again.count == 1 ? .warning : nil
    )
  }
}

extension Observation.Attempt {
  /// Tells whether a fault had the server close its conversation for what a client does: where it
  /// is no fault, the client has said what is not on the cassette.
  fileprivate var isRefusedConversation: Bool {
    guard case .server(let code)? = conversation?.ending else { return false }
    let isFault = decision.faults.contains {
      if case .conversation(.end(.frame(code), _)) = $0 { true } else { false }
    }
    return isFault && ([1002, 1003].contains(code) || 1007...1010 ~= code)
  }

  /// The time at which its conversation was closed.
  fileprivate var closed: Duration? {
    guard let end, let closed = conversation?.end else { return nil }
    return end + closed
  }
}
