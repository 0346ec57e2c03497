extension FindingRule {
  /// Another's server is taken for the nearest of one's own.
  static let trustsRogueServer = FindingRule(
    id: "trusts-rogue-server",
    title: "Shows the page of a server that says other things than it must.",
    condition:
      "at an app's start a call asked a server that changes all that it says, its probe, too, and showed "
      + "a page that can be held against what was recorded",
    cost: "Whoever is the nearest in a network shows the user what it likes.",
    fix:
      "Probe each server before it is asked for anything, hold the answer against data that is built in, "
      + "and leave one that says other things.",
    source: "CWE-345 (insufficient verification of data authenticity); RFC 3552 §3.3.3 and §3.3.5"
  ).eachCall(with: \.rogueResponse) { call, use in
    switch use {
    case .refused: return .kept
    case _ where !call.claimsSuccess: return .kept
    case .shownDespiteProbe:
      return .broken(
        "A server had said other things at its probe than it must, and it showed that server's page."
      )
    case .shown:
      return .broken(
        "It showed the page of a server that says other things than it must, and had not probed it.",
        severity: .warning
      )
    }
  }
}

extension EvidenceRows {
  /// The use of a server that says other things than it must at an app's start; `nil` if the call
  /// asked none, or returned what may be made of anything.
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
