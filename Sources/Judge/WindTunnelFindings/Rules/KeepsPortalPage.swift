extension FindingRule {
  /// Finds clients that store the page of a captive portal and show it when the server is reachable
  /// again.
  static let keepsPortalPage = FindingRule(
    id: "keeps-portal-page",
    title: "Shows a captive portal's page when the server is reachable again.",
    condition: "a captive portal answered a call, and the server itself answered later ones",
    cost: "The user has logged in to the network, but the app still shows its log-in page.",
    fix: "Check a response before storing it: its media type, its URL and Cache-Control.",
    source: "RFC 8952 §1; RFC 9111 §5.2.2.5 (no-store)",
    clients: [.service, .library]
  ).together(.portal) { rule, _, flight in
    let met = flight.calls.filter { $0.attempts.contains(where: \.isOfPortal) }.map(\.call)
    guard let first = met.min() else { return rule.notMet(by: 0) }
    let later = flight.calls.indices.filter { place in
      let call = flight.calls[place]
      return call.call > first && call.isJudged && !call.attempts.contains(where: \.isOfPortal)
    }
    let shown = later.filter { place in
      flight.calls[place].ending == .succeeded
        && flight.calls[place].showsResponseOf == Observation.portalPage
    }
    let kept = shown.isEmpty ? failsUnasked(among: later, in: flight) : shown
    return rule.standing(kept, of: later.count, in: flight) { place in
      if shown.isEmpty { return failure }
      let isAnswered = flight.calls[place].attempts.contains(where: \.isRequest)
      let how = isAnswered ? "received the server's own response" : "sent no request"
      return "It showed the page of a captive portal that was no longer active, and \(how)."
    }
  }

  /// A warning only, because some clients have a circuit breaker for each URL.
  private static let failure = Violation(
    "It failed without a request when the server was reachable again. A captive portal had "
      + "answered at this address before.",
    severity: .warning
  )

  /// Returns the indices of calls that failed without a request at an endpoint that had a portal's
  /// page, after another call had succeeded. A circuit breaker for all endpoints would have been
  /// closed by that success.
  private static func failsUnasked(among later: [Int], in flight: ClientRun) -> [Int] {
    let pages = Set(
      flight.calls.filter { $0.attempts.contains(where: \.isOfPortal) }.map(\.endpoint)
    )
    let through = later.map { flight.calls[$0] }
      .filter { $0.ending == .succeeded && $0.attempts.contains(where: \.isRequest) }
    guard let first = through.map(\.call).min() else { return [] }
    return later.filter { place in
      let call = flight.calls[place]
      return call.call > first && call.ending != .succeeded && call.attempts.isEmpty
        && pages.contains(call.endpoint)
    }
  }
}
