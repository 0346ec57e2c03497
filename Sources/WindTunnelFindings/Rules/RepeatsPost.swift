extension FindingRule {
  /// A request that must not be done twice is sent again though it may have been done.
  static let repeatsPost = FindingRule(
    "repeats-post",
    .error,
    "Sends a POST or PATCH again that the server may have done already.",
    condition:
      "a POST or PATCH failed or was given up after it had been read whole, or was sent again while it "
      + "was open",
    cost: "An order, a payment or a message is made twice.",
    remedy:
      "Repeat idempotent methods alone, or send an Idempotency-Key that is made once for a call and "
      + "stays over its attempts.",
    source: "RFC 9110 §9.2.2; draft-ietf-httpapi-idempotency-key-header",
    clients: Set(Flight.Client.allCases),
    scope: .call(.unsafe) { call in
      if let violation = call.otherBody ?? call.race { return .broken(violation) }
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
        // A key that was not seen may be any.
        let isUnseen = next == nil && after.isRepeatable != false
        if isUnseen || call.isOneDeed(before, after) { continue }
        let status = before.wasLeft ? nil : before.status
        let symptom = before.isSilence ? "silence" : before.error.map(Figures.symptom)
        let what = symptom ?? status.map { "a \($0)" } ?? "no response"
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

  /// Whether a server can recognise two requests as one: by the same key, or by another value that
  /// no other call has.
  fileprivate func isOneDeed(_ before: Observation.Attempt, _ after: Observation.Attempt) -> Bool {
    guard let sent = before.sent, let next = after.sent else { return false }
    if sent.key != nil, sent.key == next.key { return true }
    return sent.marks.contains { next.marks.contains($0) && isOwn($0) }
  }

  /// A request that is sent a second time while the first one is open: a hedged or raced submit,
  /// which is done twice.
  fileprivate var race: FindingRule.Violation? {
    let attempts = attempts
    for (place, before) in attempts.dropLast().enumerated() {
      guard before.isAnswered || before.isSilence, let content = before.sent?.content,
        let over = before.headCame
      else { continue }
      for after in attempts[(place + 1)...] where after.isRequest && after.sent?.content == content
      {
        // Threads of one server may see an end later than the next start.
        guard let start = after.start, start + .milliseconds(20) < over, !isOneDeed(before, after)
        else { continue }
        let wait = before.start.map { "\(Figures.time(start - $0)) after the first" } ?? "again"
        return FindingRule.Violation("It sent \(before.key) \(wait), which was still open.")
      }
    }
    return nil
  }

  /// A second request with the same key and another content, which a server has to refuse.
  fileprivate var otherBody: FindingRule.Violation? {
    let attempts = attempts
    for place in attempts.indices.dropLast() {
      guard let sent = attempts[place].sent, let key = sent.key, let content = sent.content,
        attempts[(place + 1)...].contains(where: { after in
          after.sent?.key == key && after.sent?.content.map { $0 != content } == true
        })
      else { continue }
      return FindingRule.Violation(
        "It sent \(attempts[place].key) again under the same Idempotency-Key, and with another body."
      )
    }
    return nil
  }
}

extension Observation.Attempt {
  /// Whether the client left before anything came of a good response.
  fileprivate var wasLeft: Bool { isAnswered && bytesSent == 0 }

  /// The weight of sending it again where it must not be done twice and nobody knows whether it
  /// was; `nil` where it may be repeated, was done well, or was not done.
  fileprivate var mayHaveBeenDone: Finding.Severity? {
    guard isRequest, isRepeatable == false || sent?.key != nil else { return nil }
    if wasLeft { return .error }
    guard !isAnswered else { return nil }
    switch status {
    // A gateway that is overloaded says so before it has asked anybody, but need not.
    case 503 where error == nil: return retryAfter == nil && retryNotBefore == nil ? .warning : nil
    case 500?, 502?, 504?: return .error
    default: return error == nil ? nil : .error
    }
  }
}
