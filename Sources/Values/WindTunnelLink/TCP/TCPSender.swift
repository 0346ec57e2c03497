/// The sending half of one end of a connection, like Linux's.
///
/// Its inputs are acknowledgements and times, and its output is ``outbox``. It implements:
///
/// - SACK (RFC 2018), and RACK with tail loss probes (RFC 8985);
/// - proportional rate reduction (RFC 6937), and CUBIC;
/// - timeouts (RFC 6298) of at least 200 ms;
/// - the undoing of unnecessary reductions (RFC 3522, 3708, 5682).
struct TCPSender: Sendable {
  private enum State: Sendable, Hashable {
    case open
    case disorder
    case reduced
    case recovery
    case loss
  }

  private enum Alarm: Sendable, Hashable {
    case timeout
    case probe
    case reordering
  }

  /// The results of an acknowledgement.
  private struct AcknowledgmentFacts {
    var advanced = false
    var arrived = 0
    var acknowledgedData = 0
    var selectedData = false
    var original = false
    var duplicate = false
    var rearms = false
    /// Round trips of the oldest and the newest segment that arrived in order, and of those beyond
    /// a gap.
    var (ordered, orderedLast): (Int?, Int?) = (nil, nil)
    var (beyond, beyondLast): (Int?, Int?) = (nil, nil)
    var hasRepeated = false
  }

  /// The decision about an acknowledgement that is not in order.
  private struct AcknowledgmentResult {
    /// Whether the alarm has been set to test for reordering.
    var setsAlarm = false
    /// Whether new data is sent before lost segments, to test if a timeout was unnecessary (RFC
    /// 5682).
    var sendsNewFirst = false
  }

  /// The initial window of RFC 6928.
  private static let initialWindow = 10
  /// The largest window that a Linux receiver opens by default, in segments: half of 6 MiB.
  private static let windowMost = 2172
  /// The number of successive timeouts before the connection is abandoned (`tcp_retries2`).
  private static let timeoutsMost = 15
  /// The number of new segments, and of additional repeats, that leave while a burst of packets is
  /// processed.
  ///
  /// The remaining segments depend on the whole burst.
  private static let budgetLeast = 2
  /// The maximum timeout (RFC 6298 §2.5), in jiffies.
  static let timeoutMost = 30_000

  let timer: KernelTimer
  /// The numbers of the segments that leave now, in order.
  private(set) var outbox: [Int] = []
  /// The bytes that the application has written, in the order of their exchanges' turns.
  private(set) var outgoing: OutgoingBytes
  /// The number of bytes that the application has written and that have not been sent.
  var unsent: Int { outgoing.count }
  private(set) var hasGivenUp = false

  private var sent = SentSegments()
  private var written = 0

  private var state = State.open
  private var window = initialWindow
  private var threshold = Int.max
  private var growth = CubicGrowth()
  private var roundTrips = RoundTripEstimator()
  /// The number of segments that may leave before the host's own queue is empty (TCP Small Queues).
  private var budget = Int.max
  /// The timeout in jiffies, including backoff.
  private var timeout = KernelTimer.jiffies(RoundTripEstimator.initialTimeout)
  private var timeouts = 0

  private var alarm: (kind: Alarm, at: Int)?
  /// The segment at which the recovery ends.
  private var recoveryPoint = 0
  private var reduction = RateReduction()
  private var undo = Undo()
  private var isTestingTimeout = false
  private var rack = RACKState()
  /// The segment after the probe in flight, and whether the probe was a repeat.
  private var probe: (end: Int, isRepeat: Bool)?

  private var (isWindowLimited, mostOut, usageEnd) = (false, 0, 0)
  private var lastSend = 0

  init(_ timer: KernelTimer, turnBytes: Int) {
    (self.timer, outgoing) = (timer, OutgoingBytes(turnBytes: turnBytes))
  }

  /// The time of the next alarm.
  var due: Int? { alarm?.at }
  /// The number of the next new segment.
  var next: Int { sent.next }

