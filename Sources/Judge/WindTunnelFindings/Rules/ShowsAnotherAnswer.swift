extension FindingRule {
  /// Finds clients that assign a response to the wrong call.
  static let showsAnotherAnswer = FindingRule(
    id: "shows-another-answer",
    title: "Returns another request's response.",
    condition:
      "a call ended while its response was still arriving, or calls of one path had different "
      + "queries; and the results of calls can be compared with the recordings",
    cost: "A user sees the data of another user.",
    fix:
      "Close a connection if its response was not read to the end. Match each response to its "
      + "request by connection and order, or by a number. Store it by its whole URL and by the "
      + "fields that Vary names, such as the user.",
    source:
      "OpenAI, March 20 ChatGPT outage (2023; a cancelled request left its response on a pooled "
      + "connection); RFC 9112 §9.3; RFC 9111 §2, §4.1 (the URI and Vary as cache keys)"
  ).together(.unread) { rule, _, flight in
    let (shown, mixedUp, alike) = flight.compared
    // A program for each call has no connection from an earlier one.
    let isMet =
      !mixedUp.isEmpty
      || flight.client != .program && flight.calls.contains(where: \.leftAnswerBehind)
    return rule.standing(mixedUp, of: isMet ? shown : alike, in: flight) { place in
      let call = flight.calls[place]
      let other = call.strangeAnswer ?? ""
      let query = other.prefix { $0 != "?" } == call.endpoint ? " with another query" : ""
      return "For \(call.endpoint)\(query), it showed the response to \(other)."
    }
  }
}

extension ClientRun {
  /// The number of judged calls with a comparable result, the indices of calls that showed a
  /// response of another request, and the number of calls of paths that had several queries. Read
  /// in place, because there may be millions.
  fileprivate var compared: (shown: Int, mixedUp: [Int], alike: Int) {
    calls.withUnsafeBufferPointer { calls in
      var (shown, mixedUp): (Int, [Int]) = (0, [])
      var asked: [String: Int] = [:]
      for place in calls.indices {
        guard case .succeeded = calls[place].ending else { continue }
        if calls[place].facts.isEmpty {
          guard calls[place].bodyMatches != nil else { continue }
        } else {
          let call = calls[place]
          guard call.isJudged, call.bodyMatches != nil || call.showsResponseOf != nil else {
            continue
          }
          if call.strangeAnswer != nil { mixedUp.append(place) }
        }
        shown += 1
        // A parameter of the client's own, such as the time, is not another query.
        guard !calls[place].attempts.isEmpty,
          calls[place].attempts[0].sent?.addsParameters != true
        else { continue }
        asked[calls[place].attempts[0].key, default: 0] += 1
      }
      let alike = Dictionary(grouping: asked) { $0.key.prefix { $0 != "?" } }.values
        .filter { $0.count > 1 }.joined().reduce(0) { $0 + $1.value }
      return (shown, mixedUp, alike)
    }
  }
}
