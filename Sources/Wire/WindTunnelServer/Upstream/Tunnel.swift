internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One tunnel: a client's connection, the origin's, and the player that says what passes when.
///
/// On the loop's thread only. It never asks what goes wrong: it connects, passes, pauses and ends
/// as the player says.
final class Tunnel {
  private let decision: TunnelDecision
  private let authority: String
  private let reactor: Reactor
  private let context: OriginContext
  /// The client's connection, until its descriptor is closed.
  private var client: Channel?
  /// Called when that is closed.
  var ended: (() -> Void)?
  /// The search for a connection to the origin, which lives as long as it takes.
  private weak var connector: OriginConnector?
  private var upstream: Channel?

  /// Takes the connection over where the client begins TLS, with what came for it; `nil` where its
  /// bytes are passed on whatever they are.
  private var handOver: ((Data, Handshake) -> Void)?
  /// The handshake of the proxy with its client.
  private var handshake = Handshake()

  var queue: ActionQueue
  private var up = Way()
  private var down = Way()
  private var phase = Phase.before
  private var isConnecting: Bool { phase == .connecting }

  private let alarm: Alarm
  private var connectTime: Duration?
  private var ending: TunnelEnd.Reason?
  /// Tells whether the client has been told that the tunnel is open.
  private var isAnswered = false
  private var lastPassed = Moment.now()
  /// The time at which the client was told that the tunnel is open, or asked for it.
  private var openMoment = Moment.now()

  private enum Phase {
    /// The player has not come to the origin.
    case before
    case connecting
    /// The client is told that the tunnel is open, and waited for to say whether it speaks TLS.
    case listening
    /// Bytes pass both ways.
    case passing
    /// Nothing passes any more, and the connection stays open.
    case stalled
    case ended
  }

  /// One direction of a tunnel, as far as the courier has to do with it.
  private struct Way {
    /// The bytes that came and may not go on yet.
    var pending = ByteQueue()
    /// The count of bytes that have gone on.
    var passed = 0
    /// Tells whether the player wants no more for now.
    var isHeld = false
    /// Tells whether the other end takes no more for now.
    var isBlocked = false
    /// Tells whether its sender has said that it sends no more.
    var isEnded = false
    /// Tells whether its receiver has been told so.
    var hasPassedEnd = false
    /// Tells whether its sender aborted; the receiver is told so behind what came before.
    var isBroken = false
  }

  /// Makes a tunnel; `handOver` takes the connection over where the client begins TLS.
  init(
    _ decision: TunnelDecision,
    to host: String,
    port: Int,
    for client: Channel,
    in context: OriginContext,
    handOver: ((Data, Handshake) -> Void)? = nil
  ) {
    (self.decision, self.client) = (decision, client)
    (self.context, self.reactor, self.handOver) = (context, client.reactor, handOver)
    (authority, alarm) = ("\(host):\(port)", Alarm(on: client.reactor))
    queue = ActionQueue(
      Player(
        Delivery(decision),
        shaper: decision.path?.shaper(.down),
        up: decision.path?.shaper(.up)
      )
    )
  }

  /// Begins with what the client sent behind its request.
  func begin(_ early: Data) {
    up.pending.append(early)
    watch()
    advance(.arrived(.requestEnd))
    if up.pending.hasWholeRecord { advance(.arrived(.clientHello)) }
  }

  /// Answers the client's request for a tunnel.
  func send(_ head: ResponseHead) {
    let isOpen = head.status == 200
    client?.write { $0.appendHead(head, reason: isOpen ? "Connection Established" : nil) }
    if isOpen {
      (openMoment, lastPassed) = (.now(), .now())
    } else {
      ending = .refused(head.status)
    }
    isAnswered = isOpen
    if isOpen, phase == .before, client?.inputEnded == true { reachedEnd(.up) }
  }

  // MARK: Ends