  /// Returns the packet of a segment that leaves now.
  func packet(_ number: Int) -> Packet {
    let segment = sent[number]
    var packet = Packet(kind: .data, segment: number, end: segment.end, length: segment.length)
    packet.owner = segment.owner
    return packet
  }

  /// Removes the segments that have left.
  mutating func clearOutbox() { outbox.removeAll(keepingCapacity: true) }

  /// Adds the handshake's sample of the round trip.
  ///
  /// The window begins with one segment after necessary repeats (RFC 5681 §3.1).
  mutating func open(sample: Int, isNarrow: Bool) {
    roundTrips.add(sample, least: sample, acknowledged: 0, next: 0)
    timeout = roundTrips.timeout
    if isNarrow { window = 1 }
  }

  /// Begins to process packets that arrived together; returns false if it has already begun.
  mutating func beginBurst() -> Bool {
    guard budget == .max else { return false }
    budget = Self.budgetLeast
    return true
  }

  /// Ends a burst: segments that the host's queue has held leave.
  mutating func endBurst(at now: Int) {
    budget = .max
    transmit(at: now)
  }

  /// Adds bytes that the application writes for an exchange.
  mutating func write(_ bytes: Int, for owner: Int) {
    outgoing.write(bytes, for: owner)
    written += bytes
  }

  /// Removes the counts of an exchange that has ended.
  mutating func forget(_ owner: Int) { outgoing.forget(owner) }

  /// Removes the unsent bytes of an exchange, and returns their number.
  mutating func drop(_ owner: Int) -> Int {
    let bytes = outgoing.drop(owner)
    written -= bytes
    return bytes
  }

  /// Returns the number of an exchange's bytes among the first bytes of the stream.
  mutating func bytes(of owner: Int, amongFirst total: Int) -> Int {
    outgoing.arrived(of: owner, amongFirst: total)
  }

  /// Sends the segments that the window allows: lost segments first, then new ones.
  mutating func transmit(at now: Int) {
    if state == .recovery || state == .loss { transmitAgain(at: now) }
    transmitNew(at: now)
  }

  private mutating func transmitAgain(at now: Int) {
    var rearms = false
    while window > sent.inFlight, budget > -Self.budgetLeast, let number = sent.nextToRepeat() {
      sendAgain(number, at: now)
      if number == sent.first, alarm?.kind != .reordering { rearms = true }
    }
    if rearms { set(.timeout, after: timeout, at: now) }
  }

  private mutating func sendAgain(_ number: Int, at now: Int) {
    sent.send(again: number, at: now, isProbe: false)
    undo.repeated(at: now)
    if state == .recovery || state == .reduced { reduction.out += 1 }
    outbox.append(number)
    if budget != .max { budget -= 1 }
  }

  private mutating func transmitNew(at now: Int) {
    guard unsent > 0 else { return }
    if sent.isEmpty { restartAfterIdle(at: now) }
    let wasEmpty = sent.isEmpty
    var count = 0
    while window > sent.inFlight, sent.count < Self.windowMost, budget > 0, sendNew(at: now) {
      count += 1
    }
    let isLimited = sent.inFlight >= window
    if count > 0 || isLimited { noteUse(isLimited: isLimited) }
    guard count > 0 else { return }
    if wasEmpty || alarm?.kind == .probe { rearm(at: now) }
    _ = scheduleProbe(at: now, isAdvancing: false)
  }

  /// Sends one new segment; returns false if there is no new data.
  private mutating func sendNew(at now: Int) -> Bool {
    guard unsent > 0 else { return false }
    let length = min(unsent, Packet.segmentBytes)
    let owner = outgoing.take(length)
    sent.append(.init(end: written - unsent, length: length, owner: owner, sentAt: now))
    if state == .recovery || state == .reduced { reduction.out += 1 }
    lastSend = now
    outbox.append(sent.next - 1)
    if budget != .max { budget -= 1 }
    return true
  }

