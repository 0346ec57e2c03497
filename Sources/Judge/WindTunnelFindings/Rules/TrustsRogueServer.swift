extension FindingRule {
  /// Finds apps that accept the server of an attacker as the nearest of their own.
  static let trustsRogueServer = FindingRule(
    id: "trusts-rogue-server",
    title: "Shows a page from a rogue server.",
    condition:
      "at the start of an app, a call reached a server that changes all its responses, including "
      + "its probe, and showed a page that can be compared with the recordings",
    cost: "The nearest attacker in a network decides what the user sees.",
    fix:
      "Probe each server before the first request, compare its response with built-in data, and "
      + "avoid a server that differs.",
    source: "CWE-345 (insufficient verification of data authenticity); RFC 3552 §3.3.3 and §3.3.5"
  ).eachCall(with: \.rogueResponse) { call, use in
    switch use {
    case .refused: return .kept
    case _ where !call.claimsSuccess: return .kept
    case .shownDespiteProbe:
      return .broken("A server failed its probe, and it showed that server's page.")
    case .shown:
      return .broken(
        "It showed a page from a rogue server without probing it.",
        severity: .warning
      )
    }
  }
}

extension EvidenceRows {
  /// The reaction of a call to a server that sends wrong responses at an app's start. `nil` if the
  /// call sent no request to one, or if its result may have any origin.
  public var rogueResponse: Evidence<Observation.RogueResponse> {
    Evidence("rogueResponse", JSONFields.fact) { call in
      guard !call.rogues.isEmpty, let result = call.result else { return nil }
      let answers = call.versions.filter { answer in
        answer.number > 1 && answer.origin.map(call.rogues.contains) ?? false
      }
      guard !answers.isEmpty || !call.failedProbes.isDisjoint(with: call.rogues) else { return nil }
      guard result.ending == .succeeded else { return .refused }
      if let shown = answers.first(where: {
        call.bodies.shows(version: $0.number, result, call.key)
      }) {
        return shown.isOfFailedProbe ? .shownDespiteProbe : .shown
      }
      return call.bodies.match(result, call.key) == true ? .refused : nil
    }
  }
}
