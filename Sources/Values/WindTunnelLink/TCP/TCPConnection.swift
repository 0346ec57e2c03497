/// Both ends of one TCP connection and the link between them, in virtual time: microseconds since
/// the first SYN.
///
/// Only ``step()`` advances it, and it never reads a clock. The model follows Linux 6.18 and was
/// compared with it. ECN, pacing, closing receive windows, retransmissions of FIN, and path MTUs
/// other than 1500 bytes are not modelled.
struct TCPConnection: Sendable {
  private struct Endpoint: Sendable {
    var sender: TCPSender
    var receiver = TCPReceiver()
    /// The exchange whose bytes it received last. Its acknowledgements belong to it.
    var owner = 0
  }

  /// An arrival of a stream's bytes at the other end, without a gap.
  struct DeliveredBytes: Sendable, Hashable {
    var way: Link.Way
    var at: Int
    var bytes: Int
  }

  private(set) var now = 0
  private var (client, server): (Endpoint, Endpoint)
  private var (up, down): (PacketPath, PacketPath)
  private var handshake: ThreeWayHandshake
  /// Whether every arrival is recorded.
  var notesArrivals = false
  private(set) var arrivals: [DeliveredBytes] = []
  private var burst: SegmentBurst
  private var shares: [SharedRate.Share] = []
  /// The number of bytes that the applications have written so far.
  private var (upBytes, downBytes) = (0, 0)

  /// The maximum size of a frame's content in HTTP/2 (RFC 9113 §4.2), which is one turn of a
  /// response. Requests are sent one after another.
  private static let frameBytes = 16_384

  init(_ link: Link, _ draws: ConnectionDraws, shared: SharedRates? = nil) {
    let phase =
      link.hasChance
      ? Int(draws.up.apart(2).bits(0) % UInt64(KernelTimer.turn)) : KernelTimer.steadyPhase
    let timer = KernelTimer(phase: phase)
    burst = SegmentBurst(link.hasChance ? draws.down.apart(3) : nil)
    client = Endpoint(sender: TCPSender(timer, turnBytes: .max))
    server = Endpoint(sender: TCPSender(timer, turnBytes: Self.frameBytes))
    let (upShare, downShare) = (
      shared.map { SharedRate.Share($0.up) }, shared.map { SharedRate.Share($0.down) }
    )
    shares = [upShare, downShare].compactMap(\.self)
    up = PacketPath(link.up, draws.up, upShare)
    down = PacketPath(link.down, draws.down, downShare)
    handshake = ThreeWayHandshake(timer)
    handshake.begin(&up)
  }

  var isConnected: Bool { handshake.clientOpened != nil }
  /// Returns whether the end that sends in this direction is open.
  func isOpen(_ way: Link.Way) -> Bool { way == .up ? isConnected : handshake.serverOpened }
  /// Whether no more bytes can ever arrive.
  var isDead: Bool {
    handshake.hasGivenUp || client.sender.hasGivenUp || server.sender.hasGivenUp
  }

  func delivered(_ way: Link.Way) -> Int {
    way == .up ? server.receiver.delivered : client.receiver.delivered
  }

  /// Whether bytes that an application wrote have not arrived.
  private var isTransferring: Bool { delivered(.up) < upBytes || delivered(.down) < downBytes }

  /// Returns the number of bytes that the application has written so far.
  func written(_ way: Link.Way) -> Int { way == .up ? upBytes : downBytes }

  // MARK: Exchanges

  /// Adds an exchange to an open connection.
  mutating func join(_ owner: Int, _ link: Link, _ draws: ConnectionDraws) {
    up.join(owner, link.up, draws.up)
    down.join(owner, link.down, draws.down)
  }

  /// Removes the bytes of a response that have not been sent.
  mutating func drop(_ owner: Int) { downBytes -= server.sender.drop(owner) }

  /// Removes the draws of an exchange that has ended. A packet of it is not lost any more.
  mutating func forget(_ owner: Int) {
    client.sender.forget(owner)
    up.forget(owner)
    down.forget(owner)
  }

  /// Releases the shared rates, because no exchange is open.
  func releaseShares() { for share in shares { share.set(false) } }

  /// Returns the number of an exchange's bytes that have arrived.
  mutating func delivered(_ way: Link.Way, of owner: Int) -> Int {
    let total = delivered(way)
    return way == .up
      ? client.sender.bytes(of: owner, amongFirst: total)
      : server.sender.bytes(of: owner, amongFirst: total)
  }

  /// Returns the number of an exchange's bytes that were not sent.
  func unsent(_ way: Link.Way, of owner: Int) -> Int {
    (way == .up ? client : server).sender.outgoing.waiting(of: owner)
  }

  /// The time of the next event; `nil` if there is none.
  var nextMoment: Int? {
    guard !isDead else { return nil }
    var moment = Int.max
    for candidate in [
      up.nextArrival, down.nextArrival, client.sender.due, server.sender.due,
      client.receiver.due, server.receiver.due, handshake.nextMoment,
    ] {
      if let candidate, candidate < moment { moment = candidate }
    }
    return moment == .max ? nil : moment
  }

  /// Writes bytes of an exchange for the application at one end.
  mutating func write(_ bytes: Int, _ way: Link.Way, at moment: Int, for owner: Int = 0) {
    now = max(now, moment)
    if way == .up {
      upBytes += bytes
      client.sender.write(bytes, for: owner)
      if isConnected { client.sender.transmit(at: now) }
    } else {
      downBytes += bytes
      server.sender.write(bytes, for: owner)
      if handshake.serverOpened { server.sender.transmit(at: now) }
    }
    flush()
  }

