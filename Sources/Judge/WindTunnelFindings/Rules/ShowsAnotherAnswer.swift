extension FindingRule {
  /// Finds clients that assign a response to the wrong call.
  static let showsAnotherAnswer = FindingRule(
    id: "shows-another-answer",
    title: "Returns another request's response.",
    condition:
      "a call ended while its response was still arriving, and the results of other calls can be "
      + "compared with the recordings",
    cost: "A user sees the data of another user.",
    fix:
      "Close a connection if its response was not read to the end. Match each response to its "
      + "request by connection and order, or by a number.",
    source:
      "OpenAI, March 20 ChatGPT outage (2023; a cancelled request left its response on a pooled "
      + "connection); RFC 9112 §9.3",
    clients: [.service, .library]
  ).together(.unread) { rule, _, flight in
    let (shown, mixedUp) = flight.compared
    let isMet = !mixedUp.isEmpty || flight.calls.contains(where: \.leftAnswerBehind)
    return rule.standing(mixedUp, of: isMet ? shown : 0, in: flight) { place in
      let call = flight.calls[place]
      return "For \(call.endpoint), it showed the response to \(call.strangeAnswer ?? "")."
    }
  }
}

extension ClientRun {
  /// The number of judged calls with a comparable result, and the indices of calls that showed a
  /// response of another request. Read in place, because there may be millions.
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
