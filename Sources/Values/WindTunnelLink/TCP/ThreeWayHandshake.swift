/// The three packets that open a connection, with their independent repeats at both ends.
///
/// Linux's client repeats its SYN four times after one second each, and then with doubled waits.
/// Its server doubles the wait from the start, and replies to a repeated SYN at once.
struct ThreeWayHandshake: Sendable, Hashable {
  private let timer: KernelTimer
  private(set) var clientOpened: Int?
  private(set) var serverOpened = false
  private(set) var hasGivenUp = false

  // State of the client.
  private var firstSent = 0
  private var repeats = 0
  private var clientAlarm: Int?
  // State of the server.
  private var firstAnswered: Int?
  private var answers = 0
  private var answerTimeouts = 0
  private var serverAlarm: Int?
  private var lastForRepeat: Int?
  private var echo = 0

  /// `tcp_syn_linear_timeouts`, and the sum of it and `tcp_syn_retries`.
  private static let (linear, repeatsMost) = (4, 10)
  /// The kernel's default of `tcp_synack_retries`.
  private static let answersMost = 5
  /// One second, counted in jiffies.
  private static let second = 250
  /// `tcp_invalid_ratelimit`: a SYN that arrives sooner after a repeated one receives no reply.
  private static let repeatsApart = 500_000

  init(_ timer: KernelTimer) { self.timer = timer }

  var nextMoment: Int? {
    guard let clientAlarm else { return serverAlarm }
    return serverAlarm.map { min($0, clientAlarm) } ?? clientAlarm
  }

  mutating func begin(_ up: inout PacketPath) {
    up.send(Packet(kind: .synchronise), at: 0)
    clientAlarm = timer.fire(after: Self.second, at: 0)
  }

  mutating func ring(at now: Int, _ up: inout PacketPath, _ down: inout PacketPath) {
    if clientAlarm == nextMoment {
      clientAlarm = nil
      guard repeats < Self.repeatsMost else { return hasGivenUp = true }
      repeats += 1
      var packet = Packet(kind: .synchronise)
      packet.stamp = now
      up.send(packet, at: now)
      let wait = Self.second << max(0, repeats - Self.linear)
      clientAlarm = timer.fire(after: min(wait, TCPSender.timeoutMost), at: now)
    } else {
      serverAlarm = nil
      guard answerTimeouts < Self.answersMost else { return }
      answerTimeouts += 1
      answer(at: now, &down)
      serverAlarm = timer.fire(after: Self.second << answerTimeouts, at: now)
    }
  }

  /// Processes a SYN at the server.
  mutating func serverGot(_ packet: Packet, at now: Int, _ down: inout PacketPath) {
    guard !serverOpened else { return }
    echo = packet.stamp
    guard firstAnswered != nil else {
      firstAnswered = now
      answer(at: now, &down)
      serverAlarm = timer.fire(after: Self.second, at: now)
      return
    }
    if let lastForRepeat, now - lastForRepeat < Self.repeatsApart { return }
    lastForRepeat = now
    answer(at: now, &down)
    serverAlarm = timer.fire(after: Self.second << answerTimeouts, at: now)
  }

  private mutating func answer(at now: Int, _ down: inout PacketPath) {
    answers += 1
    var packet = Packet(kind: .synchroniseAcknowledge)
    (packet.stamp, packet.echo) = (now, echo)
    down.send(packet, at: now)
  }

  /// Processes a SYN-ACK at the client.
  mutating func clientGot(_ packet: Packet, at now: Int, _ sender: inout TCPSender) {
    guard clientOpened == nil else { return }
    clientOpened = now
    clientAlarm = nil
    Self.open(&sender, repeats: repeats, first: firstSent, echo: packet.echo, at: now)
  }

  /// Processes the first packet after the handshake at the server.
  mutating func serverOpens(_ packet: Packet, at now: Int, _ sender: inout TCPSender) {
    serverOpened = true
    serverAlarm = nil
    let first = firstAnswered ?? now
    Self.open(&sender, repeats: answers - 1, first: first, echo: packet.echo, at: now)
  }

  /// Opens a sender with its first sample, from the timestamp if it is unknown which copy was
  /// acknowledged.
  ///
  /// After more than one necessary repeat the window begins with one segment (RFC 5681 §3.1).
  private static func open(
    _ sender: inout TCPSender,
    repeats: Int,
    first: Int,
    echo: Int,
    at now: Int
  ) {
    let sample = repeats == 0 ? now - first : max(1000, (now - echo) / 1000 * 1000)
    sender.open(sample: sample, isNarrow: repeats > 1 && echo != first)
  }
}
