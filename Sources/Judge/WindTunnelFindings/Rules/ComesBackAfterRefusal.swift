extension FindingRule {
  /// Finds clients that reconnect after a server rejected them for an error of their own.
  static let comesBackAfterRefusal = FindingRule(
    id: "comes-back-after-refusal",
    title: "Reconnects after a server closed a conversation because of a client error.",
    condition: "a server closed a conversation with an error code: 1002, 1003 or 1007 to 1010",
    cost: "A rejected client reconnects indefinitely, and its user sees no error.",
    fix: "Reconnect only after 1001, 1005, 1006 and 1011 to 1014. Report any other code as final.",
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
      "It requested a conversation \(times) more after its server had closed it with \(code).",
      severity: again.count == 1 ? .warning : nil
    )
  }
}

extension Observation.Attempt {
  /// Whether a fault made the server close the conversation with a code for a client error. Without
  /// a fault, the client sent a message that is not on the cassette.
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
