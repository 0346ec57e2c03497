extension FindingRule {
  /// Answers and calls are mixed up.
  static let showsAnotherAnswer = FindingRule(
    "shows-another-answer",
    .error,
    "Shows a call the answer of another request.",
    condition:
      "a call ended while its answer was still to come, and what others showed could be held against what "
      + "was recorded",
    cost: "A user sees the data of another user.",
    remedy:
      "Close a connection whose answer was not read to its end; give each request its own answer, "
      + "by connection and order or by a number.",
    source:
      "OpenAI, March 20 ChatGPT outage (2023; a cancelled request left its answer on a pooled "
      + "connection); RFC 9112 §9.3",
    clients: [.service, .library],
    scope: .flight { rule, _, flight in
      let shown = flight.calls.indices.filter { place in
        let call = flight.calls[place]
        return call.isJudged && call.ending == .succeeded
          && (call.bodyMatches != nil || call.showsAnswerOf != nil)
      }
      let mixedUp = shown.filter { flight.calls[$0].strangeAnswer != nil }
      guard
        let first = mixedUp.min(by: { flight.calls[$0].call < flight.calls[$1].call }),
        let other = flight.calls[first].strangeAnswer
      else {
        let isMet = flight.calls.contains(where: \.leftAnswerBehind)
        return isMet && !shown.isEmpty ? .passed(shown.count) : .notMet(rule.unmet(by: 0))
      }
      return .broken(
        rule.finding(
          Violation(
            "Asked for \(flight.calls[first].endpoint), it showed what was answered to \(other)."
          ),
          in: JudgedCall.one(at: first, in: flight),
          calls: mixedUp.count,
          judged: shown.count
        )
      )
    }
  )
}

extension Observation {
  /// The endpoint whose answer it shows and which it has not asked for by itself.
  fileprivate var strangeAnswer: String? {
    guard let showsAnswerOf, showsAnswerOf != Self.portalPage else { return nil }
    let isAsked = attempts.contains { attempt in
      attempt.key.prefix { $0 != "?" } == showsAnswerOf
    }
    return isAsked ? nil : showsAnswerOf
  }

  /// Tells whether it ended before the server had answered its last request.
  fileprivate var leftAnswerBehind: Bool {
    guard ending != .succeeded || wasGivenUp, let end,
      let last = attempts.last(where: \.isRequest), last.error == nil
    else { return false }
    return last.end.map { $0 > end } ?? true
  }
}