  /// Ends both sides in one manner.
  private func end(_ reason: TunnelEnd.Reason, _ how: (Channel) -> Void) {
    guard phase != .ended else { return }
    finish(reason)
    if let client { how(client) }
    if let upstream { how(upstream) }
  }

  /// The proxy stops: what is on its way is let go.
  func stop() { end(.stopped) { $0.close() } }

  private func clientClosed(_ error: SocketError?) {
    client = nil
    guard phase != .ended else { return }
    let isReset = error?.kind == .reset
    if isReset, phase == .passing, queue.isMetering, !up.hasPassedEnd {
      // The bytes before the reset are on their way yet.
      ending = ending ?? .clientReset
      up.isBroken = true
      return reachedEnd(.up)
    }
    finish(isReset || phase != .passing ? .clientReset : .closed)
    if isReset { upstream?.reset() } else { upstream?.close() }
  }

  private func upstreamClosed(_ error: SocketError?) {
    upstream = nil
    guard phase != .ended else { return }
    let isReset = error?.kind == .reset
    if down.hasPassedEnd || phase != .passing {
      return end(isReset ? .originReset : .closed) { isReset ? $0.reset() : $0.close() }
    }
    // The bytes before the reset are on their way yet, and so may be an end that was read.
    down.isBroken = isReset
    reachedEnd(.down)
  }

  /// Nothing passes any more: says what was seen, since peers may close long after this has gone.
  private func finish(_ reason: TunnelEnd.Reason) {
    ending = ending ?? reason
    phase = .ended
    alarm.cancel()
    connector?.cancel()
    report()
  }

  // The loop ended while bytes were on their way behind a client that had gone.
  deinit { if phase != .ended { report() } }

  private func report() {
    context.deck.tunnelEnded(
      TunnelEnd(
        scenario: decision.scenario,
        authority: authority,
        connect: connectTime,
        bytesUp: up.passed,
        bytesDown: down.passed,
        duration: alarm.now,
        reason: ending ?? .stopped
      )
    )
  }

  // MARK: - Tunnels that are looked into, where there is TLS in them

  /// Has the client meet a handshake of this kind; it has been told that the tunnel is open.
  func shakeHands(_ handshake: Handshake) {
    // A proxy that opens no tunnels has been refused such weather.
    guard handOver != nil else { return end(.cut) { $0.reset() } }
    self.handshake = handshake
    awaitHello()
  }

  private func awaitHello() {
    phase = .listening
    if client?.inputEnded == true, up.pending.isEmpty { return reachedEnd(.up) }
    matchHello()
  }

  /// Lets go of a client that begins a handshake (RFC 8446 §5.1), and connects any other to its
  /// origin: what is not sealed needs no opening.
  private func matchHello() {
    guard phase == .listening, !up.pending.isEmpty else { return }
    guard up.pending[0] == 22, let handOver else {
      // The live host is not asked where the tape answers for it.
      if decision.isOnCassette { return end(.cut) { $0.close() } }
      return connect()
    }
    phase = .ended
    alarm.cancel()
    client = nil
    handOver(up.pending.take(atMost: up.pending.count), handshake)
  }

  // MARK: - From the name to the open tunnel

  private func connect() {
    phase = .connecting
    var destination = Destination(
      url: RequestURL("http://\(authority)"),
      resolver: context.proxy?.resolver,
      connectSeconds: context.limits.connectSeconds,
      engine: { () throws(SocketError) in nil }
    )
    destination.refusal = { [self] in
      context.proxy?.refusal(of: $0, for: client?.socket.peerAddress)
    }
    let connector = OriginConnector(
      to: destination,
      on: reactor,
      within: context.limits.connectSeconds,
      completed: connected
    )
    self.connector = connector
    connector.begin()
  }

