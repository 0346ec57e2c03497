extension TCPSender {
  mutating func set(_ kind: Alarm, after jiffies: Int, at now: Int) {
    alarm = (kind, timer.fire(after: min(max(jiffies, 1), Self.timeoutMost), at: now))
  }

  /// Sets the timeout; where another alarm stood, from when the first segment was sent.
  mutating func rearm(at now: Int) {
    guard !sent.isEmpty else {
      alarm = nil
      return
    }
    var length = timeout
    if let kind = alarm?.kind, kind != .timeout {
      length = KernelTimer.jiffies(max(1, timeLeft(at: now)))
    }
    set(.timeout, after: length, at: now)
  }

  private func timeLeft(at now: Int) -> Int {
    sent[sent.first].sentAt + timeout * KernelTimer.jiffy - now
  }

  mutating func rearmAfterProgress(at now: Int) {
    if !scheduleProbe(at: now, isAdvancing: true) { rearm(at: now) }
  }

  /// A probe after two round trips, where nothing is being repaired (RFC 8985 §7.2); a lone segment
  /// may be waiting for a delayed acknowledgement.
  mutating func scheduleProbe(at now: Int, isAdvancing: Bool) -> Bool {
    guard !sent.isEmpty, state == .open || state == .reduced else { return false }
    var length = KernelTimer.jiffies(RoundTripEstimator.initialTimeout)
    if roundTrips.hasSample {
      let extra = sent.count == 1 ? RoundTripEstimator.variationLeast : 2000
      length = KernelTimer.jiffies(2 * roundTrips.smoothed + extra)
    }
    let rest = isAdvancing ? timeout : KernelTimer.jiffies(timeLeft(at: now))
    if rest > 0 { length = min(length, rest) }
    set(.probe, after: length, at: now)
    return true
  }

  /// The alarm goes off.
  mutating func ring(at now: Int) {
    guard let kind = alarm?.kind else { return }
    alarm = nil
    guard !sent.isEmpty else { return }
    switch kind {
    case .probe: sendProbe(at: now)
    case .reordering: lookAgain(at: now)
    case .timeout: timeOut(at: now)
    }
  }

  private mutating func sendProbe(at now: Int) {
    if probe == nil {
      if sendNew(at: now) {
        probe = (sent.next, false)
      } else {
        let last = sent.next - 1
        sent.send(again: last, at: now, isProbe: true)
        outbox.append(last)
        probe = (sent.next, true)
      }
    }
    rearm(at: now)
  }

  private mutating func lookAgain(at now: Int) {
    let before = sent.inFlight
    let wait = markLosses(at: now)
    if sent.inFlight != before {
      if state != .recovery {
        enterRecovery()
        window = reduction.window(
          inFlight: sent.inFlight,
          threshold: threshold,
          new: 1,
          isClean: false
        )
      }
      transmitAgain(at: now)
    }
    if wait > 0 {
      set(.reordering, after: KernelTimer.jiffies(wait + 2000), at: now)
    } else if alarm?.kind != .timeout {
      rearm(at: now)
    }
  }

  private mutating func timeOut(at now: Int) {
    guard timeouts < Self.timeoutsMost else { return giveUp() }
    let isNew = state != .recovery && state != .loss
    for number in sent.first..<sent.next where !sent[number].isSelected {
      // What left a moment ago may well be on its way.
      let segment = sent[number]
      let isFresh =
        number != sent.first && rack.roundTrip > 0
        && segment.sentAt + rack.roundTrip > now && rack.sentAt >= 0
      if !isFresh { sent.lose(number) }
    }
    if isNew || sent.first >= recoveryPoint || state == .loss && timeouts == 0 {
      undo.begin(
        at: sent.first,
        window: window,
        threshold: threshold,
        repeatsOut: sent.repeatsOut
      )
      threshold = growth.threshold(window: window)
      growth.reset()
    }
    isTestingTimeout = isNew || timeouts > 0
    window = sent.inFlight + 1
    growth.forgetPending()
    (state, recoveryPoint, probe) = (.loss, sent.next, nil)
    timeouts += 1
    sendAgain(sent.first, at: now)
    timeout = min(timeout * 2, Self.timeoutMost)
    set(.timeout, after: timeout, at: now)
  }
}
