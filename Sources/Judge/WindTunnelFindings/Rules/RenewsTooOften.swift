extension FindingRule {
  /// Finds clients that renew an expired credential several times.
  static let renewsTooOften = FindingRule(
    id: "renews-too-often",
    title:
      "Requests a new credential repeatedly, or in many calls at once, although one is enough.",
    condition:
      "a credential expired, and calls that received 401 requested another from the issuer that "
      + "the scenario names (`\"credential\"`), and succeeded with it",
    cost:
      "The issuer receives a log-in for each call, and limits or locks the account. If each new "
      + "credential revokes the previous one, no call ever succeeds.",
    fix:
      "Let one call renew the credential while the others wait for it, and use the result for all. "
      + "Give up if the new one is refused, too.",
    source: "RFC 6749 §5.1, §6 (refresh tokens may be rotated); RFC 9700 §4.14.2; RFC 9110 §15.5.2",
    clients: [.service, .library],
    leastCalls: 4
  ).together { rule, refused, flight in
    guard flight.scenario?.credential != nil else { return rule.notMet(by: 0) }
    let renewing = refused.filter(\.isJudged).compactMap { Renewal(of: $0, in: flight.scenario) }
    guard let first = renewing.map(\.call.observation.call).min() else { return rule.notMet(by: 0) }
    if let endless = renewing.max(by: { $0.count < $1.count }), endless.count >= times {
      let seen = Violation("It requested a new credential \(endless.count) times in one call.")
      let broken = renewing.count { $0.count >= times }
      return rule.broken(seen, in: endless.call, calls: broken, of: renewing.count)
    }
    let through = renewing.filter(\.cameThrough)
    guard !through.isEmpty else {
      return .notMet("No call succeeded with the credential that the issuer returned.")
    }
    // The processes of the calls are not counted in process, nor if connections are not kept.
    guard !flight.traffic.connections.isEmpty else {
      return .notMet("The processes that made its calls, each with a credential, were not counted.")
    }
    // Each process has its own credential. A sharded drill has several processes, and a process is
    // started again after a crash or hang.
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
      // If calls are made one at a time, none can renew the credential at the same time as another.
      return flight.mostAtOnce > 1
        ? .passed(since)
        : .notMet(
          "Its calls were made one at a time, and renewed it no more often than necessary. Run it "
            + "with --concurrency to see whether concurrent calls share a new credential."
        )
    }
    let seen = Violation(
      "A credential expired once, and \(crossing.count) of \(since) calls requested a new one "
        + "while another request for it was open."
    )
    return rule.broken(seen, in: example, calls: crossing.count, of: since)
  }

  /// The minimum ratio of renewals to expected renewals. A call that was rejected while another
  /// renewed the credential may renew it once more, so a smaller ratio may be accidental.
  private static let times = 4
}

/// The requests for a new credential in a rejected call.
private struct Renewal {
  let call: JudgedCall
  /// The number of such requests.
  let count: Int
  /// Whether the call succeeded after a renewal.
  let cameThrough: Bool
  /// The time from the first of these requests to its response.
  let asking: Range<Duration>

  /// Creates the renewals of a call; `nil` if it did not request a credential, or had no other
  /// purpose.
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
  /// The renewals that began or ended during another call's renewal. A cassette has few
  /// credentials, so a client may receive the expired one again. A client that then waits for its
  /// turn does not count.
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
  /// Returns whether an attempt requests a credential from the issuer.
  fileprivate func isRenewal(_ attempt: Observation.Attempt) -> Bool {
    guard attempt.isRequest, let issuer = self?.credential?.issuer else { return false }
    return issuer.mayMatch(Request(endpoint: String(attempt.key)))
  }

  /// Returns whether an attempt got a response of the server that is not a credential.
  fileprivate func isAnswered(_ attempt: Observation.Attempt) -> Bool {
    attempt.isAnswered && !isRenewal(attempt)
  }
}
