/// What an acknowledgement has said.
private struct News {
  var advanced = false
  var arrived = 0
  var acknowledgedData = 0
  var selectedData = false
  var original = false
  var duplicate = false
  var rearms = false
  /// Round trips of the oldest and the newest segment that came in order, and that came beyond a gap.
  var (ordered, orderedLast): (Int?, Int?) = (nil, nil)
  var (beyond, beyondLast): (Int?, Int?) = (nil, nil)
  var hasRepeated = false
}

extension TCPSender {
  /// Takes in an acknowledgement, and sends what it makes room for.
  mutating func acknowledge(_ packet: Packet, at now: Int) {
    guard packet.acknowledged >= sent.first else { return }
    var news = News()
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
      sendsNewFirst = judge(packet, &news, at: now)
    }
    if news.rearms { rearmAfterProgress(at: now) }
    control(news, isClean: sent.losses == lossesBefore, at: now)
    if !sendsNewFirst, state == .recovery || state == .loss { transmitAgain(at: now) }
    transmitNew(at: now)
    if sent.isEmpty { alarm = nil }
  }

  // MARK: What has arrived

  private mutating func noteDuplicate(_ packet: Packet, _ news: inout News) {
    guard let duplicate = packet.duplicate else { return }
    news.duplicate = true
    if undo.marker.map({ duplicate.lowerBound >= $0 }) == true { undo.duplicated() }
    sent.settleRepeat(duplicate.lowerBound)
    if probe?.isRepeat != true { rack.steps = min(255, rack.steps + 1) }
  }

  private mutating func select(_ block: Range<Int>, _ news: inout News, at now: Int) {
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

  private mutating func advance(to acknowledged: Int, _ news: inout News, at now: Int) {
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

  /// A repeat that is confirmed sooner than any round trip was the first copy's luck.
  private mutating func noteNewest(_ segment: SentSegments.Segment, _ number: Int, at now: Int) {
    let roundTrip = now - segment.sentAt
    if segment.wasRepeated, roundTrip < roundTrips.least { return }
    rack.hasAdvanced = true
    rack.roundTrip = roundTrip
    if !rack.isAfter(segment.sentAt, number) {
      (rack.sentAt, rack.segment) = (segment.sentAt, number)
    }
  }

  private mutating func measure(_ news: News, _ packet: Packet, at now: Int) {
    let clean = news.hasRepeated ? nil : news.ordered
    var sample = clean ?? news.beyond
    var last = clean == nil ? news.beyondLast : news.orderedLast
    if sample == nil, news.advanced {
      // A timestamp tells which copy it was, in whole milliseconds (RFC 7323 §4).
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

  private mutating func settleProbe(_ acknowledged: Int, _ news: News) {
    guard let probe, acknowledged >= probe.end else { return }
    if !probe.isRepeat || news.duplicate {
      self.probe = nil
    } else if acknowledged > probe.end {
      // The probe filled a gap, so there was a loss (RFC 8985 §7.4.2).
      self.probe = nil
      beginReduction()
      window = threshold
      undo.end()
      state = .open
    } else if !news.advanced, !news.selectedData {
      self.probe = nil
    }
  }

  // MARK: The window

  private mutating func control(_ news: News, isClean: Bool, at now: Int) {
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

  /// Shrinks the threshold and starts to count what leaves (RFC 6937).
  mutating func beginReduction() {
    recoveryPoint = sent.next
    probe = nil
    reduction = RateReduction(before: window, arrived: 0, out: 0)
    threshold = growth.threshold(window: window)
    growth.forgetPending()
  }
}

extension TCPSender {
  private mutating func judge(_ packet: Packet, _ news: inout News, at now: Int) -> Bool {
    let verdict = judge(
      echo: packet.echo,
      advanced: news.advanced,
      original: news.original,
      selected: news.selectedData || !news.advanced,
      at: now
    )
    if verdict.setsAlarm { news.rearms = false }
    return verdict.sendsNewFirst
  }
}
