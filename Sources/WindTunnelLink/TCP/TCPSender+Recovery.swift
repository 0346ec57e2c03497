extension TCPSender {
  /// What was found out about an acknowledgement that is not quite in order.
  struct Verdict {
    /// The alarm has been set to look for reordering.
    var setsAlarm = false
    /// New data test whether a timeout was in vain (RFC 5682), so no lost ones go before them.
    var sendsNewFirst = false
  }

  mutating func judge(
    echo: Int,
    advanced: Bool,
    original: Bool,
    selected: Bool,
    at now: Int
  ) -> Verdict {
    if state == .open { undo.forgetRepeats() }
    if sent.first >= recoveryPoint {
      switch state {
      case .recovery:
        undoIfDue(echo)
        if undo.marker != nil, threshold != .max { window = threshold }
        endEpisode()
      case .reduced:
        window = threshold
        endEpisode()
      case .open, .disorder, .loss: break
      }
    }
    var verdict = Verdict()
    switch state {
    case .recovery:
      if advanced, undo.marker != nil, undo.isEarly(echo) {
        if sent.repeatsOut > 0 { return verdict }
        takeBack(findingLost: true)
        keepOpen()
      }
      if undo.marker != nil, undo.repeats == 0 { takeBack(findingLost: false) }
      verdict.setsAlarm = findLosses(at: now)
    case .loss:
      verdict.sendsNewFirst = judgeTimeout(echo, advanced, original, selected)
      let repeatsBefore = sent.repeatsOut
      verdict.setsAlarm = findLosses(at: now)
      // A repeat that was lost, too, is repaired as any loss is.
      if state == .open || sent.repeatsOut < repeatsBefore { fallBack() }
    case .open, .disorder, .reduced:
      verdict.setsAlarm = findLosses(at: now)
      fallBack()
    }
    return verdict
  }

  private mutating func fallBack() {
    if sent.lost > 0 { enterRecovery() } else { keepOpen() }
  }

  private mutating func keepOpen() {
    state = sent.selected + sent.lost > 0 ? .disorder : .open
    recoveryPoint = sent.next
  }

  private mutating func endEpisode() {
    undo.end()
    state = .open
  }

  mutating func enterRecovery() {
    undo.begin(
      at: sent.first,
      window: window,
      threshold: threshold,
      repeatsOut: sent.repeatsOut
    )
    beginReduction()
    state = .recovery
  }

  // MARK: Losses

  /// Marks what must be lost by now, and sets the alarm for what may be; answers whether it did.
  mutating func findLosses(at now: Int) -> Bool {
    guard rack.hasAdvanced else { return false }
    rack.hasAdvanced = false
    let wait = markLosses(at: now)
    guard wait > 0 else { return false }
    // 2 ms more than needed, in jiffies.
    set(.reordering, after: KernelTimer.jiffies(wait + 2000), at: now)
    return true
  }

  /// Marks what was sent so long before the newest arrival that it must be lost (RFC 8985 §6.2), and
  /// answers how long the others have to be waited for.
  mutating func markLosses(at now: Int) -> Int {
    let patience = reorderingWindow
    var wait = 0
    for number in sent.first..<sent.next {
      let segment = sent[number]
      guard rack.isAfter(segment.sentAt, number) else {
        // Those that were never repeated lie in the order of their sending.
        guard segment.wasRepeated else { break }
        continue
      }
      if segment.isSelected || segment.isLost && !segment.isRepeatOut { continue }
      let rest = segment.sentAt + rack.roundTrip + patience - now
      if rest <= 0 { sent.lose(number) } else { wait = max(wait, rest) }
    }
    return wait
  }

  /// RFC 8985 §6.2: none once three have come beyond the gap, or while a loss is being repaired.
  private var reorderingWindow: Int {
    if state == .recovery || state == .loss || sent.selected >= 3 { return 0 }
    let least = roundTrips.least == .max ? 0 : roundTrips.least
    return min(least / 4 * rack.steps, roundTrips.smoothed)
  }

  // MARK: In vain

  private mutating func undoIfDue(_ echo: Int) {
    if undo.isDue(echo) { takeBack(findingLost: false) }
  }

  private mutating func takeBack(findingLost: Bool) {
    if findingLost { sent.findLost() }
    window = max(window, undo.window)
    threshold = max(threshold, undo.threshold)
    undo.end()
  }

  /// RFC 5682 and RFC 3522: whether a timeout was in vain, and answers whether new data should find
  /// it out.
  private mutating func judgeTimeout(
    _ echo: Int,
    _ advanced: Bool,
    _ original: Bool,
    _ selected: Bool
  ) -> Bool {
    let isOver = sent.first >= recoveryPoint
    if advanced, undo.isDue(echo) {
      takeBack(findingLost: true)
      state = .open
      return false
    }
    if isTestingTimeout {
      if original {
        takeBack(findingLost: true)
        state = .open
        return false
      }
      if sent.next > recoveryPoint {
        if selected { isTestingTimeout = false }
      } else if advanced, !isOver {
        recoveryPoint = sent.next
        if unsent > 0 { return true }
        isTestingTimeout = false
      }
    }
    if isOver {
      undoIfDue(echo)
      endEpisode()
    }
    return false
  }
}
