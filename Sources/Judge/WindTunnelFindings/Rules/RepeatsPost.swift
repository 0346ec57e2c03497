extension FindingRule {
  /// Finds clients that repeat a request which must not be processed twice, and may have been
  /// processed.
  static let repeatsPost = FindingRule(
    id: "repeats-post",
    title: "Repeats a POST or PATCH that the server may already have processed.",
    condition:
      "a POST or PATCH failed or was cancelled after the server had read it, or was sent again "
      + "while it was open",
    cost: "An order, a payment or a message is made twice.",
    fix:
      "Repeat only idempotent methods, or send an Idempotency-Key that is created once for a call "
      + "and used in all its attempts.",
    source: "RFC 9110 §9.2.2; draft-ietf-httpapi-idempotency-key-header",
    clients: Set(ClientRun.Client.allCases)
  ).eachCall(.unsafe) { call in
    if let violation = call.otherBody ?? call.race { return .broken(violation) }
    // A request is decided when it is complete, so the server had read each of these.
    let attempts = call.attempts
    let doubtful = attempts.indices.filter { attempts[$0].mayHaveBeenDone != nil }
    guard !doubtful.isEmpty else { return .notMet }
    for place in doubtful {
      guard let again = call.repetition(of: place),
        let severity = attempts[place].mayHaveBeenDone
      else { continue }
      let (before, after) = (attempts[place], attempts[again])
      let (key, next) = (before.sent?.key, after.sent?.key)
      // A key that was not observed may have any value.
      let isUnseen = next == nil && after.isRepeatable != false
      if isUnseen || call.isOneDeed(before, after) { continue }
      let status = before.wasLeft ? nil : before.status
      let symptom = before.isSilence ? "silence" : before.error.map(Figures.symptom)
      let what = symptom ?? status.map { "a \($0)" } ?? "no response"
      let wait = call.gap(place, again).map { ", \(Figures.time($0)) later" } ?? ""
      let isChanged = key != nil && next != nil
      let isDrawn = before.sent?.content != after.sent?.content && after.sent?.deed != nil
      let words =
        isChanged
        ? ", and the Idempotency-Key had changed"
        : isDrawn ? ", with another time or random value in its body" : ""
      return .broken(
        "After \(what) it sent \(before.key) again\(wait)\(words).",
        severity: severity
      )
    }
    return .kept
  }
}

extension JudgedCall {
  /// Returns the index of the attempt that repeats a request. If bodies were observed, a request
  /// with another body is not a repetition.
  fileprivate func repetition(of place: Int) -> Int? {
    let attempts = attempts
    let next = repeats.first { $0.before == place }?.after
    guard let content = attempts[place].sent?.content else { return next }
    if let next, (attempts[next].sent?.content ?? content) == content { return next }
    let later = attempts.indices.filter { $0 > place && attempts[$0].isAfter(attempts[place]) }
    return later.first { attempts[$0].sent?.content == content }
      ?? later.first { isDrawnAnew(attempts[place], attempts[$0]) }
  }

  /// Returns whether two requests differ only in times and random values of their bodies, which the
  /// client creates for an attempt. A value that is sent again identifies a thing, and a call that
  /// sends several such requests without a failure sends parts.
  private func isDrawnAnew(_ before: Observation.Attempt, _ after: Observation.Attempt) -> Bool {
    guard let sent = before.sent, let next = after.sent, let deed = sent.deed, deed == next.deed,
      sharedMarks.isSingle(before.key, of: observation.endpoint)
    else { return false }
    // Requests that differ in a time alone may be two readings.
    let drawn = Set(sent.marks).symmetricDifference(next.marks)
    return !drawn.isEmpty && !sharedMarks.areRepeated(drawn)
  }

  /// Returns whether a server can recognise two requests as one: by the same key, or by another
  /// value that no other call has.
  fileprivate func isOneDeed(_ before: Observation.Attempt, _ after: Observation.Attempt) -> Bool {
    guard let sent = before.sent, let next = after.sent else { return false }
    if sent.key != nil, sent.key == next.key { return true }
    return sent.marks.contains { next.marks.contains($0) && !sharedMarks.contains($0) }
  }

  /// A request that is sent a second time while the first is open, as in a hedged or raced submit.
  /// It is processed twice.
  fileprivate var race: FindingRule.Violation? {
    // For each content, the request that is open for the longest time.
    var open: [Int: (attempt: Observation.Attempt, over: Duration)] = [:]
    for attempt in attempts where attempt.isRequest {
      guard let content = attempt.sent?.content, let start = attempt.start else { continue }
      if let (before, over) = open[content], let first = before.start,
        // Threads of a server may record an end after the next start. Parts of a call that begin at
        // once are not repetitions, except for the request of the call, which is made only once.
        start + .milliseconds(20) < over,
        start >= first + .milliseconds(50)
          || client != .proxied && before.asks(for: observation.endpoint),
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

  /// A second request with the same key and another content, which a server must reject.
  fileprivate var otherBody: FindingRule.Violation? {
    // Indexed by the URL and the key, because a redirect sends the same content to another URL.
    var contents: [[String]: Int] = [:]
    for attempt in attempts {
      guard let sent = attempt.sent, let key = sent.key, let content = sent.content else {
        continue
      }
      let known = contents.updateValue(content, forKey: [attempt.key, "\(key)"])
      if let known, known != content {
        return FindingRule.Violation(
          "It sent \(attempt.key) again under the same Idempotency-Key, but with another body."
        )
      }
    }
    return nil
  }
}

extension Observation.Attempt {
  /// Whether the client closed the connection before it received any part of a successful response.
  fileprivate var wasLeft: Bool { isAnswered && bytesSent == 0 }

  /// The severity of repeating the request, if it must not be processed twice and may have been.
  /// `nil` if it may be repeated, or if its result is known.
  fileprivate var mayHaveBeenDone: Finding.Severity? {
    guard isRequest, isRepeatable == false || sent?.key != nil else { return nil }
    if wasLeft { return .error }
    guard !isAnswered else { return nil }
    switch status {
    // An overloaded gateway often rejects a request before it is forwarded, but not always.
    case 503?: return asksToWait ? nil : .warning
    case 500?, 502?, 504?: return .error
    // A rejection is known even if the rest of its body was not received.
    default: return error == nil || (status ?? 0) >= 300 ? nil : .error
    }
  }
}
