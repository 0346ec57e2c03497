internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One tunnel: the connections of the client and the origin, and the player that decides what
/// passes and when.
///
/// Use it on the loop's thread only. It does not decide on faults: it connects, passes, pauses and
/// ends as the player requires.
final class Tunnel: Courier, ChannelDelegate {
  private let decision: TunnelDecision
  private let authority: String
  private let reactor: Reactor
  private let context: OriginContext
  /// The client's connection, until its descriptor is closed.
  private var client: Channel?
  /// Called when the client's descriptor is closed.
  var ended: (() -> Void)?
  /// The connector to the origin, which exists until it has completed.
  private weak var connector: OriginConnector?
  private var upstream: Channel?

  /// Takes over the connection if the client begins TLS, with the bytes that have arrived; `nil` if
  /// all bytes are passed on without such a check.
  private var handOver: ((Data, Handshake) -> Void)?
  /// The kind of handshake between the proxy and its client.
  private var handshake = Handshake()

  var queue: ActionQueue
  private var up = Way()
  private var down = Way()
  private var phase = Phase.before
  private var isConnecting: Bool { phase == .connecting }

  private let alarm: Alarm
  private var connectTime: Duration?
  private var ending: TunnelEnd.Reason?
  /// Whether the client has been informed that the tunnel is open.
  private var isAnswered = false
  private var lastPassed = Moment.now()
  /// The time at which the client was informed that the tunnel is open, or requested it.
  private var openMoment = Moment.now()

  private enum Phase {
    /// The player has not reached the origin yet.
    case before
    case connecting
    /// The client has been informed that the tunnel is open; its first byte will show whether it
    /// begins TLS.
    case listening
    /// Bytes pass in both directions.
    case passing
    /// Nothing passes any more, and the connection stays open.
    case stalled
    case ended
  }

  /// The state of one direction of a tunnel.
  private struct Way {
    /// The bytes that have arrived and must not be passed on yet.
    var pending = ByteQueue()
    /// The number of bytes that have been passed on.
    var passed = 0
    /// Whether the player currently accepts no more bytes.
    var isHeld = false
    /// Whether the other end currently accepts no more bytes.
    var isBlocked = false
    /// Whether its sender has announced that it sends no more.
    var isEnded = false
    /// Whether its receiver has been informed of that end.
    var hasPassedEnd = false
    /// Whether its sender has reset the connection. The receiver's reset follows the earlier bytes.
    var isBroken = false
  }

  /// Creates a tunnel; `handOver` takes over the connection if the client begins TLS.
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

  /// Begins with the bytes that the client sent after its request.
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

  /// Ends both sides in the same way.
  private func end(_ reason: TunnelEnd.Reason, _ how: (Channel) -> Void) {
    guard phase != .ended else { return }
    finish(reason)
    if let client { how(client) }
    if let upstream { how(upstream) }
  }

  /// Stops the tunnel with the proxy, and drops the bytes in transit.
  func stop() { end(.stopped) { $0.close() } }

