extension FindingRule {
  /// A request that must not be done twice is sent again though it may have been done.
  static let repeatsPost = FindingRule(
    "repeats-post",
    .error,
    "Sends a POST or PATCH again that the server may have done already.",
    condition: "a POST or PATCH without an Idempotency-Key failed after it had been read whole",
    cost: "An order, a payment or a message is made twice.",
    remedy:
      "Repeat idempotent methods alone, or send an Idempotency-Key that stays over the attempts.",
    source: "RFC 9110 §9.2.2; draft-ietf-httpapi-idempotency-key-header",
    scope: .call(.unsafe) { call in
      // A request is decided when it has come whole, so each of these had been read.
      let doubtful = call.attempts.indices.filter { call.attempts[$0].mayHaveBeenDone != nil }
      guard !doubtful.isEmpty else { return .notMet }
      for place in doubtful {
        guard let again = call.repeats.first(where: { $0.before == place }),
          call.attempts[again.after].isRepeatable == false,
          let severity = call.attempts[place].mayHaveBeenDone
        else { continue }
        let before = call.attempts[place]
        let what = before.error ?? before.status.map { "a \($0)" } ?? "no answer"
        let wait = call.gap(place, again.after).map { ", \(Figures.time($0)) later" } ?? ""
        return .broken(
          Violation("After \(what) it sent \(before.key) again\(wait).", severity: severity)
        )
      }
      return .kept
    }
  )
}

extension Observation.Attempt {
  /// The weight of sending it again where it must not be done twice and nobody knows whether it was;
  /// `nil` where it may be repeated, was done well, or was not done.
  fileprivate var mayHaveBeenDone: Finding.Severity? {
    guard isRequest, isRepeatable == false, !isAnswered else { return nil }
    switch status {
    // A gateway that is overloaded says so before it has asked anybody, but need not.
    case 503 where error == nil: return retryAfter == nil && retryNotBefore == nil ? .warning : nil
    case 500?, 502?, 504?: return .error
    default: return error == nil ? nil : .error
    }
  }
}