  /// Processes the next event; returns false if there is none.
  mutating func step() -> Bool {
    guard let moment = nextMoment else { return false }
    now = max(now, moment)
    // Packets precede timers: a packet of the same time has been read before a timer fires.
    if up.nextArrival == moment {
      burst.begin(&server.sender)
      receive(up.receive(), atServer: true)
      burst.end(&server.sender, isLast: up.nextArrival != moment, at: now)
    } else if down.nextArrival == moment {
      burst.begin(&client.sender)
      receive(down.receive(), atServer: false)
      burst.end(&client.sender, isLast: down.nextArrival != moment, at: now)
    } else if client.sender.due == moment {
      client.sender.ring(at: now)
    } else if server.sender.due == moment {
      server.sender.ring(at: now)
    } else if client.receiver.due == moment {
      sendAcknowledgement(.up)
    } else if server.receiver.due == moment {
      sendAcknowledgement(.down)
    } else {
      handshake.ring(at: now, &up, &down)
    }
    flush()
    return true
  }

  /// Processes all events up to a time.
  mutating func advance(to moment: Int) {
    while let next = nextMoment, next <= moment { _ = step() }
    now = max(now, moment)
  }

  private mutating func receive(_ packet: Packet, atServer: Bool) {
    switch packet.kind {
    case .synchronise: handshake.serverGot(packet, at: now, &down)
    case .synchroniseAcknowledge:
      handshake.clientGot(packet, at: now, &client.sender)
      client.receiver.note(packet)
      // A repeated SYN-ACK is acknowledged as well, because its sender is still waiting.
      sendAcknowledgement(.up)
      client.sender.transmit(at: now)
    case .data, .acknowledgement:
      if atServer {
        if !handshake.serverOpened { handshake.serverOpens(packet, at: now, &server.sender) }
        take(packet, .up)
        server.sender.transmit(at: now)
      } else {
        take(packet, .down)
      }
    }
  }

  private mutating func take(_ packet: Packet, _ way: Link.Way) {
    if way == .up {
      server.sender.acknowledge(packet, at: now)
    } else {
      client.sender.acknowledge(packet, at: now)
    }
    flush()
    guard packet.kind == .data else {
      if way == .up { server.receiver.note(packet) } else { client.receiver.note(packet) }
      return
    }
    if way == .up { server.owner = packet.owner } else { client.owner = packet.owner }
    let before = delivered(way)
    let timer = client.sender.timer
    let isNow =
      way == .up
      ? server.receiver.take(packet, at: now, timer)
      : client.receiver.take(packet, at: now, timer)
    if isNow { sendAcknowledgement(way == .up ? .down : .up) }
    if notesArrivals, delivered(way) > before {
      arrivals.append(DeliveredBytes(way: way, at: now, bytes: delivered(way)))
    }
  }

  private mutating func sendAcknowledgement(_ way: Link.Way) {
    var packet = Packet(kind: .acknowledgement)
    packet.segment = way == .up ? client.sender.next : server.sender.next
    packet.owner = way == .up ? client.owner : server.owner
    send(&packet, way)
  }

  private mutating func flush() {
    for number in client.sender.outbox {
      var packet = client.sender.packet(number)
      send(&packet, .up)
    }
    client.sender.clearOutbox()
    for number in server.sender.outbox {
      var packet = server.sender.packet(number)
      send(&packet, .down)
    }
    server.sender.clearOutbox()
    useShares()
  }

  /// Takes or releases a part of the shared rates.
  func useShares() {
    guard let share = shares.first else { return }
    // After the arrival of the last bytes only acknowledgements remain, which need hardly any rate.
    let isTransferring = isTransferring
    share.set(isTransferring && up.isBusy(at: now))
    if let share = shares.last, shares.count > 1 {
      share.set(isTransferring && down.isBusy(at: now))
    }
  }

  private mutating func send(_ packet: inout Packet, _ way: Link.Way) {
    packet.stamp = now
    if way == .up {
      client.receiver.acknowledge(in: &packet)
      up.send(packet, at: now)
    } else {
      server.receiver.acknowledge(in: &packet)
      down.send(packet, at: now)
    }
  }
}

/// A burst of packets that arrive together and are processed together.
///
/// Segments that may then leave wait in the host's own queue, which accepts a few at a time (TCP
/// Small Queues) and is drained in between. A sender has therefore often received later
/// acknowledgements before it uses the room of earlier ones.
///
/// The number of packets between two drains depends on the scheduler, so it is drawn. On a link
/// without random conditions, it is all packets.
private struct SegmentBurst: Sendable, Hashable {
  private let draws: Draws?
  private var portions = 0
  private var left = 0

  /// The maximum number of packets that a host with little load processes at once.
  private static let portionMost = 12.0

  init(_ draws: Draws?) { self.draws = draws }

  mutating func begin(_ sender: inout TCPSender) {
    guard sender.beginBurst() else { return }
    portions += 1
    left = draws.map { 1 + Int($0.unit(portions) * Self.portionMost) } ?? .max
  }

  mutating func end(_ sender: inout TCPSender, isLast: Bool, at now: Int) {
    if left != .max { left -= 1 }
    guard isLast || left <= 0 else { return }
    sender.endBurst(at: now)
  }
}

/// The random draws of one connection, by direction.
public struct ConnectionDraws: Sendable, Hashable {
  /// The draws of the direction to the server.
  public var up: Draws
  /// The draws of the direction to the client.
  public var down: Draws

  /// Creates the draws of the *n*-th connection of a key in a lane.
  public init(seed: UInt64, scenario: String, lane: Lane, key: String, ordinal: Int) {
    func draws(_ direction: String) -> Draws {
      Draws(
        seed: seed,
        scenario: scenario,
        lane: lane,
        key: key,
        ordinal: ordinal,
        rule: "link/\(direction)"
      )
    }
    (up, down) = (draws("up"), draws("down"))
  }
}
