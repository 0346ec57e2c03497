extension FindingRule {
  /// A log-in page outlives the network that it came from.
  static let keepsPortalPage = FindingRule(
    id: "keeps-portal-page",
    title: "Shows a captive portal's page when the server is there again.",
    condition: "a captive portal answered a call, and the server itself later ones",
    cost: "The user has logged in to the network, and the app still shows its log-in page.",
    fix: "Look at an answer before it is kept: its media type, its place, and Cache-Control.",
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
      let how = isAnswered ? "had the server's own answer" : "asked nobody"
      return "It showed the page of a captive portal that was gone, and \(how)."
    }
  }

  /// Less than an error, for some have breakers for each address.
  private static let failure = Violation(
    "It failed and asked nobody, when the server was there again. A captive portal had answered at this "
      + "address before.",
    severity: .warning
  )

  /// The places of calls that failed and sent nothing where a page had come before, behind one by
  /// which the client had come through: a breaker that is open for all would be closed by that.
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
