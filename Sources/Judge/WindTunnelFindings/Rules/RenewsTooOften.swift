extension FindingRule {
  /// A credential expires once, and is renewed again and again.
  static let renewsTooOften = FindingRule(
    id: "renews-too-often",
    title:
      "Asks for a new credential in many calls at once, or again and again in one, where one for all was enough.",
    condition:
      "a credential expired, and calls that were answered 401 asked for another, at the issuer that the "
      + "scenario names (`\"credential\"`), and came through with it",
    cost:
      "The issuer gets as many log-ins as there are calls, and limits or locks the account; where each "
      + "new credential ends the one before, no call ever comes through.",
    fix:
      "Let one call renew it and the others wait for that one; keep what it got for all of them; give up when "
      + "the new one is refused, too.",
    source: "RFC 6749 §5.1, §6 (refresh tokens may be rotated); RFC 9700 §4.14.2; RFC 9110 §15.5.2",
    clients: [.service, .library],
    leastCalls: 4
  ).together { rule, refused, flight in
    guard flight.scenario?.credential != nil else { return rule.notMet(by: 0) }
    let renewing = refused.filter(\.isJudged).compactMap { Renewal(of: $0, in: flight.scenario) }
    guard let first = renewing.map(\.call.observation.call).min() else { return rule.notMet(by: 0) }
    if let endless = renewing.max(by: { $0.count < $1.count }), endless.count >= times {
      let seen = Violation("It asked for a new credential \(endless.count) times in one call.")
      let broken = renewing.count { $0.count >= times }
      return rule.broken(seen, in: endless.call, calls: broken, of: renewing.count)
    }
    let through = renewing.filter(\.cameThrough)
    guard !through.isEmpty else {
      return .notMet("No call came through with what the issuer gave.")
    }
    // In process, and where none are kept, nobody counts the processes that made the calls.
    guard !flight.traffic.connections.isEmpty else {
      return .notMet("The processes that made its calls, each with a credential, were not counted.")
    }
    // Each process has a credential of its own: the parts of a drill on several machines, and one
    // that was started again after it had crashed or hung.
    let clients =
      flight.traffic.connections.count
      + flight.calls.count { $0.ending == .crashed || $0.ending == .hung }
    let since = flight.calls.count { call in
      call.call >= first && call.isJudged
        && call.attempts.contains { flight.scenario.isAnswered($0) }
    }
    guard since >= rule.leastCalls else { return rule.notMet(by: since) }
    let crossing = through.crossing
    guard crossing.count >= times * clients, let example = crossing.map(\.call).smallest else {
      // Of calls that are made one at a time none can ask beside another.
      return flight.mostAtOnce > 1
        ? .passed(since)
        : .notMet(
          "Its calls were made one at a time, and renewed it no more often than they had to. Fly it with "
            + "--concurrency to see whether those beside each other share what one gets."
        )
    }
    let seen = Violation(
      "A credential expired once, and \(crossing.count) of \(since) calls asked for a new one while another "
        + "was asking."
    )
    return rule.broken(seen, in: example, calls: crossing.count, of: since)
  }

  /// Whoever renews so much more often than it has to does not do so by chance: a call that was
  /// refused when another was just renewing it may do so once more.
  private static let times = 4
}

/// The requests for a new credential in a call that was refused.
private struct Renewal {
  let call: JudgedCall
  /// The number of such requests.
  let count: Int
  /// Tells whether the call was answered behind one.
  let cameThrough: Bool
  /// The time in which the issuer had the first of them and had not answered it.
  let asking: Range<Duration>

  /// Looks at a call; `nil` where it did not ask the issuer, or was there for that alone.
  init?(of call: JudgedCall, in scenario: Scenario?) {
    guard call.traits.contains(.refused), let issuer = scenario?.credential?.issuer else {
      return nil
    }
    let attempts = call.attempts
    guard !issuer.mayMatch(Request(endpoint: call.observation.endpoint)),
      let refused = attempts.firstIndex(where: { $0.injectedStatus == 401 })
    else { return nil }
    let renewals = attempts.indices.filter { $0 > refused && scenario.isRenewal(attempts[$0]) }
    guard let first = renewals.first else { return nil }
    (self.call, count) = (call, renewals.count)
    cameThrough = attempts[first...].contains { scenario.isAnswered($0) }
    let start = attempts[first].start ?? .zero
    asking = start..<max(start, attempts[first].end ?? start)
  }
}

extension [Renewal] {
  /// The renewals that began or ended while another call's was unanswered. A cassette has few
  /// credentials to give: whoever gets the expired one again and waits for its turn before it asks
  /// anew cannot do better.
  fileprivate var crossing: [Renewal] {
    let ordered = sorted { $0.asking.lowerBound < $1.asking.lowerBound }
    var latest: Duration?
    return ordered.indices.filter { place in
      let asking = ordered[place].asking
      defer { latest = Swift.max(latest ?? asking.upperBound, asking.upperBound) }
      let next = place + 1 < ordered.count ? ordered[place + 1].asking.lowerBound : nil
      return latest.map { asking.lowerBound < $0 } == true
        || next.map { $0 < asking.upperBound } == true
    }.map { ordered[$0] }
  }
}

extension Scenario? {
  /// Tells whether an attempt asks the issuer for a credential.
  fileprivate func isRenewal(_ attempt: Observation.Attempt) -> Bool {
    guard attempt.isRequest, let issuer = self?.credential?.issuer else { return false }
    return issuer.mayMatch(Request(endpoint: String(attempt.key)))
  }

  /// Tells whether an attempt got an answer of the server's that is no credential.
  fileprivate func isAnswered(_ attempt: Observation.Attempt) -> Bool {
    attempt.isAnswered && !isRenewal(attempt)
  }
}
