extension FindingRule {
  /// A request that must not be done twice is sent again though it may have been done.
  static let repeatsPost = FindingRule(
    "repeats-post",
    .error,
    "Sends a POST or PATCH again that the server may have done already.",
    condition: "a POST or PATCH failed after it had been read whole",
    cost: "An order, a payment or a message is made twice.",
    remedy:
      "Repeat idempotent methods alone, or send an Idempotency-Key that is made once for a call and "
      + "stays over its attempts.",
    source: "RFC 9110 §9.2.2; draft-ietf-httpapi-idempotency-key-header",
    clients: Set(Flight.Client.allCases),
    scope: .call(.unsafe) { call in
      // A request is decided when it has come whole, so each of these had been read.
      let attempts = call.attempts
      let doubtful = attempts.indices.filter { attempts[$0].mayHaveBeenDone != nil }
      guard !doubtful.isEmpty else { return .notMet }
      for place in doubtful {
        guard let again = call.repetition(of: place),
          let severity = attempts[place].mayHaveBeenDone
        else { continue }
        let (before, after) = (attempts[place], attempts[again])
        let (key, next) = (before.sent?.key, after.sent?.key)
        let isKept = key != nil && key == next
        // A key that was not seen may be any.
        let isUnseen = next == nil && after.isRepeatable != false
        if isKept || isUnseen || call.keepsMark(from: before, to: after) { continue }
        let what = before.error ?? before.status.map { "a \($0)" } ?? "no answer"
        let wait = call.gap(place, again).map { ", \(Figures.time($0)) later" } ?? ""
        let isChanged = key != nil && next != nil
        let words = isChanged ? ", and the Idempotency-Key had changed" : ""
        return .broken(
          Violation(
            "After \(what) it sent \(before.key) again\(wait)\(words).",
            severity: severity
          )
        )
      }
      return .kept
    }
  )
}

extension JudgedCall {
  /// The place of the attempt that sends the same again: another body is another deed, where bodies
  /// were seen.
  fileprivate func repetition(of place: Int) -> Int? {
    let attempts = attempts
    let next = repeats.first { $0.before == place }?.after
    guard let content = attempts[place].sent?.content else { return next }
    if let next, (attempts[next].sent?.content ?? content) == content { return next }
    return attempts.indices.dropFirst(place + 1).first {
      attempts[$0].sent?.content == content && attempts[$0].isAfter(attempts[place])
    }
  }

  /// Tells whether both bear something of this call's alone, by which a server can tell that they
  /// are one.
  fileprivate func keepsMark(from before: Observation.Attempt, to after: Observation.Attempt)
    -> Bool
  {
    guard let marks = before.sent?.marks, let next = after.sent?.marks else { return false }
    return marks.contains { next.contains($0) && isOwn($0) }
  }
}

extension Observation.Attempt {
  /// The weight of sending it again where it must not be done twice and nobody knows whether it
  /// was; `nil` where it may be repeated, was done well, or was not done.
  fileprivate var mayHaveBeenDone: Finding.Severity? {
    guard isRequest, isRepeatable == false || sent?.key != nil, !isAnswered else { return nil }
    switch status {
    // A gateway that is overloaded says so before it has asked anybody, but need not.
    case 503 where error == nil: return retryAfter == nil && retryNotBefore == nil ? .warning : nil
    case 500?, 502?, 504?: return .error
    default: return error == nil ? nil : .error
    }
  }
}