  private func connected(_ result: Result<Channel, ExchangeFailure>) {
    switch result {
    case .success(let channel):
      upstream = channel
      channel.delegate = self
      opened()
    // That says nothing about the host, so nothing is kept.
    case .failure(.forbidden(let refusal)):
      if !isAnswered { client?.writeNotice(403, "\(refusal)") }
      end(.refused(403)) { $0.close() }
    case .failure(.socket(let error)) where error.isOwn:
      context.deck.couldNotAsk(decision, "\(error)")
      if !isAnswered { client?.writeNotice(503, "\(authority) was not asked: \(error).") }
      end(.failed(error.symptom)) { $0.close() }
    case .failure(let failure):
      let kept = Failure(failure.symptom, text: failure.text)
      context.deck.keep(kept, for: decision, to: authority)
      if !isAnswered { client?.writeNotice(502, "\(authority) failed: \(failure.text).") }
      end(.failed(failure.symptom)) { $0.close() }
    }
  }

  private func opened() {
    connectTime = alarm.now
    lastPassed = .now()
    phase = .passing
    if !isAnswered { send(Delivery.established) }
    // What the client sent in advance, and what the player said meanwhile.
    let early = up.pending.count
    if queue.isMetering {
      if early > 0 { queue.add(.came(.up, early), at: alarm.now) }
    } else {
      pass(early, .up)
    }
    if client?.inputEnded == true { reachedEnd(.up) }
    updateReading()
    advance(.tick)
  }
}

extension Tunnel: Courier {
  var now: Duration? { phase == .ended ? nil : alarm.now }

  /// Whether an action may be performed: not before the connection to the origin is open.
  var isReady: Bool { phase != .ended && !isConnecting }

  func send(_ data: Data) { client?.write(data) }

  func relay() {
    guard handOver != nil else { return connect() }
    send(Delivery.established)
    awaitHello()
  }

  func hold(_ way: Link.Way, _ isHeld: Bool) { set(way) { $0.isHeld = isHeld } }

  func carried() {}

  func finish(_ afterwards: Delivery.Afterwards) { close() }

  func closeWrite() { close() }

  func close() { end(.cut) { $0.close() } }

  func reset() { end(.cut) { $0.reset() } }

  // A wire has no other way to fail.

  func fail(_ symptom: Symptom) { reset() }

  func forward() { reset() }

  func converse(_ head: ResponseHead, _ faults: [ConversationFault]) { reset() }

  func wake(at moment: Duration) { alarm.set(moment) { [weak self] in self?.advance(.tick) } }
}

extension Tunnel: ChannelDelegate {
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    receive(bytes, channel === upstream ? .down : .up)
  }

  func channelReachedEnd(_ channel: Channel) { reachedEnd(channel === upstream ? .down : .up) }

  func channelDrained(_ channel: Channel) {
    set(channel === upstream ? .up : .down) { $0.isBlocked = false }
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    if channel === upstream { return upstreamClosed(error) }
    clientClosed(error)
    ended?()
  }
}

// MARK: - Bytes and ends, from one side to the other

extension Tunnel {
  private subscript(way: Link.Way) -> Way {
    get { way == .up ? up : down }
    _modify { if way == .up { yield &up } else { yield &down } }
  }

  private func source(_ way: Link.Way) -> Channel? { way == .up ? client : upstream }
  private func target(_ way: Link.Way) -> Channel? { way == .up ? upstream : client }

  /// Bytes came from a way's sender.
  private func receive(_ bytes: UnsafeRawBufferPointer, _ way: Link.Way) {
    switch phase {
    case .passing where !queue.isMetering: forward(bytes, way)
    case .passing: meter(bytes, way)
    case .before, .connecting, .listening:
      self[way].pending.append(bytes)
      if phase == .listening { return matchHello() }
      if up.pending.hasWholeRecord { advance(.arrived(.clientHello)) }
      updateReading()
    // A client that talks to nobody is thrown away what it says, and keeps nothing open by it.
    case .stalled, .ended: return
    }
    lastPassed = reactor.now
  }

  private func forward(_ bytes: UnsafeRawBufferPointer, _ way: Link.Way) {
    guard let target = target(way) else { return }
    self[way].passed += bytes.count
    target.pass(bytes)
    if target.isCongested {
      target.notifyWhenDrained()
      set(way) { $0.isBlocked = true }
    }
  }

