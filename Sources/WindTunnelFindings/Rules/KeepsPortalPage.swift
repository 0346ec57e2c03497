extension FindingRule {
  /// A log-in page outlives the network that it came from.
  static let keepsPortalPage = FindingRule(
    "keeps-portal-page",
    .error,
    "Shows a captive portal's page when the server is there again.",
    condition: "a captive portal answered a call, and the server itself later ones",
    cost: "The user has logged in to the network, and the app still shows its log-in page.",
    remedy: "Look at an answer before it is kept: its media type, its place, and Cache-Control.",
    source: "RFC 8952 §1; RFC 9111 §5.2.2.5 (no-store)",
    clients: [.service, .library],
    scope: .flight { rule, _, flight in
      let met = flight.calls.filter { $0.attempts.contains(where: \.isOfPortal) }.map(\.call)
      guard let first = met.min() else { return .notMet(rule.unmet(by: 0)) }
      let later = flight.calls.indices.filter { place in
        let call = flight.calls[place]
        return call.call > first && call.isJudged && !call.attempts.contains(where: \.isOfPortal)
      }
      guard !later.isEmpty else { return .notMet(rule.unmet(by: 0)) }
      let kept = later.filter { place in
        flight.calls[place].ending == .succeeded
          && flight.calls[place].showsAnswerOf == Observation.portalPage
      }
      guard let example = kept.min(by: { flight.calls[$0].call < flight.calls[$1].call }) else {
        return .passed(later.count)
      }
      let isAsked = flight.calls[example].attempts.contains(where: \.isRequest)
      return .broken(
        rule.finding(
          Violation(
            "It showed the page of a captive portal that was gone"
              + (isAsked ? ", and had the server's own answer." : ", and asked nobody.")
          ),
          in: JudgedCall.one(at: example, in: flight),
          calls: kept.count,
          judged: later.count
        )
      )
    }
  )
}