  /// Reduces a window that was not used for longer than a timeout, because it may no longer fit the
  /// path (RFC 9293 §3.8.6.2.1 and RFC 5681 §4.1).
  private mutating func restartAfterIdle(at now: Int) {
    var idle = (now - lastSend) / KernelTimer.jiffy - timeout
    guard lastSend > 0, idle > 0 else { return }
    if threshold != .max { threshold = max(threshold, window * 3 / 4) }
    let least = min(Self.initialWindow, window)
    while idle > 0, window > least {
      window /= 2
      idle -= timeout
    }
    window = max(window, least)
  }

  private mutating func noteUse(isLimited: Bool) {
    guard sent.first >= usageEnd || isLimited || (!isWindowLimited && sent.count > mostOut) else {
      return
    }
    (isWindowLimited, mostOut, usageEnd) = (isLimited, sent.count, sent.next)
  }

  /// Whether the window has limited the sender, so that a wider one would help.
  private var isHeldByWindow: Bool {
    isWindowLimited || (window < threshold && window < 2 * mostOut)
  }

  private mutating func giveUp() {
    hasGivenUp = true
    alarm = nil
    outgoing = OutgoingBytes(turnBytes: .max)
  }

  /// Processes an acknowledgement, and sends the segments for which there is now room.
  mutating func acknowledge(_ packet: Packet, at now: Int) {
    guard packet.acknowledged >= sent.first else { return }
    var news = AcknowledgmentFacts()
    let lossesBefore = sent.losses
    noteDuplicate(packet, &news)
    for block in packet.blocks { select(block, &news, at: now) }
    advance(to: min(packet.acknowledged, sent.next), &news, at: now)
    if news.advanced { timeouts = 0 }
    measure(news, packet, at: now)
    settleProbe(packet.acknowledged, news)
    if !news.advanced, let beyond = news.beyond, !sent.isEmpty,
      beyond > now - sent[sent.first].sentAt
    {
      news.rearms = true
    }
    var sendsNewFirst = false
    let isDubious = news.selectedData || news.duplicate || state != .open || !news.advanced
    if isDubious, !sent.isEmpty || state != .open {
      let verdict = judge(packet, news, at: now)
      if verdict.setsAlarm { news.rearms = false }
      sendsNewFirst = verdict.sendsNewFirst
    }
    if news.rearms, !scheduleProbe(at: now, isAdvancing: true) { rearm(at: now) }
    control(news, isClean: sent.losses == lossesBefore, at: now)
    if !sendsNewFirst, state == .recovery || state == .loss { transmitAgain(at: now) }
    transmitNew(at: now)
    if sent.isEmpty { alarm = nil }
  }

  private mutating func noteDuplicate(_ packet: Packet, _ news: inout AcknowledgmentFacts) {
    guard let duplicate = packet.duplicate else { return }
    news.duplicate = true
    if undo.marker.map({ duplicate.lowerBound >= $0 }) == true { undo.duplicated() }
    sent.settleRepeat(duplicate.lowerBound)
    if probe?.isRepeat != true { rack.steps = min(255, rack.steps + 1) }
  }

  private mutating func select(_ block: Range<Int>, _ news: inout AcknowledgmentFacts, at now: Int)
  {
    for number in max(
      block.lowerBound,
      sent.first
    )..<max(sent.first, min(block.upperBound, sent.next))
    where !sent[number].isSelected {
      let segment = sent[number]
      if !segment.wasRepeated {
        news.beyond = news.beyond ?? now - segment.sentAt
        news.beyondLast = now - segment.sentAt
        if number < recoveryPoint { news.original = true }
      }
      sent.selectSegment(number)
      news.arrived += 1
      news.selectedData = true
      noteNewest(segment, number, at: now)
    }
  }

