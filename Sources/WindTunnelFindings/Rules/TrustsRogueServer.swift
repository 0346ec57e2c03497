extension FindingRule {
  /// Another's server is taken for the nearest of one's own.
  static let trustsRogueServer = FindingRule(
    id: "trusts-rogue-server",
    severity: .error,
    title: "Shows the page of a server that says other things than it must.",
    condition:
      "at an app's start a call asked a server that changes all that it says, its probe, too, and showed "
      + "a page that can be held against what was recorded",
    cost: "Whoever is the nearest in a network shows the user what it likes.",
    fix:
      "Probe each server before it is asked for anything, hold the answer against data that is built in, "
      + "and leave one that says other things.",
    source: "CWE-345 (insufficient verification of data authenticity); RFC 3552 §3.3.3 and §3.3.5"
  ).eachCall(.rogue) { call in
    switch call.observation.rogueResponse {
    case nil: return .notMet
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
