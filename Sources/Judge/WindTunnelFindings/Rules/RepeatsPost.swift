extension FindingRule {
  /// A request that must not be done twice is sent again though it may have been done.
  static let repeatsPost = FindingRule(
    id: "repeats-post",
    title: "Sends a POST or PATCH again that the server may have done already.",
    condition:
      "a POST or PATCH failed or was given up after it had been read whole, or was sent again while it "
      + "was open",
    cost: "An order, a payment or a message is made twice.",
    fix:
      "Repeat idempotent methods alone, or send an Idempotency-Key that is made once for a call and "
      + "stays over its attempts.",
    source: "RFC 9110 §9.2.2; draft-ietf-httpapi-idempotency-key-header",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.unsafe) { call in
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
        "After \(what) it sent \(before.key) again\(wait)\(words).",
        severity: severity
      )
    }
    return .kept
  }
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
    // Of each content the request that is open for the longest time.
    var open: [Int: (attempt: Observation.Attempt, over: Duration)] = [:]
    for attempt in attempts where attempt.isRequest {
      guard let content = attempt.sent?.content, let start = attempt.start else { continue }
      if let (before, over) = open[content], let first = before.start,
        // Threads of one server may see an end later than the next start, and parts of a call
        // that begin at once are no repetition.
        start + .milliseconds(20) < over, start >= first + .milliseconds(50),
        !isOneDeed(before, attempt)
      {
        let wait = Figures.time(start - first)
        return FindingRule.Violation(
          "It sent \(before.key) \(wait) after the first, which was still open."
        )
      }
      guard attempt.isAnswered || attempt.isSilence, let over = attempt.headCame,
        open[content].map({ $0.over < over }) != false
      else { continue }
      open[content] = (attempt, over)
    }
    return nil
  }

  /// A second request with the same key and another content, which a server has to refuse.
  fileprivate var otherBody: FindingRule.Violation? {
    // By the key and the address: a redirect leads the same content to another one.
    var contents: [[String]: Int] = [:]
    for attempt in attempts {
      guard let sent = attempt.sent, let key = sent.key, let content = sent.content else {
        continue
      }
      let known = contents.updateValue(content, forKey: [attempt.key, "\(key)"])
      if let known, known != content {
        return FindingRule.Violation(
          "It sent \(attempt.key) again under the same Idempotency-Key, and with another body."
        )
      }
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
    case 503?: return asksToWait ? nil : .warning
    case 500?, 502?, 504?: return .error
    // A refusal is one, also where the rest of its body did not come.
    default: return error == nil || (status ?? 0) >= 300 ? nil : .error
    }
  }
}
