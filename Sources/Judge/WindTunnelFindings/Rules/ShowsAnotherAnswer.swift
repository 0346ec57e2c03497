extension FindingRule {
  /// Answers and calls are mixed up.
  static let showsAnotherAnswer = FindingRule(
    id: "shows-another-answer",
    title: "Shows a call the answer of another request.",
    condition:
      "a call ended while its answer was still to come, and what others showed could be held against what "
      + "was recorded",
    cost: "A user sees the data of another user.",
    fix:
      "Close a connection whose answer was not read to its end; give each request its own answer, "
      + "by connection and order or by a number.",
    source:
      "OpenAI, March 20 ChatGPT outage (2023; a cancelled request left its answer on a pooled "
      + "connection); RFC 9112 §9.3",
    clients: [.service, .library]
  ).together(.unread) { rule, _, flight in
    let (shown, mixedUp) = flight.compared
    let isMet = !mixedUp.isEmpty || flight.calls.contains(where: \.leftAnswerBehind)
    return rule.standing(mixedUp, of: isMet ? shown : 0, in: flight) { place in
      let call = flight.calls[place]
      return
        "Asked for \(call.endpoint), it showed what was answered to \(call.strangeAnswer ?? "")."
    }
  }
}

extension ClientRun {
  /// The number of calls that were judged and showed something that could be compared, and the
  /// places of those of them that showed what they had not asked for; looked at in place, since
  /// there may be millions.
  fileprivate var compared: (shown: Int, mixedUp: [Int]) {
    calls.withUnsafeBufferPointer { calls in
      var (shown, mixedUp): (Int, [Int]) = (0, [])
      for place in calls.indices {
        guard case .succeeded = calls[place].ending else { continue }
        guard !calls[place].facts.isEmpty else {
          if calls[place].bodyMatches != nil { shown += 1 }
          continue
        }
        let call = calls[place]
        guard call.isJudged, call.bodyMatches != nil || call.showsResponseOf != nil else {
          continue
        }
        shown += 1
        if call.strangeAnswer != nil { mixedUp.append(place) }
      }
      return (shown, mixedUp)
    }
  }
}