  private mutating func advance(
    to acknowledged: Int,
    _ news: inout AcknowledgmentFacts,
    at now: Int
  ) {
    while sent.first < acknowledged {
      let number = sent.first
      let segment = sent.acknowledgeFirst()
      news.advanced = true
      news.rearms = true
      news.acknowledgedData += 1
      if !segment.isSelected { news.arrived += 1 }
      if segment.wasRepeated {
        news.hasRepeated = true
      } else if !segment.isSelected {
        news.ordered = news.ordered ?? now - segment.sentAt
        news.orderedLast = now - segment.sentAt
        if number < recoveryPoint { news.original = true }
      }
      if !segment.isSelected { noteNewest(segment, number, at: now) }
    }
  }

  /// Records the newest segment. A repeat that is acknowledged sooner than any round trip is
  /// ignored, because the first copy has arrived.
  private mutating func noteNewest(_ segment: SentSegments.Segment, _ number: Int, at now: Int) {
    let roundTrip = now - segment.sentAt
    if segment.wasRepeated, roundTrip < roundTrips.least { return }
    rack.hasAdvanced = true
    rack.roundTrip = roundTrip
    if !rack.isAfter(segment.sentAt, number) {
      (rack.sentAt, rack.segment) = (segment.sentAt, number)
    }
  }

  private mutating func measure(_ news: AcknowledgmentFacts, _ packet: Packet, at now: Int) {
    let clean = news.hasRepeated ? nil : news.ordered
    var sample = clean ?? news.beyond
    var last = clean == nil ? news.beyondLast : news.orderedLast
    if sample == nil, news.advanced {
      // A timestamp identifies the copy, in whole milliseconds (RFC 7323 §4).
      sample = max(1000, (now - packet.echo) / 1000 * 1000)
      last = sample
    }
    guard let sample, let last else { return }
    roundTrips.add(sample, least: last, acknowledged: sent.first, next: sent.next)
    timeout = roundTrips.timeout
    let shouldEnd = growth.endsSlowStart(
      sample: last,
      window: window,
      acknowledged: sent.first,
      next: sent.next,
      at: now
    )
    if shouldEnd, window < threshold { threshold = window }
  }

  private mutating func settleProbe(_ acknowledged: Int, _ news: AcknowledgmentFacts) {
    guard let probe, acknowledged >= probe.end else { return }
    if !probe.isRepeat || news.duplicate {
      self.probe = nil
    } else if acknowledged > probe.end {
      // The probe filled a gap, so a packet was lost (RFC 8985 §7.4.2).
      self.probe = nil
      beginReduction()
      window = threshold
      undo.end()
      state = .open
    } else if !news.advanced, !news.selectedData {
      self.probe = nil
    }
  }

  private mutating func control(_ news: AcknowledgmentFacts, isClean: Bool, at now: Int) {
    if state == .recovery || state == .reduced {
      guard news.arrived > 0 else { return }
      window = reduction.window(
        inFlight: sent.inFlight,
        threshold: threshold,
        new: news.arrived,
        isClean: news.advanced && isClean
      )
    } else if news.acknowledgedData > 0, isHeldByWindow {
      var count = news.arrived
      if window < threshold {
        let grown = min(window + count, threshold)
        count -= grown - window
        window = grown
        if count == 0 { return }
      }
      growth.grow(&window, by: count, at: now)
      window = min(window, Self.windowMost)
    }
  }

  /// Reduces the threshold and starts to count the segments that leave (RFC 6937).
  private mutating func beginReduction() {
    recoveryPoint = sent.next
    probe = nil
    reduction = RateReduction(before: window, arrived: 0, out: 0)
    threshold = growth.threshold(window: window)
    growth.forgetPending()
  }

  private mutating func set(_ kind: Alarm, after jiffies: Int, at now: Int) {
    alarm = (kind, timer.fire(after: min(max(jiffies, 1), Self.timeoutMost), at: now))
  }

