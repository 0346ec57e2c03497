extension FindingRule {
  /// Finds clients with calls that do not end.
  package static let hangs = FindingRule(
    id: "hangs",
    title: "A call has not ended when the drill stops waiting.",
    condition: "any call",
    cost: "The user waits until the app is closed, and a worker of the server stays occupied.",
    fix: "Limit the duration of the whole call, in addition to connecting and reading.",
    source: "Google SRE Book, ch. 22 (deadlines); gRPC, Deadlines",
    restsOnTime: true,
    isStarved: { $0.hidesEnd(of: $1) }
  ).needing(\.sleepWithoutLimit).together { rule, troubled, flight in
    // A client that ends some calls has a limit, which the slowest response did not reach.
    let endsNone = flight.calls.allSatisfy { $0.ending == .hung || !$0.isJudged }
    let ofSlow: Finding.Severity? = endsNone ? nil : .warning
    // TCP repeats a lost packet at growing intervals (RFC 6298 §5.5). A packet that is lost several
    // times arrives after the drill has stopped waiting.
    let link = flight.scenario?.link.map { [$0.up.loss, $0.down.loss] } ?? []
    let isOnLossyLink = link.contains { $0 != LossModel.none }
    // A client with its own resolver waits for a name server, which a machine may not have.
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
      // A call that spends most of its time in one attempt waits for that attempt.
      let recent = call.silence.flatMap { $0 < min(longestSilence, latency / 2) ? $0 : nil }
      if let wait = call.openWait {
        let isDate = call.attempts.last?.retryNotBefore != nil
        return Violation(
          "Asked to wait \(isDate ? "until a date" : Figures.wait(wait)), it \(words).",
          severity: recent != nil && wait <= latency ? .warning : ofSlow
        )
      }
      guard let recent else {
        let isUnderWay = isOnLossyLink && call.attempts.last?.isAnswered == true
        let link =
          isUnderWay
          ? "; its response was still arriving over a link that loses packets" : ""
        return Violation("It \(words)\(link).", severity: isLater ? .warning : nil)
      }
      return Violation(
        "It \(words); its last attempt had begun \(Figures.time(recent)) earlier.",
        severity: .warning
      )
    }
  }
}

extension EvidenceRows {
  /// The system call in which a hung program sleeps, if none of its threads has a deadline, such as
  /// `recvfrom of descriptor 3`. `nil` in real time.
  public var sleepWithoutLimit: Evidence<String> {
    Evidence("sleepWithoutLimit", JSONFields.fact) { $0.result?.sleepWithoutLimit }
  }
}

extension ClientRun {
  /// Returns whether a busy machine may be the reason why a call did not end. Either its program
  /// waited for a processor most of the time, or the server received no sign of it.
  fileprivate func hidesEnd(of call: Observation) -> Bool {
    // A program that sleeps without a deadline does not wait for a processor, on any machine.
    guard call.ending == .hung, call.sleepWithoutLimit == nil else { return false }
    // A client that is slow by itself still ends within a few of its usual call times.
    if isSlowWithoutFaults, call.latency < .seconds(6) { return true }
    let delay = call.processorDelay ?? .zero
    // The last part of a wait may not be measured.
    let granted = Observation.longestGrant - .seconds(1)
    if delay * 2 > call.latency || delay >= granted { return true }
    return (client == .program || client == .service) && call.attemptCount == 0
      && call.attempts.isEmpty && call.startAttempts.isEmpty && call.startUp == nil
  }
}

extension JudgedCall {
  /// The wait that the last response requested, if it was not over at the end.
  fileprivate var openWait: Duration? {
    guard let last = attempts.last, last.error == nil, let end = observation.end,
      let heard = last.headCame,
      let over = last.retryNotBefore ?? last.retryAfter.map({ heard + $0 }), over > end
    else { return nil }
    return over - heard
  }

  /// The progress of a slow last response, as text, or `nil` for any other response.
  fileprivate var slowProgress: String? {
    guard let last = attempts.last, last.isSlow else { return nil }
    guard let sent = last.bytesSent else { return "its response arrived a few bytes at a time" }
    let whole = last.bytes.flatMap { $0 >= sent ? " of \($0)" : nil } ?? ""
    return "\(sent)\(whole) bytes had arrived"
  }
}
