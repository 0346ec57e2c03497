internal import WindTunnel

extension FindingRule {
  /// A credential expires once, and is renewed again and again.
  static let renewsTooOften = FindingRule(
    "renews-too-often",
    .error,
    "Asks for a new credential with call after call, or again and again in one, where one for all was enough.",
    condition:
      "a credential expired, and calls that were answered 401 asked for another, at the issuer that the "
      + "scenario names (`\"credential\"`), and came through with it",
    cost:
      "The issuer gets as many log-ins as there are calls, and limits or locks the account; where each "
      + "new credential ends the one before, no call ever comes through.",
    remedy:
      "Let one call renew it and the others wait for that one; keep what it got for all of them; give up when "
      + "the new one is refused, too.",
    source: "RFC 6749 §5.1, §6 (refresh tokens may be rotated); RFC 9700 §4.14.2; RFC 9110 §15.5.2",
    clients: [.service, .library],
    leastCalls: 4,
    scope: .flight { rule, refused, flight in
      let renewing = refused.filter(\.isJudged).compactMap { Renewal(of: $0, in: flight.weather) }
      guard let first = renewing.map(\.call.observation.call).min() else {
        return .notMet(rule.unmet(by: 0))
      }
      if let endless = renewing.max(by: { $0.count < $1.count }), endless.count >= times {
        return .broken(
          rule.finding(
            Violation(
              "It asked for a new credential \(endless.count) times in one call."
            ),
            in: endless.call,
            calls: renewing.count { $0.count >= times },
            judged: renewing.count
          )
        )
      }
      let through = renewing.filter(\.cameThrough)
      guard !through.isEmpty else {
        return .notMet("No call came through with what the issuer gave.")
      }
      let since = flight.calls.count { call in
        call.call >= first && call.isJudged
          && call.attempts.contains { flight.weather.isAnswered($0) }
      }
      guard since >= rule.leastCalls else { return .notMet(rule.unmet(by: since)) }
      guard through.count >= times * flight.clientCount, let example = through.map(\.call).smallest
      else {
        // Of calls that are made one at a time none can ask beside another.
        return flight.mostAtOnce > 1
          ? .passed(since)
          : .notMet(
            "Its calls were made one at a time, and renewed it no more often than they had to. Fly it with "
              + "--concurrency to see whether those beside each other share what one gets."
          )
      }
      return .broken(
        rule.finding(
          Violation(
            "A credential expired once, and \(through.count) of \(since) calls asked for a new one of their own."
          ),
          in: example,
          calls: through.count,
          judged: since
        )
      )
    }
  )

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

  /// Looks at a call; `nil` where it did not ask the issuer, or was there for that alone.
  init?(of call: JudgedCall, in weather: Scenario?) {
    guard call.traits.contains(.refused), let issuer = weather?.credential?.issuer else {
      return nil
    }
    let attempts = call.attempts
    guard !issuer.mayMatch(Request(endpoint: call.observation.endpoint)),
      let refused = attempts.firstIndex(where: { $0.injectedStatus == 401 })
    else { return nil }
    let renewals = attempts.indices.filter { $0 > refused && weather.isRenewal(attempts[$0]) }
    guard let first = renewals.first else { return nil }
    (self.call, count) = (call, renewals.count)
    cameThrough = attempts[first...].contains { weather.isAnswered($0) }
  }
}

extension Flight {
  /// The number of the processes that made the calls, each of which has a credential of its own:
  /// the parts of a drill on several machines, and what was started again after a fall.
  fileprivate var clientCount: Int {
    max(1, traffic.connections.count) + calls.count { $0.ending == .crashed || $0.ending == .hung }
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