  private func clientClosed(_ error: SocketError?) {
    client = nil
    guard phase != .ended else { return }
    let isReset = error?.kind == .reset
    if isReset, phase == .passing, queue.isMetering, !up.hasPassedEnd {
      // The bytes before the reset are still in transit.
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
    // The bytes before the reset are still in transit, and possibly an end that was read.
    down.isBroken = isReset
    reachedEnd(.down)
  }

  /// Ends the tunnel and reports it now, because the peers may close their connections much later.
  private func finish(_ reason: TunnelEnd.Reason) {
    ending = ending ?? reason
    phase = .ended
    alarm.cancel()
    connector?.cancel()
    report()
  }

  // Applies if the loop ended while bytes of a disconnected client were in transit.
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

  // MARK: - Decrypted tunnels, if they carry TLS

  /// Offers the client a handshake of this kind, after it was informed that the tunnel is open.
  func shakeHands(_ handshake: Handshake) {
    // If the proxy does not decrypt tunnels, such a scenario has been refused before.
    guard handOver != nil else { return end(.cut) { $0.reset() } }
    self.handshake = handshake
    awaitHello()
  }

  private func awaitHello() {
    phase = .listening
    if client?.inputEnded == true, up.pending.isEmpty { return reachedEnd(.up) }
    matchHello()
  }

  /// Hands over a client that begins a handshake (RFC 8446 §5.1), and connects any other to its
  /// origin: bytes that are not encrypted need no decryption.
  private func matchHello() {
    guard phase == .listening, !up.pending.isEmpty else { return }
    guard up.pending[0] == 22, let handOver else {
      // The live host is not contacted if the cassette answers for it.
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
    // The refusal is no property of the host, so nothing is kept.
    case .failure(.forbidden(let refusal)):
      if !isAnswered { client?.writeNotice(403, "\(refusal)") }
      end(.refused(403)) { $0.close() }
    case .failure(.socket(let error)) where error.isOwn:
      context.deck.couldNotAsk(decision, "\(error)")
      if !isAnswered { client?.writeNotice(503, "\(authority) was not contacted: \(error).") }
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
    // The bytes that the client sent in advance, and the actions of the player in the meantime.
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

  // A network connection has no other way to fail.

  func fail(_ symptom: Symptom) { reset() }

  func forward() { reset() }

  func converse(_ head: ResponseHead, _ faults: [ConversationFault]) { reset() }

  func wake(at moment: Duration) { alarm.set(moment) { [weak self] in self?.advance(.tick) } }

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

  /// Handles bytes from the sender of a direction.
  private func receive(_ bytes: UnsafeRawBufferPointer, _ way: Link.Way) {
    switch phase {
    case .passing where !queue.isMetering: forward(bytes, way)
    case .passing: meter(bytes, way)
    case .before, .connecting, .listening:
      self[way].pending.append(bytes)
      if phase == .listening { return matchHello() }
      if up.pending.hasWholeRecord { advance(.arrived(.clientHello)) }
      updateReading()
    // The bytes of a client without a peer are dropped, and they do not keep the tunnel open.
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

  /// Lets the player decide. Bytes that may pass at once are written directly from the receive
  /// buffer, without a copy.
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

  /// Passes this number of waiting bytes.
  func pass(_ count: Int, _ way: Link.Way) {
    guard count > 0 else { return }
    let data = self[way].pending.take(atMost: count)
    data.withUnsafeBytes { forward($0, way) }
  }

  /// Handles the end of a direction: its sender sends no more.
  private func reachedEnd(_ way: Link.Way) {
    guard !self[way].isEnded else { return }
    switch phase {
    case .passing:
      set(way) { $0.isEnded = true }
      if queue.isMetering { advance(.ended(way)) } else { passEnd(way) }
    // The client may have sent everything in advance. The end is passed on after the origin is
    // connected.
    case .connecting, .ended: break
    case .before where !isAnswered || up.pending.hasWholeRecord: break
    case .listening: end(.closed) { $0.close() }
    // The expected bytes will not arrive.
    case .before, .stalled: end(.clientReset) { $0.close() }
    }
  }

  /// Passes nothing more, until the client disconnects.
  func stall() {
    if phase == .before, client?.inputEnded == true { return end(.clientReset) { $0.close() } }
    phase = .stalled
    ending = ending ?? .cut
    updateReading()
  }

  /// Informs the receiver of a direction that nothing more follows.
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

  /// Checks repeatedly whether the tunnel has been idle, or open, for too long. The origin's time
  /// to accept the connection has a limit of its own.
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

  /// Reads from each side as fast as the other accepts bytes.
  private func updateReading() {
    for way in Link.Way.allCases {
      let state = self[way]
      let isFull = phase != .passing && state.pending.count > context.limits.queuedBytesMax
      // The end of a client is noticed only by reading from it.
      let isPaused = phase == .stalled ? way == .down : state.isHeld || state.isBlocked || isFull
      source(way)?.pauseReading(isPaused)
    }
  }
}

extension ByteQueue {
  /// Whether a complete TLS record is at the front, or something other than a handshake (RFC 8446
  /// §5.1: type, version, and the length in two bytes).
  fileprivate var hasWholeRecord: Bool {
    guard count >= 5 else { return false }
    return self[0] != 22 || count >= 5 + Int(self[3]) << 8 + Int(self[4])
  }
}
