internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One tunnel: a client's connection, the origin's, and the player that says what passes when.
///
/// On the loop's thread only. It never asks what goes wrong: it connects, passes, pauses and ends as
/// the player says.
final class Tunnel {
  let decision: TunnelDecision
  let authority: String
  let host: String
  let port: Int
  let reactor: Reactor
  let context: PortContext
  /// Until the client's descriptor is closed.
  var client: Channel?
  var upstream: Channel?
  var addresses: [SocketAddress] = []
  /// Why the first address was left out that the client is not connected to.
  var refusal: AddressRefusal?

  /// Who takes the connection over where the client begins TLS, with what came for it; `nil` where its
  /// bytes are passed on whatever they are.
  var handOver: ((Data, Handshake) -> Void)?
  /// How the proxy conducts the handshake with its client.
  var handshake = Handshake()

  var player: Player
  var queue: [Player.Action] = []
  var up = TunnelWay()
  var down = TunnelWay()
  var phase = Phase.before
  var isConnecting: Bool { phase == .connecting }

  let start = Moment.now()
  var connected: Duration?
  var ending: SeenConnection.Ending?
  /// The client has been told that the tunnel is open.
  private(set) var isAnswered = false
  var wake: Reactor.Timer?
  var connectTimer: Reactor.Timer?
  var lastPassed = Moment.now()
  /// When the client was told that the tunnel is open, or asked for it.
  private(set) var openMoment = Moment.now()

  enum Phase {
    /// The player has not come to the origin.
    case before
    case connecting
    /// The client is told that the tunnel is open, and waited for to say whether it speaks TLS.
    case listening
    /// Bytes pass.
    case passing
    /// Nothing passes any more, and the connection stays open.
    case stalled
    case ended
  }

  init(
    _ decision: TunnelDecision,
    to host: String,
    port: Int,
    for client: Channel,
    in context: PortContext,
    on reactor: Reactor
  ) {
    (self.decision, self.host, self.port, self.client) = (decision, host, port, client)
    (self.context, self.reactor) = (context, reactor)
    authority = "\(host):\(port)"
    player = Player(
      Delivery(decision),
      shaper: decision.path?.shaper(.down),
      up: decision.path?.shaper(.up)
    )
  }

  var now: Duration { .nanoseconds(Moment.now() - start) }

  /// Begins with what the client sent behind its request.
  func begin(_ early: Data) {
    up.pending.append(early)
    watch()
    advance(.arrived(.requestEnd))
    if up.pending.hasWholeRecord { advance(.arrived(.clientHello)) }
  }

  func advance(_ event: Player.Event) {
    guard phase != .ended else { return }
    queue += player.next(event, at: now)
    carry()
  }

  /// Does what is queued, to where the origin has to be waited for.
  func carry() {
    while phase != .ended, !isConnecting, !queue.isEmpty {
      switch queue.removeFirst() {
      case .wake(let moment):
        if let wake { reactor.cancel(wake) }
        wake = reactor.schedule(at: start + moment.inNanoseconds) { [weak self] _ in
          self?.wake = nil
          self?.advance(.tick)
        }
      case .head(let head): answer(head)
      case .bytes(let data): client?.write(data)
      case .relay: if handOver == nil { connect() } else { listen() }
      case .pass(let way, let count): pass(count, way)
      case .passEnd(let way): passEnd(way)
      case .hold(let way): set(way) { $0.isHeld = true }
      case .takeMore(let way): set(way) { $0.isHeld = false }
      case .close, .finish, .closeWrite: end(.cut) { $0.close() }
      // A wire has no other way to fail.
      case .reset, .fail, .live: end(.cut) { $0.reset() }
      case .shakeHands(let handshake): shakeHands(handshake)
      case .stall: stall()
      }
    }
  }

  func answer(_ head: ResponseHead) {
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
  func end(_ reason: SeenConnection.Ending, _ how: (Channel) -> Void) {
    guard phase != .ended else { return }
    finish(reason)
    if let client { how(client) }
    if let upstream { how(upstream) }
  }

  /// The proxy stops: what is on its way is let go.
  func leave() { end(.stopped) { $0.close() } }

  func clientClosed(_ error: SocketError?) {
    client = nil
    guard phase != .ended else { return }
    let isReset = error?.kind == .reset
    if isReset, phase == .passing, player.isMetering, !up.hasPassedEnd {
      // The bytes before the reset are on their way yet.
      ending = ending ?? .clientReset
      up.isBroken = true
      return reachedEnd(.up)
    }
    finish(isReset || phase != .passing ? .clientReset : .closed)
    if isReset { upstream?.reset() } else { upstream?.close() }
  }

  func upstreamClosed(_ error: SocketError?) {
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
  private func finish(_ reason: SeenConnection.Ending) {
    ending = ending ?? reason
    phase = .ended
    if let wake { reactor.cancel(wake) }
    wake = nil
    stopConnectTimer()
    tell()
  }

  // The loop ended while bytes were on their way behind a client that had gone.
  deinit { if phase != .ended { tell() } }

  private func tell() {
    context.proxy?.settings.observe?(
      .connection(
        SeenConnection(
          scenario: decision.scenario,
          authority: authority,
          connect: connected,
          bytesUp: up.passed,
          bytesDown: down.passed,
          duration: now,
          ending: ending ?? .stopped
        )
      )
    )
  }
}
