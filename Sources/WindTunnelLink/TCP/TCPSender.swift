/// The sending half of one end of a connection, as Linux does it: SACK (RFC 2018), RACK and tail loss
/// probes (RFC 8985), proportional rate reduction (RFC 6937), timeouts (RFC 6298, minimum 200 ms),
/// their undoing where they were in vain (RFC 3522, 3708, 5682), and CUBIC.
///
/// It is told of acknowledgements and of time, and leaves in ``outbox`` what it sends.
struct TCPSender: Sendable, Hashable {
  enum State: Sendable, Hashable {
    case open
    case disorder
    case reduced
    case recovery
    case loss
  }

  enum Alarm: Sendable, Hashable {
    case timeout
    case probe
    case reordering
  }

  /// RFC 6928.
  static let initialWindow = 10
  /// As many segments as the largest window that a Linux receiver opens by itself: half of 6 MiB.
  static let windowMost = 2172
  /// Timeouts in a row before the connection is given up (`tcp_retries2`).
  static let timeoutsMost = 15
  /// While a burst of packets is handled at once, so many new segments leave, and so many more
  /// repeats; the rest follows by what the sender knows when it has seen the whole burst.
  static let budgetLeast = 2
  /// RFC 6298 §2.5, in jiffies.
  static let timeoutMost = 30_000

  let timer: KernelTimer
  var sent = SentSegments()
  /// Which segments leave now, in order.
  var outbox: [Int] = []
  /// Bytes that the application wrote and that were not sent.
  private(set) var unsent = 0
  private var written = 0

  var state = State.open
  var window = initialWindow
  var threshold = Int.max
  var growth = CubicGrowth()
  var roundTrips = RoundTripEstimator()
  /// How many segments may leave before the host's own queue has drained (TCP Small Queues).
  var budget = Int.max
  /// The timeout in jiffies, backed off.
  var timeout = KernelTimer.jiffies(RoundTripEstimator.initialTimeout)
  var timeouts = 0
  private(set) var hasGivenUp = false

  var alarm: (kind: Alarm, at: Int)?
  /// Where the episode ends.
  var recoveryPoint = 0
  var reduction = RateReduction()
  var undo = Undo()
  var isTestingTimeout = false
  var rack = Rack()
  /// The segment behind the probe that is out, and whether the probe was a repeat.
  var probe: (end: Int, isRepeat: Bool)?

  private var (isWindowLimited, mostOut, usageEnd) = (false, 0, 0)
  private var lastSend = 0

  init(_ timer: KernelTimer) { self.timer = timer }

  /// Takes what the application writes.
  mutating func write(_ bytes: Int) {
    unsent += bytes
    written += bytes
  }

  /// Sends what the window lets: lost segments first, then new ones.
  mutating func transmit(at now: Int) {
    if state == .recovery || state == .loss { transmitAgain(at: now) }
    transmitNew(at: now)
  }

  mutating func transmitAgain(at now: Int) {
    var rearms = false
    while window > sent.inFlight, budget > -Self.budgetLeast, let number = sent.nextToRepeat() {
      sendAgain(number, at: now)
      if number == sent.first, alarm?.kind != .reordering { rearms = true }
    }
    if rearms { set(.timeout, after: timeout, at: now) }
  }

  mutating func sendAgain(_ number: Int, at now: Int) {
    sent.send(again: number, at: now, isProbe: false)
    undo.repeated(at: now)
    if state == .recovery || state == .reduced { reduction.out += 1 }
    outbox.append(number)
    if budget != .max { budget -= 1 }
  }

  mutating func transmitNew(at now: Int) {
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

  /// Sends one new segment, if there is anything new.
  mutating func sendNew(at now: Int) -> Bool {
    guard unsent > 0 else { return false }
    let length = min(unsent, Packet.segmentBytes)
    unsent -= length
    sent.append(.init(end: written - unsent, length: length, sentAt: now))
    if state == .recovery || state == .reduced { reduction.out += 1 }
    lastSend = now
    outbox.append(sent.next - 1)
    if budget != .max { budget -= 1 }
    return true
  }

  /// A window that was not used for longer than a timeout says nothing about the path any more
  /// (RFC 9293 §3.8.6.2.1 and RFC 5681 §4.1).
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

  /// Whether the window was what held the sender up, so that a wider one would be of use.
  var isHeldByWindow: Bool {
    isWindowLimited || (window < threshold && window < 2 * mostOut)
  }

  mutating func giveUp() {
    hasGivenUp = true
    alarm = nil
    unsent = 0
  }

  static func == (left: Self, right: Self) -> Bool {
    left.sent == right.sent && left.window == right.window && left.state == right.state
      && left.unsent == right.unsent && left.roundTrips == right.roundTrips
      && left.alarm?.at == right.alarm?.at && left.timeout == right.timeout
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(sent)
    hasher.combine(window)
    hasher.combine(unsent)
  }
}