  /// Sets the timeout; if another alarm was set, the timeout counts from the first segment's
  /// sending.
  private mutating func rearm(at now: Int) {
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

  /// Sets a probe after two round trips if no loss is being repaired (RFC 8985 §7.2).
  ///
  /// The receiver may delay the acknowledgement of a single segment.
  private mutating func scheduleProbe(at now: Int, isAdvancing: Bool) -> Bool {
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

  /// Processes the alarm that is due.
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
      // A segment that left a moment ago may still be in flight.
      let segment = sent[number]
      let isFresh =
        number != sent.first && rack.roundTrip > 0
        && segment.sentAt + rack.roundTrip > now && rack.sentAt >= 0
      if !isFresh { sent.lose(number) }
    }
    if isNew || sent.first >= recoveryPoint || state == .loss && timeouts == 0 {
      beginUndo()
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

  private mutating func judge(_ packet: Packet, _ news: AcknowledgmentFacts, at now: Int)
    -> AcknowledgmentResult
  {
    let echo = packet.echo
    let (advanced, original) = (news.advanced, news.original)
    let selected = news.selectedData || !news.advanced
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
    var verdict = AcknowledgmentResult()
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
      // A repeat that was lost is repaired like any other loss.
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

  private mutating func enterRecovery() {
    beginUndo()
    beginReduction()
    state = .recovery
  }

  private mutating func beginUndo() {
    undo.begin(at: sent.first, window: window, threshold: threshold, repeatsOut: sent.repeatsOut)
  }

  /// Marks segments that must be lost, and sets an alarm for others; returns whether it did.
  private mutating func findLosses(at now: Int) -> Bool {
    guard rack.hasAdvanced else { return false }
    rack.hasAdvanced = false
    let wait = markLosses(at: now)
    guard wait > 0 else { return false }
    // 2 ms more than needed, in jiffies.
    set(.reordering, after: KernelTimer.jiffies(wait + 2000), at: now)
    return true
  }

  /// Marks segments that were sent so long before the newest arrival that they must be lost (RFC
  /// 8985 §6.2).
  ///
  /// Returns the time to wait for the other segments.
  private mutating func markLosses(at now: Int) -> Int {
    let patience = reorderingWindow
    var wait = 0
    for number in sent.first..<sent.next {
      let segment = sent[number]
      guard rack.isAfter(segment.sentAt, number) else {
        // Segments that were never repeated are in the order of their sending.
        guard segment.wasRepeated else { break }
        continue
      }
      if segment.isSelected || segment.isLost && !segment.isRepeatOut { continue }
      let rest = segment.sentAt + rack.roundTrip + patience - now
      if rest <= 0 { sent.lose(number) } else { wait = max(wait, rest) }
    }
    return wait
  }

  /// RFC 8985 §6.2: zero after three arrivals beyond the gap, or while a loss is being repaired.
  private var reorderingWindow: Int {
    if state == .recovery || state == .loss || sent.selected >= 3 { return 0 }
    let least = roundTrips.least == .max ? 0 : roundTrips.least
    return min(least / 4 * rack.steps, roundTrips.smoothed)
  }

  private mutating func undoIfDue(_ echo: Int) {
    if undo.isDue(echo) { takeBack(findingLost: false) }
  }

  private mutating func takeBack(findingLost: Bool) {
    if findingLost { sent.findLost() }
    window = max(window, undo.window)
    threshold = max(threshold, undo.threshold)
    undo.end()
  }

  /// Tests by RFC 5682 and RFC 3522 whether a timeout was unnecessary; returns whether new data
  /// should be sent for the test.
  private mutating func judgeTimeout(
    _ echo: Int,
    _ advanced: Bool,
    _ original: Bool,
    _ selected: Bool
  ) -> Bool {
    let isOver = sent.first >= recoveryPoint
    if advanced && undo.isDue(echo) || isTestingTimeout && original {
      takeBack(findingLost: true)
      state = .open
      return false
    }
    if isTestingTimeout {
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