  /// Asks the player. What may go at once goes from where it was read to, without a copy.
  private func meter(_ bytes: UnsafeRawBufferPointer, _ way: Link.Way) {
    let mayGo = queue.isEmpty && self[way].pending.isEmpty
    queue.add(.came(way, bytes.count), at: alarm.now)
    var rest = bytes
    if mayGo, case .pass(way, let count)? = queue.first, count <= bytes.count {
      _ = queue.next()
      forward(UnsafeRawBufferPointer(rebasing: bytes[..<count]), way)
      rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
    }
    if !rest.isEmpty { self[way].pending.append(rest) }
    carry()
  }

  /// Passes so many of the bytes that wait.
  func pass(_ count: Int, _ way: Link.Way) {
    guard count > 0 else { return }
    let data = self[way].pending.take(atMost: count)
    data.withUnsafeBytes { forward($0, way) }
  }

  /// A way's sender sends no more.
  private func reachedEnd(_ way: Link.Way) {
    guard !self[way].isEnded else { return }
    switch phase {
    case .passing:
      set(way) { $0.isEnded = true }
      if queue.isMetering { advance(.ended(way)) } else { passEnd(way) }
    // It may well have said everything in advance; the origin hears of its end once there is one.
    case .connecting, .ended: break
    case .before where !isAnswered || up.pending.hasWholeRecord: break
    case .listening: end(.closed) { $0.close() }
    // What is waited for will not come.
    case .before, .stalled: end(.clientReset) { $0.close() }
    }
  }

  /// Passes nothing more, until the client leaves.
  func stall() {
    if phase == .before, client?.inputEnded == true { return end(.clientReset) { $0.close() } }
    phase = .stalled
    ending = ending ?? .cut
    updateReading()
  }

  /// Tells a way's receiver that nothing more comes.
  func passEnd(_ way: Link.Way) {
    if self[way].isBroken { return end(way == .up ? .clientReset : .originReset) { $0.reset() } }
    let other: Link.Way = way == .up ? .down : .up
    if self[other].hasPassedEnd || (upstream == nil && way == .down) {
      end(.closed) { $0.close() }
    } else {
      set(way) { $0.hasPassedEnd = true }
      target(way)?.finishWriting()
    }
  }

  /// Looks now and then whether it has been idle, or open, for too long. How long its origin may
  /// take to answer is another limit.
  private func watch() {
    let limits = context.limits
    let idle = Int64(nanosecondsOf: limits.tunnelIdleSeconds)
    let total = Int64(nanosecondsOf: limits.tunnelSeconds)
    let moment =
      isConnecting ? .now() + min(idle, total) : min(lastPassed + idle, openMoment + total)
    reactor.schedule(at: moment) { [weak self] _ in
      guard let self, phase != .ended else { return }
      let now = Moment.now()
      if !isConnecting, now - lastPassed >= idle || now - openMoment >= total {
        end(.expired) { $0.close() }
      } else {
        watch()
      }
    }
  }

  private func set(_ way: Link.Way, _ change: (inout Way) -> Void) {
    change(&self[way])
    updateReading()
  }

  /// Reads from each side as fast as the other takes it.
  private func updateReading() {
    for way in Link.Way.allCases {
      let state = self[way]
      let isFull = phase != .passing && state.pending.count > context.limits.queuedBytesMax
      // Only whoever reads from a client learns that it has left.
      let isPaused = phase == .stalled ? way == .down : state.isHeld || state.isBlocked || isFull
      source(way)?.pauseReading(isPaused)
    }
  }
}

extension ByteQueue {
  /// Tells whether a whole TLS record stands at the front, or something else than a handshake (RFC
  /// 8446 §5.1: type, version, and the length in two bytes).
  fileprivate var hasWholeRecord: Bool {
    guard count >= 5 else { return false }
    return self[0] != 22 || count >= 5 + Int(self[3]) << 8 + Int(self[4])
  }
}
