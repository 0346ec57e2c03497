extension FindingRule {
  /// A call has no end that anybody waits for.
  package static let hangs = FindingRule(
    id: "hangs",
    title: "A call has not ended when the drill stops waiting.",
    condition: "any call",
    cost:
      "The user looks at a spinner until the app is closed; a server's worker is gone for good.",
    fix: "Set a limit to the whole call, beside those to connecting and to reading.",
    source: "Google SRE Book, ch. 22 (deadlines); gRPC, Deadlines",
    restsOnTime: true,
    isStarved: { $0.hidesEnd(of: $1) }
  ).needing(\.sleepWithoutLimit).together { rule, troubled, flight in
    // A client that ends some calls has a limit, which the slowest response did not reach.
    let endsNone = flight.calls.allSatisfy { $0.ending == .hung || !$0.isJudged }
    let ofSlow: Finding.Severity? = endsNone ? nil : .warning
    // TCP sends a lost packet again ever later (RFC 6298 §5.5): what is lost several times comes
    // after the drill has stopped waiting.
    let link = flight.scenario?.link.map { [$0.up.loss, $0.down.loss] } ?? []
    let isOnLossyLink = link.contains { $0 != LossModel.none }
    // A client with a resolver of its own waits for a name server, which a machine need not have.
    let faults = flight.scenario?.rules.lazy.flatMap(\.faults)
    let isLater = isOnLossyLink || faults?.contains(.connection(.hostNotFound)) == true
    let hung = troubled.filter { $0.traits.contains(.hung) }
    return rule.standing(hung, of: flight.calls.count) { call in
      let latency = call.observation.latency
      let sleep = call.observation.sleepWithoutLimit
        .map { ", and sleeps without a limit in \($0)" }
      let words = "had not ended after \(Figures.time(latency))\(sleep ?? "")"
      if let progress = call.slowProgress {
        return Violation("It \(words); \(progress).", severity: ofSlow)
      }
      // One attempt that takes most of the call is what the call waits on.
      let recent = call.silence.flatMap { $0 < min(longestSilence, latency / 2) ? $0 : nil }
      if let wait = call.openWait {
        let isDate = call.attempts.last?.retryNotBefore != nil
        return Violation(
          "Told to wait \(isDate ? "until a date" : Figures.wait(wait)), it \(words).",
          severity: recent != nil && wait <= latency ? .warning : ofSlow
        )
      }
      guard let recent else {
        let isUnderWay = isOnLossyLink && call.attempts.last?.isAnswered == true
        let link = isUnderWay ? "; its response was under way on a link that loses packets" : ""
        return Violation("It \(words)\(link).", severity: isLater ? .warning : nil)
      }
      return Violation(
        "It \(words); its last attempt had begun \(Figures.time(recent)) before.",
        severity: .warning
      )
    }
  }
}

extension EvidenceRows {
  /// The system call in which a program that hangs sleeps, if none of its threads has a deadline,
  /// such as `recvfrom of descriptor 3`; `nil` in real time.
  public var sleepWithoutLimit: Evidence<String> {
    Evidence("sleepWithoutLimit", JSONFields.fact) { $0.result?.sleepWithoutLimit }
  }
}

extension ClientRun {
  /// Returns whether a busy machine may be the reason why a call did not end: its program waited
  /// for a processor most of the time, or the server saw no sign of it.
  fileprivate func hidesEnd(of call: Observation) -> Bool {
    guard call.ending == .hung else { return false }
    // A client that is slow by itself still ends in a few of its usual times.
    if isSlowWithoutFaults, call.latency < .seconds(6) { return true }
    let delay = call.processorDelay ?? .zero
    // The last part of a wait may be unseen.
    let granted = Observation.longestGrant - .seconds(1)
    if delay * 2 > call.latency || delay >= granted { return true }
    return (client == .program || client == .service) && call.attemptCount == 0
      && call.attempts.isEmpty && call.startAttempts.isEmpty && call.startUp == nil
  }
}

extension JudgedCall {
  /// The wait that the last response asked for, if it was not over at the end.
  fileprivate var openWait: Duration? {
    guard let last = attempts.last, last.error == nil, let end = observation.end,
      let heard = last.headCame,
      let over = last.retryNotBefore ?? last.retryAfter.map({ heard + $0 }), over > end
    else { return nil }
    return over - heard
  }

  /// The progress of a last response that comes slowly, in words; `nil` for any other.
  fileprivate var slowProgress: String? {
    guard let last = attempts.last, last.isSlow else { return nil }
    guard let sent = last.bytesSent else { return "its response came a few bytes at a time" }
    let whole = last.bytes.flatMap { $0 >= sent ? " of \($0)" : nil } ?? ""
    return "\(sent)\(whole) bytes had come"
  }
}
